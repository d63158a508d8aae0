// The Jacobian of one frame (6 × nv, linear rows first) and its rate.
#include "dynamics/frame_path.hpp"
#include "dynamics/rate.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
size_t jacobian_bytes(const Tree& tree) {
    return frame_path_bytes<T>(tree) + bytes_of<Pose<T>>(tree.n_bodies) +
           bytes_of<Motion<T>>(tree.most.free);
}

// put(k, column) receives the columns that are not zero, in ascending order
template <class T, class Put>
TARSUS_INLINE void jacobian(const Tree& tree, int frame, Reference reference,
                            const JointState<T>& joints, Scratch& scratch, Put&& put) {
    const T* q = joints.q;
    const FramePath<T> path = path_to(tree, frame, q, scratch);
    Pose<T>* pose = scratch.take<Pose<T>>(tree.n_bodies);
    Motion<T>* sums = scratch.take<Motion<T>>(tree.most.free);
    Pose<T> last = world_pose<T>();
    int depth = 0;
    along(path, tree, q, [&](auto joint, const At<T>& at) {
        last = pose[depth++] = decltype(joint)::transform(at).pose_from(last);
    });
    const Pose<T> target = frame_from_body(tree, frame, last);
    for (depth = 0; depth < path.length; ++depth) {
        const int body = path.bodies[depth];
        const Link& link = tree.links[body];
        const Pose<T>& placed = pose[depth];
        Motion<T> S[kMostVelocities];
        visit(link.kind, [&](auto joint) {
            const At<T> at = state_at(link, q, path.angles);
            decltype(joint)::subspace(at).columns_in(placed.rotation, S);
        });
        // the motion of the point that coincides with the frame, or with the world's origin
        const Vec3<T> arm =
            reference == Reference::world ? -placed.position : target.position - placed.position;
        const Cluster* cluster = link.own < 0 ? &tree.clusters[tree.cluster_of[body]] : nullptr;
        for (int e = 0; cluster && link.parent == cluster->parent && e < cluster->nv; ++e) {
            sums[e] = zero_motion<T>();
        }
        for (int k = 0; k < link.nv; ++k) {
            Motion<T> column{cross_add(S[k].angular, arm, S[k].linear), S[k].angular};
            if (reference == Reference::local) {
                column = {transposed_times(target.rotation, column.linear),
                          transposed_times(target.rotation, column.angular)};
            }
            if (!cluster) put(link.own + k, column);
            for (int e = 0; cluster && e < cluster->nv; ++e) {
                const int row = link.v + k - cluster->w;
                const T& ratio = joints.G[cluster->matrix + row * cluster->nv + e];
                sums[e] = {mul_add(column.linear, ratio, sums[e].linear),
                           mul_add(column.angular, ratio, sums[e].angular)};
            }
        }
        const bool leaves =
            cluster && (depth + 1 == path.length ||
                        tree.cluster_of[path.bodies[depth + 1]] != tree.cluster_of[body]);
        for (int e = 0; leaves && e < cluster->nv; ++e) put(cluster->v + e, sums[e]);
    }
}

// Columns into the rows of a matrix with n columns. Lanes are gathered first, and neighbours stored
// four at a time.
template <class T>
class ColumnWriter {
   public:
    TARSUS_INLINE ColumnWriter(int n, Scratch& scratch, Rows<T>& rows)
        : n_(n), rows_(rows), column_(scratch.take<Motion<T>>(n)), index_(scratch.take<int>(n)) {}

    static constexpr size_t bytes(int n) { return bytes_of<Motion<T>>(n) + bytes_of<int>(n); }

    TARSUS_INLINE void put(int k, const Motion<T>& column) {
        if constexpr (std::is_same_v<T, double>) {
            for_each_row([&](int row, auto entry) { rows_.set(row * n_ + k, entry(column)); });
        } else {
            column_[count_] = column;
            index_[count_++] = k;
        }
    }
    TARSUS_INLINE void finish() {
        for_each_row([&](int row, auto entry) {
            for (int i = 0; i < count_;) {
                const int at = row * n_ + index_[i];
                const Motion<T>* c = column_ + i;
                if (i + 3 < count_ && index_[i + 3] == index_[i] + 3) {
                    rows_.set_four(at, {entry(c[0]), entry(c[1]), entry(c[2]), entry(c[3])});
                    i += 4;
                } else {
                    rows_.set(at, entry(c[0]));
                    i += 1;
                }
            }
        });
    }

   private:
    template <class F>
    static TARSUS_INLINE void for_each_row(F&& f) {
        f(0, [](const Motion<T>& c) { return c.linear.x; });
        f(1, [](const Motion<T>& c) { return c.linear.y; });
        f(2, [](const Motion<T>& c) { return c.linear.z; });
        f(3, [](const Motion<T>& c) { return c.angular.x; });
        f(4, [](const Motion<T>& c) { return c.angular.y; });
        f(5, [](const Motion<T>& c) { return c.angular.z; });
    }

    int n_, count_ = 0;
    Rows<T>& rows_;
    Motion<T>* column_;
    int* index_;
};

template <class T>
TARSUS_INLINE Motion<T> rate_of(const Motion<Dual<T>>& m) {
    return {{m.linear.x.rate, m.linear.y.rate, m.linear.z.rate},
            {m.angular.x.rate, m.angular.y.rate, m.angular.z.rate}};
}

struct FrameJacobian {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return jacobian_bytes<T>(tree) + ColumnWriter<T>::bytes(tree.nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        ColumnWriter<T> writer(tree.nv, arguments.scratch, arguments.rows);
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        jacobian(tree, arguments.frame, Reference(arguments.choice), joints, arguments.scratch,
                 [&](int k, const Motion<T>& column) { writer.put(k, column); });
        writer.finish();
    }
};

struct FrameJacobianRate {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_joints_bytes<T>(tree) + jacobian_bytes<Dual<T>>(tree) +
               ColumnWriter<T>::bytes(tree.nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<Dual<T>> moving = moving_joints(tree, arguments, arguments.in[1]);
        ColumnWriter<T> writer(tree.nv, arguments.scratch, arguments.rows);
        jacobian(tree, arguments.frame, Reference(arguments.choice), moving, arguments.scratch,
                 [&](int k, const Motion<Dual<T>>& column) { writer.put(k, rate_of(column)); });
        writer.finish();
    }
};

TARSUS_KERNEL(frame_jacobian, FrameJacobian);
TARSUS_KERNEL(frame_jacobian_rate, FrameJacobianRate);

}  // namespace tarsus::TARSUS_ISA
