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
TARSUS_INLINE void newton_euler(const Tree& tree, const JointState<T>& joints, const T* external,
                                const Angle<T>* angles, NewtonEulerBody<T>* body, T* tau,
                                const Force<T>* internal = nullptr) {
    const T *q = joints.q, *v = joints.v, *a = joints.a;
    body[0] = world_at_rest<T>(tree);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const auto X = Joint::transform(at);
            const auto S = Joint::subspace(at);
            const NewtonEulerBody<T>& parent = body[link.parent + 1];
            NewtonEulerBody<T>& me = body[i + 1];
            const Inertia<double> inertia = inertia_of(link);

            Motion<T> acceleration = X.to_child(parent.a);
            if (a) acceleration = S.add(acceleration, a + link.v);
            if (v) {
                me.v = S.add(X.to_child(parent.v), v + link.v);
                acceleration = acceleration + S.cross(me.v, v + link.v);
                if constexpr (!Joint::kConstantSubspace) {
                    acceleration = acceleration + Joint::bias(at, v + link.v);
                }
            }
            me.a = acceleration;
            me.f = inertia * acceleration;
            if (v) me.f = me.f + cross(me.v, inertia * me.v);
            if (external) me.f = me.f - wrench_in_core(tree, i, external);
            if (internal) me.f = me.f - internal[i];
        });
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const Force<T>& f = body[i + 1].f;
            if (tau) {
                Joint::subspace(at).project(f, tau + link.v);
                for (int k = link.v; a && k < link.v + Joint::nv; ++k) {
                    tau[k] = mul_add(T(tree.armature[k]), a[k], tau[k]);
                }
            }
            if (link.parent >= 0) {
                Force<T>& parent = body[link.parent + 1].f;
                parent = parent + Joint::transform(at).to_parent(f);
            }
        });
    }
}

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
