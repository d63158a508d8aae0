// Bodies in world axes, each about its own origin.
//
// With all axes parallel to the world's, a transform between bodies is a mere shift by the offset
// r of their origins. Taking each body's own origin instead of one common origin keeps the
// precision of long chains and of robots far from the world's origin.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct AlignedBody {
    Pose<T> pose;
    Vec3<T> r;  // from the parent's origin
    Inertia<T> composite;
};

template <class T>
constexpr size_t aligned_bytes(const Tree& tree) {
    return bytes_of<Angle<T>>(tree.n_angles) + bytes_of<AlignedBody<T>>(tree.n_bodies + 1) +
           bytes_of<Motion<T>>(tree.joint_nv);
}

template <class T>
struct AlignedTree {
    AlignedBody<T>* body;  // the world first
    Motion<T>* S;          // the motion of each joint velocity, at its body's origin
};

// poses and motion subspaces, outwards
template <class T>
AlignedTree<T> align(const Tree& tree, const T* q, Scratch& scratch);

// inertia of each body together with all that it carries, inwards
template <class T>
TARSUS_INLINE void compose_inertias(const Tree& tree, const AlignedTree<T>& world) {
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        AlignedBody<T>& me = world.body[i + 1];
        const bool rotor = link.spinning && link.parent >= 0;
        const Inertia<double> body = rotor ? inertia_of(link) : inertia_of(tree.carried[i]);
        const Inertia<T> own = rotate(me.pose.rotation, body);
        me.composite = link.leaf ? own : own + me.composite;
        if (rotor) continue;
        Inertia<T>& parent = world.body[link.parent + 1].composite;
        const Inertia<T> felt = shift(me.composite, me.r);
        parent = link.last_sibling ? felt : parent + felt;
    }
}

// Σ m c over all bodies, in the world
template <class T>
TARSUS_INLINE Vec3<T> first_moment(const Tree& tree, const AlignedTree<T>& world) {
    Vec3<T> sum = zero_vector<T>();
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const Pose<T>& pose = world.body[i + 1].pose;
        sum += pose.rotation * vector_at(link.first) + pose.position * link.mass;
    }
    return sum;
}

}  // namespace tarsus::TARSUS_ISA
