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

    void velocities(const T* external);
    template <bool hybrid = false>
    void inertias(const T* tau);
    // given the acceleration of the world
    void accelerations(const Motion<T>& world, T* out);
};

}  // namespace tarsus::TARSUS_ISA
