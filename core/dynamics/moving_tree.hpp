// The mechanism in motion, in world axes about one point, with a column of motion for each of the
// users' velocities.
//
// The point is where the root body's origin is at the moment; it does not move. Seen from one point
// the bodies' motions, forces and inertias simply add up, so that walking down a branch costs
// nothing but the products themselves. Taking the root's origin instead of the world's keeps the
// precision of robots that are far away.
//
// In a coupled cluster each body has columns of its own, one for each of the cluster's velocities:
// S_b = Σ G S over the joints between the cluster's parent and the body b.
#pragma once

#include "dynamics/spanning.hpp"
#include "joints/subspace_rate.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct MovingBody {
    Mat3<T> axes;
    Vec3<T> p;    // its origin, from the common point
    Motion<T> v;  // not set without velocities
};

template <class T>
struct MovingTree {
    MovingBody<T>* body;    // the world first
    Motion<T>*S, *dS;       // columns (see Step) and their rates; before them those of all joints
    JointState<T> joints;   // without accelerations
    const Dual<T>* matrix;  // with their rates, the matrices of coupled clusters
    const Angle<T>* angles;
    Vec3<T>* point;  // for each body the common point, in the world; null without constraints
};

template <class T>
TARSUS_INLINE size_t moving_tree_bytes(const Tree& tree) {
    return (tree.coupled ? moving_bytes<T>(tree) : 0) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<MovingBody<T>>(tree.n_bodies + 1) + 2 * bytes_of<Motion<T>>(tree.n_columns) +
           (tree.n_constraints > 0 ? bytes_of<Vec3<T>>(tree.n_bodies + 1) : 0);
}

// a motion or force in a body's own axes at its origin, in world axes about the common point
template <class T>
TARSUS_INLINE Motion<T> about_point(const MovingBody<T>& body, const Motion<T>& m) {
    const Vec3<T> turning = body.axes * m.angular;
    return {cross_add(body.p, turning, body.axes * m.linear), turning};
}
template <class T>
TARSUS_INLINE Force<T> about_point(const MovingBody<T>& body, const Force<T>& f) {
    const Vec3<T> force = body.axes * f.linear;
    return {force, cross_add(body.p, force, body.axes * f.angular)};
}
template <class T>
TARSUS_INLINE Inertia<T> inertia_about_point(const MovingBody<T>& body, const Link& link) {
    return shift(rotate(body.axes, inertia_of(link)), body.p);
}

// v may be null: then there are no velocities and no rates
template <class T>
MovingTree<T> move(const Tree& tree, const Arguments<T>& arguments, const T* v);

}  // namespace tarsus::TARSUS_ISA
