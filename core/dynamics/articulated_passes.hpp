// The three passes of the articulated-body algorithm (Featherstone 1983; 2008, table 7.1) over all
// clusters:
//
//   outwards   velocities, velocity-product accelerations c, bias forces p
//   inwards    articulated inertias I and bias forces p, seen through each cluster
//   outwards   accelerations
#pragma once

#include "dynamics/articulated_cluster.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ArticulatedPasses {
    const Tree& tree;
    const JointState<T>& joints;
    const Loads<T> loads;
    Angle<T>* angles;
    ArticulatedBody<T>* body;  // the world first
    ArticulatedDof<T>* dof;
    ArticulatedCluster<T> coupled;

    TARSUS_INLINE ArticulatedPasses(const Tree& t, const JointState<T>& j, const Loads<T>& l,
                                    Scratch& scratch)
        : tree(t),
          joints(j),
          loads(with_inertias(t, l, scratch)),
          angles(scratch.take<Angle<T>>(t.n_angles)),
          body(scratch.take<ArticulatedBody<T>>(t.n_bodies + 1)),
          dof(scratch.take<ArticulatedDof<T>>(t.joint_nv)),
          coupled(t, joints, angles, loads, body, dof, scratch) {}

    static size_t bytes(const Tree& tree) {
        return bytes_of<Articulated<T>>(tree.n_bodies) + bytes_of<Angle<T>>(tree.n_angles) +
               bytes_of<ArticulatedBody<T>>(tree.n_bodies + 1) +
               bytes_of<ArticulatedDof<T>>(tree.joint_nv) + ArticulatedCluster<T>::bytes(tree);
    }

    TARSUS_INLINE At<T> at(const Link& link) const { return state_at(link, joints.q, angles); }

    TARSUS_INLINE void velocities(const T* external) {
        // where a symmetric rotor points matters only for wrenches on it
        const auto& listed = external ? tree.all_angles : tree.passed_angles;
        read_angles(tree, listed.data(), int(listed.size()), joints.q, angles);
        body[0].v = zero_motion<T>();
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            if (link.spinning) continue;
            visit(link.kind, [&](auto joint) {
                tarsus::TARSUS_ISA::velocities(joint, tree, i, at(link), joints, external, loads,
                                               body);
            });
        }
        if (!tree.spins.empty()) coupled.spin(external);
    }

    TARSUS_INLINE void inertias(const T* tau) {
        for (int i = tree.n_bodies - 1; i >= 0; --i) {
            const Link& link = tree.links[i];
            if (link.own < 0) {
                i = coupled.inertias(i, tau);
                continue;
            }
            visit(link.kind, [&](auto joint) {
                tarsus::TARSUS_ISA::inertias(joint, tree, i, at(link), tau + link.own, loads, body,
                                             dof + link.v);
            });
        }
    }

    // given the acceleration of the world
    TARSUS_INLINE void accelerations(const Motion<T>& world, T* out) {
        body[0].v = world;
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            if (link.own < 0) {
                i = coupled.accelerations(i, out);
                continue;
            }
            visit(link.kind, [&](auto joint) {
                tarsus::TARSUS_ISA::accelerations(joint, i, at(link), body, dof + link.v,
                                                  out + link.own);
            });
        }
    }
};

}  // namespace tarsus::TARSUS_ISA
