// The Jacobian of one frame (6 × nv, linear rows first) and its rate.
#include "dynamics/frame_path.hpp"
#include "dynamics/rate.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
constexpr size_t jacobian_bytes(const Tree& tree) {
    return frame_path_bytes<T>(tree) + bytes_of<Pose<T>>(tree.n_bodies);
}

template <class T, class Store>
TARSUS_INLINE void jacobian(const Tree& tree, int frame, Reference reference, const T* q,
                            Scratch& scratch, Store&& store) {
    const FramePath<T> path = path_to(tree, frame, q, scratch);
    Pose<T>* pose = scratch.take<Pose<T>>(tree.n_bodies);
    Pose<T> last = world_pose<T>();
    int depth = 0;
    along(path, tree, q, [&](auto joint, const At<T>& at) {
        last = pose[depth++] = decltype(joint)::transform(at).pose_from(last);
    });
    const Pose<T> target = frame_from_body(tree, frame, last);
    depth = 0;
    along(path, tree, q, [&](auto joint, const At<T>& at) {
        using Joint = decltype(joint);
        const Pose<T>& body = pose[depth++];
        Motion<T> S[Joint::nv];
        Joint::subspace(at).columns_in(body.rotation, S);
        for (int k = 0; k < Joint::nv; ++k) {
            // the motion of the point that coincides with the frame, or with the world's origin
            const Vec3<T> arm = reference == Reference::world ? -body.position
                                                              : target.position - body.position;
            Motion<T> column{cross_add(S[k].angular, arm, S[k].linear), S[k].angular};
            if (reference == Reference::local) {
                column = {transposed_times(target.rotation, column.linear),
                          transposed_times(target.rotation, column.angular)};
            }
            store(at.link.v + k, column);
        }
    });
}

template <class T>
TARSUS_INLINE void store_column(int n, int k, const Motion<T>& m, T* out) {
    const T rows[6] = {m.linear.x, m.linear.y, m.linear.z, m.angular.x, m.angular.y, m.angular.z};
    for (int r = 0; r < 6; ++r) out[r * n + k] = rows[r];
}

template <class T>
TARSUS_INLINE Motion<T> rate_of(const Motion<Dual<T>>& m) {
    return {{m.linear.x.rate, m.linear.y.rate, m.linear.z.rate},
            {m.angular.x.rate, m.angular.y.rate, m.angular.z.rate}};
}

struct FrameJacobian {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return jacobian_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* out = arguments.out;
        for (int k = 0; k < 6 * tree.nv; ++k) out[k] = T(0.0);
        jacobian(tree, arguments.frame, arguments.reference, arguments.in[0], arguments.scratch,
                 [&](int k, const Motion<T>& column) { store_column(tree.nv, k, column, out); });
    }
};

struct FrameJacobianRate {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_configuration_bytes<T>(tree) + jacobian_bytes<Dual<T>>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Dual<T>* moving =
            moving_configuration(tree, arguments.in[0], arguments.in[1], arguments.scratch);
        T* out = arguments.out;
        for (int k = 0; k < 6 * tree.nv; ++k) out[k] = T(0.0);
        jacobian(tree, arguments.frame, arguments.reference, moving, arguments.scratch,
                 [&](int k, const Motion<Dual<T>>& column) {
                     store_column(tree.nv, k, rate_of(column), out);
                 });
    }
};

TARSUS_KERNEL(frame_jacobian, FrameJacobian);
TARSUS_KERNEL(frame_jacobian_rate, FrameJacobianRate);

}  // namespace tarsus::TARSUS_ISA
