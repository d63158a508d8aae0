// Unit quaternions [x y z w] and the exponential maps of SO(3) and SE(3).
//
// Rotations are read with the scale 2/|q|², so a quaternion that has drifted from unit length
// still gives an exactly orthogonal rotation. Formulas: Solà, Deray & Atchuthan, A micro Lie
// theory for state estimation in robotics (2018).
#pragma once

#include "spatial/vector.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Quaternion {
    Vec3<T> u;
    T w;
};

template <class T>
TARSUS_INLINE Quaternion<T> quaternion_at(const T* q) {
    return {{q[0], q[1], q[2]}, q[3]};
}
template <class T>
TARSUS_INLINE void store(const Quaternion<T>& q, T* out) {
    out[0] = q.u.x, out[1] = q.u.y, out[2] = q.u.z, out[3] = q.w;
}
template <class T>
TARSUS_INLINE Quaternion<T> operator*(const Quaternion<T>& a, const Quaternion<T>& b) {
    return {cross_add(a.u, b.u, mul_add(b.u, a.w, a.u * b.w)), a.w * b.w - dot(a.u, b.u)};
}
template <class T>
TARSUS_INLINE Quaternion<T> conjugate(const Quaternion<T>& q) {
    return {-q.u, q.w};
}
// |q|²; where it overflows not a number, as nothing is known about such a rotation
template <class T>
TARSUS_INLINE T squared_length(const Quaternion<T>& q) {
    const T square = mul_add(q.w, q.w, dot(q.u, q.u));
    return mul_add(square, T(0.0), square);
}
template <class T>
TARSUS_INLINE Quaternion<T> normalized(const Quaternion<T>& q) {
    const T scale = T(1.0) / square_root(squared_length(q));
    return {q.u * scale, q.w * scale};
}

template <class T>
TARSUS_INLINE Mat3<T> rotation_of(const Quaternion<T>& q) {
    const T s = T(2.0) / squared_length(q);
    const Vec3<T> d = q.u * s;
    const T xx = q.u.x * d.x, yy = q.u.y * d.y, zz = q.u.z * d.z;
    const T xy = q.u.x * d.y, xz = q.u.x * d.z, yz = q.u.y * d.z;
    const T wx = q.w * d.x, wy = q.w * d.y, wz = q.w * d.z;
    const T one(1.0);
    return {{one - (yy + zz), xy + wz, xz - wy},
            {xy - wz, one - (xx + zz), yz + wx},
            {xz + wy, yz - wx, one - (xx + yy)}};
}

// exp: rotation vector to quaternion. sin(|a|/2)/|a| by its series where |a| is small.
template <class T>
TARSUS_INLINE Quaternion<T> exponential(const Vec3<T>& a) {
    const T square = dot(a, a);
    const T angle = square_root(square);
    const Angle<T> half = sincos_of(angle * T(0.5));
    const T series = mul_add(square, mul_add(square, T(1.0 / 3840), T(-1.0 / 48)), T(0.5));
    return {a * select(square < T(1e-5), series, half.sine / angle), half.cosine};
}

// log: the shortest rotation vector, |a| ≤ π
template <class T>
TARSUS_INLINE Vec3<T> logarithm(const Quaternion<T>& quaternion) {
    const Quaternion<T> q = normalized(quaternion);
    const T sign = select(q.w < T(0.0), T(-1.0), T(1.0));
    const Vec3<T> u = q.u * sign;
    const T w = q.w * sign;
    const T square = dot(u, u);
    const T sine = square_root(square);
    const T half = arctangent(sine, w);
    // asin(s)/s = 1 + s²/6 + 3 s⁴/40 near the identity
    const T series = mul_add(square, mul_add(square, T(3.0 / 20), T(1.0 / 3)), T(2.0));
    return u * select(square < T(1e-5), series, T(2.0) * half / sine);
}

// V of SE(3): exp([v, a]) translates by V v = v + β a × v + γ a × (a × v)
template <class T>
TARSUS_INLINE Vec3<T> translation_of_twist(const Vec3<T>& v, const Vec3<T>& a) {
    const T square = dot(a, a);
    const T angle = square_root(square);
    const Angle<T> at = sincos_of(angle);
    const auto small = square < T(1e-4);
    const T beta =
        select(small, mul_add(square, mul_add(square, T(1.0 / 720), T(-1.0 / 24)), T(0.5)),
               (T(1.0) - at.cosine) / square);
    const T gamma =
        select(small, mul_add(square, mul_add(square, T(1.0 / 5040), T(-1.0 / 120)), T(1.0 / 6)),
               (angle - at.sine) / (square * angle));
    const Vec3<T> av = cross(a, v);
    return mul_add(cross(a, av), gamma, mul_add(av, beta, v));
}

// V⁻¹: the linear part of the twist that translates by p while it turns by a, |a| ≤ π
template <class T>
TARSUS_INLINE Vec3<T> twist_of_translation(const Vec3<T>& p, const Vec3<T>& a) {
    const T square = dot(a, a);
    const T half = square_root(square) * T(0.5);
    const Angle<T> at = sincos_of(half);
    const T series = mul_add(square, mul_add(square, T(1.0 / 30240), T(1.0 / 720)), T(1.0 / 12));
    const T gamma =
        select(square < T(1e-4), series, (T(1.0) - half * at.cosine / at.sine) / square);
    const Vec3<T> ap = cross(a, p);
    return mul_add(cross(a, ap), gamma, mul_add(ap, T(-0.5), p));
}

}  // namespace tarsus::TARSUS_ISA
