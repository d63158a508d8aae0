// Poses of all bodies in the world, as 4×4 matrices, outwards along the tree.
#include "dynamics/run.hpp"
#include "dynamics/spanning.hpp"
#include "spatial/pose_rows.hpp"

namespace tarsus::TARSUS_ISA {

struct ForwardKinematics {
    static constexpr bool kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
               bytes_of<Pose<T>>(tree.n_bodies + 1);
    }

    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T* q = span<T>(tree, arguments, nullptr, nullptr).q;
        Angle<T>* angles = arguments.scratch.template take<Angle<T>>(tree.n_angles);
        Pose<T>* pose = arguments.scratch.template take<Pose<T>>(tree.n_bodies + 1);
        read_angles(tree, q, angles);
        pose[0] = {identity_matrix<T>(), zero_vector<T>()};
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            visit(link.kind, [&](auto joint) {
                const auto X = decltype(joint)::transform(state_at(link, q, angles));
                pose[i + 1] = X.pose_from(pose[link.parent + 1]);
            });
            const Pose<T>& core = pose[i + 1];
            user_axes(tree, i).visit([&](auto axes) {
                store_pose(Pose<T>{axes.behind(core.rotation), core.position}, 16 * i,
                           arguments.rows);
            });
        }
    }
};

// One state composes matrix rows.
template <>
inline void ForwardKinematics::run<double>(const Tree& tree, const Arguments<double>& arguments) {
    const double* q = span<double>(tree, arguments, nullptr, nullptr).q;
    Angle<double>* angles = arguments.scratch.take<Angle<double>>(tree.n_angles);
    PoseRows* pose = arguments.scratch.take<PoseRows>(tree.n_bodies + 1);
    read_angles(tree, q, angles);
    pose[0] = world_rows();
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            const auto X = decltype(joint)::transform(state_at(link, q, angles));
            const PoseRows& parent = pose[link.parent + 1];
            pose[i + 1] =
                turned_by(X.rotation, placed_on(parent, link.turn, tree.placement_rows[i], X.p));
        });
        store(with_axes(pose[i + 1], tree.body_axes[i].turn, tree.axes_rows[i]),
              arguments.out + 16 * i);
    }
}

TARSUS_KERNEL(forward_kinematics, ForwardKinematics);

}  // namespace tarsus::TARSUS_ISA
