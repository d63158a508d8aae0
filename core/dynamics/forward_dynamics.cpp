// The articulated-body algorithm (Featherstone 1983; 2008, table 7.1) over clusters: accelerations
// in O(n).
//
//   outwards   velocities, velocity-product accelerations c, bias forces p
//   inwards    articulated inertias I and bias forces p, seen through each cluster
//   outwards   accelerations
#include "dynamics/articulated_constraints.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct ForwardDynamics {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
               bytes_of<ArticulatedBody<T>>(tree.n_bodies + 1) +
               bytes_of<ArticulatedDof<T>>(tree.joint_nv) + ArticulatedCluster<T>::bytes(tree) +
               ArticulatedConstraints<T>::bytes(tree);
    }

    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        const T *q = joints.q, *tau = arguments.in[2];
        Angle<T>* angles = arguments.scratch.template take<Angle<T>>(tree.n_angles);
        auto* body = arguments.scratch.template take<ArticulatedBody<T>>(tree.n_bodies + 1);
        auto* dof = arguments.scratch.template take<ArticulatedDof<T>>(tree.joint_nv);
        ArticulatedCluster<T> coupled(tree, joints, angles, body, dof, arguments.scratch);
        // where a symmetric rotor points matters only for wrenches on it
        const auto& listed = arguments.in[3] ? tree.all_angles : tree.passed_angles;
        read_angles(tree, listed.data(), int(listed.size()), q, angles);
        body[0].v = zero_motion<T>();
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            if (link.spinning) continue;
            visit(link.kind, [&](auto joint) {
                velocities(joint, tree, i, state_at(link, q, angles), joints, arguments.in[3],
                           body);
            });
        }
        if (!tree.spins.empty()) coupled.spin(arguments.in[3]);
        for (int i = tree.n_bodies - 1; i >= 0; --i) {
            const Link& link = tree.links[i];
            if (link.own < 0) {
                i = coupled.inertias(i, tau);
                continue;
            }
            visit(link.kind, [&](auto joint) {
                inertias(joint, tree, i, state_at(link, q, angles), tau + link.own, body,
                         dof + link.v);
            });
        }
        ArticulatedConstraints<T> constraints(tree, joints, angles, body, dof, coupled,
                                              arguments.scratch);
        constraints.keep_velocities();
        // loops outside the clusters need the accelerations without them first
        for (int pass = tree.n_constraints ? 0 : 1; pass < 2; ++pass) {
            body[0].v = world_at_rest<T>(tree).a;
            for (int i = 0; i < tree.n_bodies; ++i) {
                const Link& link = tree.links[i];
                if (link.own < 0) {
                    i = coupled.accelerations(i, arguments.out);
                    continue;
                }
                visit(link.kind, [&](auto joint) {
                    accelerations(joint, i, state_at(link, q, angles), body, dof + link.v,
                                  arguments.out + link.own);
                });
            }
            if (pass == 0) constraints.apply();
        }
    }
};

TARSUS_KERNEL(forward_dynamics, ForwardDynamics);

}  // namespace tarsus::TARSUS_ISA
