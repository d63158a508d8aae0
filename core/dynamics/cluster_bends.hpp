// How the motions of a cluster's bodies change with its own coordinates.
//
// For each own velocity g of a cluster, and each of its bodies: the rates of the body's columns
// along g ("bends"), and, for a given motion, the rates along g of the body's velocity and
// acceleration relative to the cluster's parent. All in world axes about the common point, with the
// parent held. They come from dual numbers that move along g, for whatever couplings, loops and
// changing subspaces the cluster has.
#pragma once

#include "dynamics/moving_tree.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ClusterBends {
    Motion<T>* bend;  // for each body from its Step::bend: nv × nv, [g][f] of column f along g
    T* matrix;        // rates of G along each own velocity, from Cluster::matrix_rates
    // where a motion was asked for: rates along g of a body's velocity and acceleration, for each
    // column; and from the Step::bend of a cluster's first body how the force of armatures on own
    // velocity e depends on a step along g, and on the velocity g
    Motion<T>*velocity, *acceleration;
    T *armature_q, *armature_v;
};

// The motion: users' velocities and accelerations, or null.
template <class T>
struct UsersMotion {
    const T *v, *a;
};

template <class T>
size_t bend_bytes(const Tree& tree, bool moves);
template <class T>
ClusterBends<T> bend_clusters(const Tree& tree, const T* table, const MovingTree<T>& moving,
                              const UsersMotion<T>& motion, Scratch& scratch);

// whether the columns of a body change as its cluster moves: that of a hinge does not
TARSUS_INLINE bool bends(const Step& step) { return step.nv > 1 || step.bend >= 0; }

// own velocities of any cluster
TARSUS_INLINE int most_velocities(const Tree& tree) {
    return tree.most.free > kMostVelocities ? tree.most.free : kMostVelocities;
}

// the rate of column f of a body along g
template <class T>
TARSUS_INLINE Motion<T> bend_of(const Step& step, const MovingTree<T>& moving,
                                const ClusterBends<T>& bends, int f, int g) {
    if (step.bend >= 0) return bends.bend[step.bend + g * step.nv + f];
    return cross(moving.S[step.column + g], moving.S[step.column + f]);
}

}  // namespace tarsus::TARSUS_ISA
