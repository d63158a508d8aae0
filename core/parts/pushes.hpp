// Parts that push without coordinates: a wrench on a body, and a field on all of them.
#pragma once

#include "dynamics/loop_rows.hpp"
#include "parts/part.hpp"

namespace tarsus::TARSUS_ISA {

// 1 where a part is on; its own numbers
template <class T>
TARSUS_INLINE T is_on(const T* numbers) {
    return select(numbers[Part::kOn] > T(0.0), T(1.0), T(0.0));
}

// force and moment of a wrench at the place b, in axes of the world; law: the numbers of its law
template <class T>
TARSUS_INLINE Force<T> wrench_at(const Part& part, const T* law, const T& on, const Pose<T>& b) {
    Vec3<T> force{law[0], law[1], law[2]}, moment{law[3], law[4], law[5]};
    if (part.law == PartLaw::local_wrench) force = b.rotation * force, moment = b.rotation * moment;
    return {force * on, moment * on};
}

// acceleration of a field of gravity at a point, and its potential there
template <class T>
struct Field {
    Vec3<T> acceleration;
    T potential;
};
template <class T>
TARSUS_INLINE Field<T> field_at(const T* law, const T& on, const Vec3<T>& x) {
    const Vec3<T> g{law[0], law[1], law[2]}, to{law[3] - x.x, law[4] - x.y, law[5] - x.z};
    const T square = dot(to, to);
    const T away = select(square > T(0.0), square, T(1.0)), length = square_root(away);
    const T pull = law[6] / (away * length);
    return {mul_add(to, pull, g) * on, -(dot(g, x) + law[6] / length) * on};
}

// the centre of mass of what is carried with this inertia
TARSUS_INLINE Vec3<double> centre_of(const Inertia<double>& I) {
    return I.first * (I.mass > 0 ? 1 / I.mass : 0.0);
}

}  // namespace tarsus::TARSUS_ISA
