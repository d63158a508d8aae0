// The recursive Newton–Euler algorithm (Luh, Walker & Paul 1980; Featherstone 2008, table 5.1):
// velocities and accelerations outwards, forces inwards.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct NewtonEulerBody {
    Motion<T> v, a;
    Force<T> f;
};

// wrench number `body` of an (n_bodies, 6) array in user axes, in core axes
template <class T>
TARSUS_INLINE Force<T> wrench_in_core(const Tree& tree, int body, const T* wrenches) {
    const T* w = wrenches + 6 * body;
    const Vec3<T> force{w[0], w[1], w[2]}, moment{w[3], w[4], w[5]};
    return user_axes(tree, body).visit([&](auto axes) -> Force<T> {
        return {axes.out(force), axes.out(moment)};
    });
}

template <class T>
TARSUS_INLINE void store_wrench(const Tree& tree, int body, const Force<T>& f, T* wrenches) {
    T* w = wrenches + 6 * body;
    user_axes(tree, body).visit([&](auto axes) {
        const Vec3<T> force = axes.in(f.linear), moment = axes.in(f.angular);
        w[0] = force.x, w[1] = force.y, w[2] = force.z;
        w[3] = moment.x, w[4] = moment.y, w[5] = moment.z;
    });
}

template <class T>
TARSUS_INLINE NewtonEulerBody<T> world_at_rest(const Tree& tree) {
    // gravity enters as an upward acceleration of the world
    const Vec3<T> up{T(-tree.gravity[0]), T(-tree.gravity[1]), T(-tree.gravity[2])};
    return {zero_motion<T>(), {up, zero_vector<T>()}, {zero_vector<T>(), zero_vector<T>()}};
}

// Velocities, accelerations and external may be null for zero. body has n_bodies + 1 entries, the
// world first. internal are forces of loops in the core's body frames, or null. tau receives the
// forces on all joints, or is null where only body forces are wanted.
template <class T>
void newton_euler(const Tree& tree, const JointState<T>& joints, const T* external,
                  const Angle<T>* angles, NewtonEulerBody<T>* body, T* tau,
                  const Force<T>* internal = nullptr);

template <class T>
size_t newton_euler_bytes(const Tree& tree) {
    return spanning_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<NewtonEulerBody<T>>(tree.n_bodies + 1) + bytes_of<T>(tree.joint_nv);
}

// everything from memory to forces; returns the bodies
template <class T>
TARSUS_INLINE NewtonEulerBody<T>* newton_euler(const Tree& tree, const Arguments<T>& arguments,
                                               const T* v, const T* a, const T* external, T* tau) {
    Angle<T>* angles = arguments.scratch.template take<Angle<T>>(tree.n_angles);
    auto* body = arguments.scratch.template take<NewtonEulerBody<T>>(tree.n_bodies + 1);
    const JointState<T> joints = span(tree, arguments, v, a);
    read_angles(tree, joints.q, angles);
    if (!tree.coupled || !tau) {
        newton_euler(tree, joints, external, angles, body, tau);
        return body;
    }
    T* forces = arguments.scratch.template take<T>(tree.joint_nv);
    newton_euler(tree, joints, external, angles, body, forces);
    gather_forces(tree, joints.G, forces, tau);
    return body;
}

}  // namespace tarsus::TARSUS_ISA
