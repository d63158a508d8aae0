// Forces on bodies at a moment of a smooth motion, from where bodies are and how they move to
// generalised forces: those who push add to `force` and `on_joints` between the two passes.
#pragma once

#include "dynamics/articulated_constraints.hpp"
#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct BodyForces {
    const Tree& tree;
    JointState<T> joints;
    Angle<T>* angles;
    Pose<T>* pose;      // the world first
    Motion<T>* motion;  // in body frames
    Force<T>* force;    // on each body, in its frame
    T* on_joints;       // along all joints

    BodyForces(const Tree& t, const T* table, const T* q, const T* v, Scratch& scratch)
        : BodyForces(t,
                     t.coupled
                         ? span_coupled(t, table, q, v, static_cast<const T*>(nullptr), scratch)
                         : JointState<T>{q, v, nullptr, nullptr},
                     scratch) {}
    // of joints whose state is known
    BodyForces(const Tree& t, const JointState<T>& j, Scratch& scratch)
        : tree(t),
          joints(j),
          angles(scratch.take<Angle<T>>(t.n_angles)),
          pose(scratch.take<Pose<T>>(t.n_bodies + 1)),
          motion(scratch.take<Motion<T>>(t.n_bodies + 1)),
          force(scratch.take<Force<T>>(t.n_bodies + 1)),
          on_joints(scratch.take<T>(t.joint_nv)) {}

    // of joints whose state is known; others take spanning_bytes more
    static size_t bytes(const Tree& t) {
        return bytes_of<Angle<T>>(t.n_angles) + bytes_of<Pose<T>>(t.n_bodies + 1) +
               bytes_of<Motion<T>>(t.n_bodies + 1) + bytes_of<Force<T>>(t.n_bodies + 1) +
               bytes_of<T>(t.joint_nv);
    }

    TARSUS_FLATTEN void outwards() {
        read_angles(tree, joints.q, angles);
        pose[0] = {identity_matrix<T>(), zero_vector<T>()};
        motion[0] = zero_motion<T>();
        for (int i = 0; i <= tree.n_bodies; ++i) force[i] = {zero_vector<T>(), zero_vector<T>()};
        for (int k = 0; k < tree.joint_nv; ++k) on_joints[k] = T(0.0);
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            visit(link.kind, [&](auto joint) {
                using Joint = decltype(joint);
                const At<T> at = state_at(link, joints.q, angles);
                const auto X = Joint::transform(at);
                pose[i + 1] = X.pose_from(pose[link.parent + 1]);
                motion[i + 1] =
                    Joint::subspace(at).add(X.to_child(motion[link.parent + 1]), joints.v + link.v);
            });
        }
    }
    TARSUS_FLATTEN void inwards(T* tau) {
        for (int i = tree.n_bodies - 1; i >= 0; --i) {
            const Link& link = tree.links[i];
            visit(link.kind, [&](auto joint) {
                using Joint = decltype(joint);
                const At<T> at = state_at(link, joints.q, angles);
                T along[Joint::nv];
                Joint::subspace(at).project(force[i + 1], along);
                for (int k = 0; k < Joint::nv; ++k) on_joints[link.v + k] += along[k];
                Force<T>& parent = force[link.parent + 1];
                parent = parent + Joint::transform(at).to_parent(force[i + 1]);
            });
        }
        gather_forces(tree, joints.G, on_joints, tau);
    }
};

}  // namespace tarsus::TARSUS_ISA
