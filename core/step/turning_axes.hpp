// Joints whose linear velocity is stated in axes that turn with the child: free and planar ones.
//
// Stepping such numbers by their rates would make a spinning body that flies straight spiral
// outwards. Inside a step they are seen in the axes of its start: a body that nothing pushes keeps
// them, moves along a line, and in the end they are expressed in the new axes.
#pragma once

#include "dynamics/configuration.hpp"

namespace tarsus::TARSUS_ISA {

// a rate in turning axes → a rate in the axes of the start: + ω × v, or + ½ (ω × v⁺ + ω⁺ × v) where
// velocities are multiplied with `later` ones
template <class T>
TARSUS_INLINE void add_turning(const Tree& tree, const T* v, const T* later, const T& dt, T* next) {
    for (const Link& link : tree.links) {
        if (link.own < 0) continue;
        const T *now = v + link.own, *end = later + link.own;
        T* to = next + link.own;
        if (link.kind == Kind::free) {
            const Vec3<T> linear{now[0], now[1], now[2]}, turning{now[3], now[4], now[5]};
            const Vec3<T> moving{end[0], end[1], end[2]}, spinning{end[3], end[4], end[5]};
            const Vec3<T> turned = (cross(turning, moving) + cross(spinning, linear)) * T(0.5);
            to[0] = mul_add(dt, turned.x, to[0]), to[1] = mul_add(dt, turned.y, to[1]);
            to[2] = mul_add(dt, turned.z, to[2]);
        } else if (link.kind == Kind::planar) {
            const T half = T(0.5) * dt;
            to[0] = neg_mul_add(half, now[2] * end[1] + end[2] * now[1], to[0]);
            to[1] = mul_add(half, now[2] * end[0] + end[2] * now[0], to[1]);
        }
    }
}

// Corrects a configuration that was reached from q by a step dv: straight instead of along a screw;
// then expresses the velocities v in the axes that they have turned to.
template <class T>
TARSUS_INLINE void turn_axes(const Tree& tree, const T* q, const T* dv, T* reached, T* v) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (link.own < 0) continue;
        const T *from = q + tree.user_q[i], *step = dv + link.own;
        T *to = reached + tree.user_q[i], *x = v + link.own;
        if (link.kind == Kind::free) {
            const Mat3<T> axes = rotation_of(quaternion_at(from + 3));
            const Vec3<T> way = axes * Vec3<T>{step[0], step[1], step[2]};
            to[0] = from[0] + way.x, to[1] = from[1] + way.y, to[2] = from[2] + way.z;
            const Mat3<T> turn = rotation_of(exponential(Vec3<T>{step[3], step[4], step[5]}));
            const Vec3<T> seen = transposed_times(turn, Vec3<T>{x[0], x[1], x[2]});
            x[0] = seen.x, x[1] = seen.y, x[2] = seen.z;
        } else if (link.kind == Kind::planar) {
            const Angle<T> at = sincos_of(from[2]), turn = sincos_of(step[2]);
            to[0] = from[0] + neg_mul_add(at.sine, step[1], at.cosine * step[0]);
            to[1] = from[1] + mul_add(at.sine, step[0], at.cosine * step[1]);
            const T first = x[0], second = x[1];
            x[0] = mul_add(turn.sine, second, turn.cosine * first);
            x[1] = neg_mul_add(turn.sine, first, turn.cosine * second);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
