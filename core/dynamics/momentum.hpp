// Velocities of the bodies in world axes and the momentum that they carry.
#pragma once

#include "dynamics/composite.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
size_t momentum_bytes(const Tree& tree) {
    return spanning_bytes<T>(tree) + aligned_bytes<T>(tree) +
           bytes_of<Motion<T>>(tree.n_bodies + 1);
}

// velocity of each body's origin and its angular velocity; the world first
template <class T>
TARSUS_INLINE const Motion<T>* aligned_velocities(const Tree& tree, const AlignedTree<T>& world,
                                                  const T* v, Scratch& scratch) {
    Motion<T>* velocity = scratch.take<Motion<T>>(tree.n_bodies + 1);
    velocity[0] = zero_motion<T>();
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const Motion<T>& parent = velocity[link.parent + 1];
        Motion<T> me{cross_add(parent.angular, world.body[i + 1].r, parent.linear), parent.angular};
        for (int k = link.v; k < link.v + link.nv; ++k) {
            me.linear = mul_add(world.S[k].linear, v[k], me.linear);
            me.angular = mul_add(world.S[k].angular, v[k], me.angular);
        }
        velocity[i + 1] = me;
    }
    return velocity;
}

// momentum of a body about its own origin, in world axes
template <class T>
TARSUS_INLINE Force<T> body_momentum(const Link& link, const Mat3<T>& axes, const Motion<T>& v) {
    const Motion<T> local{transposed_times(axes, v.linear), transposed_times(axes, v.angular)};
    const Force<T> momentum = inertia_of(link) * local;
    return {axes * momentum.linear, axes * momentum.angular};
}

// momentum of the whole mechanism about its centre of mass
template <class T>
TARSUS_INLINE Force<T> total_momentum(const Tree& tree, const Arguments<T>& arguments) {
    const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
    const AlignedTree<T> world = align(tree, joints.q, arguments.scratch);
    const Motion<T>* v = aligned_velocities(tree, world, joints.v, arguments.scratch);
    const Vec3<T> center = first_moment(tree, world) * T(1.0 / tree.total_mass);
    Force<T> sum{zero_vector<T>(), zero_vector<T>()};
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Pose<T>& pose = world.body[i + 1].pose;
        const Force<T> momentum = body_momentum(tree.links[i], pose.rotation, v[i + 1]);
        sum.linear += momentum.linear;
        sum.angular += cross_add(pose.position - center, momentum.linear, momentum.angular);
    }
    return sum;
}

}  // namespace tarsus::TARSUS_ISA
