// Moves in the plane z = 0 of a joint's frame, for joints whose coordinates begin [x, y, heading].
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

// exp of SE(2) without a step sideways: out := q after an arc of this length that turns by `turn`
template <class T>
TARSUS_INLINE void follow_arc(const T* q, const T& length, const T& turn, T* out) {
    const T zero(0.0);
    const Vec3<T> moved = translation_of_twist(Vec3<T>{length, zero, zero}, {zero, zero, turn});
    const Angle<T> at = sincos_of(q[2]);
    const Vec3<T> step = RotationZ<T>{at.cosine, at.sine}.out(moved);
    out[0] = q[0] + step.x, out[1] = q[1] + step.y, out[2] = q[2] + turn;
}

// an angle less whole turns, within ±π
template <class T>
TARSUS_INLINE T shortest_turn(const T& turn) {
    const T shifter(6755399441055744.0);  // adding 1.5·2⁵² rounds to an integer
    const T turns = mul_add(turn, T(0.5 / kHalfTurn), shifter) - shifter;
    return neg_mul_add(turns, T(2 * kHalfTurn), turn);
}

inline void sample_place(const double* u, const double* lower, const double* upper, double* out) {
    for (int k = 0; k < 2; ++k) out[k] = sample_between(u[k], lower[k], upper[k], 1.0);
    out[2] = sample_between(u[2], lower[2], upper[2], kHalfTurn);
}

}  // namespace tarsus::TARSUS_ISA
