// Motions (twists, accelerations), forces (wrenches, momenta) and rigid-body inertias.
//
// Linear part first. A body's inertia about its frame's origin is ten numbers: mass m, first
// moment h = m c, second moment J. Symbols follow Featherstone, Rigid Body Dynamics Algorithms.
#pragma once

#include "spatial/vector.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Motion {
    Vec3<T> linear, angular;
};

template <class T>
struct Force {
    Vec3<T> linear, angular;
};

template <class T>
TARSUS_INLINE Motion<T> zero_motion() {
    return {zero_vector<T>(), zero_vector<T>()};
}
template <class T>
TARSUS_INLINE Motion<T> operator+(const Motion<T>& a, const Motion<T>& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}
template <class T>
TARSUS_INLINE Force<T> operator+(const Force<T>& a, const Force<T>& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}
template <class T>
TARSUS_INLINE Force<T> operator-(const Force<T>& a, const Force<T>& b) {
    return {a.linear - b.linear, a.angular - b.angular};
}
template <class T>
TARSUS_INLINE Force<T> operator*(const Force<T>& a, const T& s) {
    return {a.linear * s, a.angular * s};
}
template <class T>
TARSUS_INLINE T dot(const Motion<T>& a, const Force<T>& b) {
    return dot(a.linear, b.linear) + dot(a.angular, b.angular);
}

template <class T>
TARSUS_INLINE Motion<T> operator-(const Motion<T>& a, const Motion<T>& b) {
    return {a.linear - b.linear, a.angular - b.angular};
}
// a s + b
template <class T>
TARSUS_INLINE Motion<T> mul_add(const Motion<T>& a, const T& s, const Motion<T>& b) {
    return {mul_add(a.linear, s, b.linear), mul_add(a.angular, s, b.angular)};
}
template <class T>
TARSUS_INLINE Force<T> mul_add(const Force<T>& a, const T& s, const Force<T>& b) {
    return {mul_add(a.linear, s, b.linear), mul_add(a.angular, s, b.angular)};
}

// v × m: how a motion fixed in a body that moves with v changes
template <class T>
TARSUS_INLINE Motion<T> cross(const Motion<T>& v, const Motion<T>& m) {
    return {cross_add(v.linear, m.angular, cross(v.angular, m.linear)),
            cross(v.angular, m.angular)};
}
// v ×* f: how a force fixed in a body that moves with v changes
template <class T>
TARSUS_INLINE Force<T> cross(const Motion<T>& v, const Force<T>& f) {
    return {cross(v.angular, f.linear), cross_add(v.linear, f.linear, cross(v.angular, f.angular))};
}

template <class T>
struct Inertia {
    T mass;
    Vec3<T> first;
    Sym3<T> second;
};

// momentum of a body that moves with v, or the force that gives it the acceleration v
template <class A, class B>
TARSUS_INLINE Force<Mix<A, B>> operator*(const Inertia<A>& inertia, const Motion<B>& v) {
    return {cross_add(v.angular, inertia.first, v.linear * inertia.mass),
            mul_add(inertia.second, v.angular, cross(inertia.first, v.linear))};
}

template <class A, class B>
TARSUS_INLINE Inertia<Mix<A, B>> operator+(const Inertia<A>& a, const Inertia<B>& b) {
    return {a.mass + b.mass, a.first + b.first, a.second + b.second};
}

// the same body seen in axes turned by r
template <class A, class B>
TARSUS_INLINE Inertia<Mix<A, B>> rotate(const Mat3<A>& r, const Inertia<B>& inertia) {
    return {Mix<A, B>(inertia.mass), r * inertia.first, rotate(r, inertia.second)};
}

// the same body seen from an origin that lies at −r of the old one (parallel axes)
template <class T>
TARSUS_INLINE Inertia<T> shift(const Inertia<T>& inertia, const Vec3<T>& r) {
    const Vec3<T> first = mul_add(r, inertia.mass, inertia.first);
    const Vec3<T> sum = inertia.first + first;
    const Vec3<T> half = sum * 0.5;
    const T trace = dot(r, sum);
    const Sym3<T>& j = inertia.second;
    return {inertia.mass,
            first,
            {neg_mul_add(r.x, sum.x, j.xx + trace),
             neg_mul_add(r.x, half.y, neg_mul_add(r.y, half.x, j.xy)),
             neg_mul_add(r.y, sum.y, j.yy + trace),
             neg_mul_add(r.x, half.z, neg_mul_add(r.z, half.x, j.xz)),
             neg_mul_add(r.y, half.z, neg_mul_add(r.z, half.y, j.yz)),
             neg_mul_add(r.z, sum.z, j.zz + trace)}};
}

}  // namespace tarsus::TARSUS_ISA
