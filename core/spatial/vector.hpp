// Vectors and matrices in three dimensions, over any scalar.
//
// Model constants are doubles and states are lanes, so every operation takes two scalar types;
// the result has the richer one.
#pragma once

#include <type_traits>

#include "scalar/dual.hpp"

namespace tarsus::TARSUS_ISA {

template <class A, class B>
using Mix = std::conditional_t<std::is_same_v<A, double>, B, A>;

template <class T>
struct Vec3 {
    T x, y, z;

    TARSUS_INLINE Vec3& operator+=(const Vec3& b) { return *this = *this + b; }
    TARSUS_INLINE Vec3& operator-=(const Vec3& b) { return *this = *this - b; }
};

template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> operator+(const Vec3<A>& a, const Vec3<B>& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> operator-(const Vec3<A>& a, const Vec3<B>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class A>
TARSUS_INLINE Vec3<A> operator-(const Vec3<A>& a) {
    return {-a.x, -a.y, -a.z};
}
template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> operator*(const Vec3<A>& a, const B& s) {
    return {a.x * s, a.y * s, a.z * s};
}
// a s + b
template <class A, class B, class C>
TARSUS_INLINE Vec3<Mix<Mix<A, B>, C>> mul_add(const Vec3<A>& a, const B& s, const Vec3<C>& b) {
    return {mul_add(a.x, s, b.x), mul_add(a.y, s, b.y), mul_add(a.z, s, b.z)};
}
// b − a s
template <class A, class B, class C>
TARSUS_INLINE Vec3<Mix<Mix<A, B>, C>> neg_mul_add(const Vec3<A>& a, const B& s, const Vec3<C>& b) {
    return {neg_mul_add(a.x, s, b.x), neg_mul_add(a.y, s, b.y), neg_mul_add(a.z, s, b.z)};
}
template <class A, class B>
TARSUS_INLINE Mix<A, B> dot(const Vec3<A>& a, const Vec3<B>& b) {
    return mul_add(a.z, b.z, mul_add(a.y, b.y, a.x * b.x));
}
template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> cross(const Vec3<A>& a, const Vec3<B>& b) {
    return {neg_mul_add(a.z, b.y, a.y * b.z), neg_mul_add(a.x, b.z, a.z * b.x),
            neg_mul_add(a.y, b.x, a.x * b.y)};
}
// c + a × b
template <class A, class B, class C>
TARSUS_INLINE Vec3<Mix<Mix<A, B>, C>> cross_add(const Vec3<A>& a, const Vec3<B>& b,
                                                const Vec3<C>& c) {
    return {neg_mul_add(a.z, b.y, mul_add(a.y, b.z, c.x)),
            neg_mul_add(a.x, b.z, mul_add(a.z, b.x, c.y)),
            neg_mul_add(a.y, b.x, mul_add(a.x, b.y, c.z))};
}

template <class T>
TARSUS_INLINE Vec3<T> zero_vector() {
    return {T(0.0), T(0.0), T(0.0)};
}

// A matrix by its columns; for a rotation these are the axes of the inner frame.
template <class T>
struct Mat3 {
    Vec3<T> x, y, z;
};

template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> operator*(const Mat3<A>& m, const Vec3<B>& a) {
    return mul_add(m.z, a.z, mul_add(m.y, a.y, m.x * a.x));
}
template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> transposed_times(const Mat3<A>& m, const Vec3<B>& a) {
    return {dot(m.x, a), dot(m.y, a), dot(m.z, a)};
}
template <class A, class B>
TARSUS_INLINE Mat3<Mix<A, B>> operator*(const Mat3<A>& a, const Mat3<B>& b) {
    return {a * b.x, a * b.y, a * b.z};
}
template <class T>
TARSUS_INLINE Mat3<T> transpose(const Mat3<T>& m) {
    return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}
template <class T>
TARSUS_INLINE Mat3<T> identity_matrix() {
    const T one(1.0), zero(0.0);
    return {{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
}

// A symmetric matrix by its lower triangle.
template <class T>
struct Sym3 {
    T xx, xy, yy, xz, yz, zz;

    TARSUS_INLINE Vec3<T> row_x() const { return {xx, xy, xz}; }
    TARSUS_INLINE Vec3<T> row_y() const { return {xy, yy, yz}; }
    TARSUS_INLINE Vec3<T> row_z() const { return {xz, yz, zz}; }
};

template <class A, class B>
TARSUS_INLINE Vec3<Mix<A, B>> operator*(const Sym3<A>& m, const Vec3<B>& a) {
    return {dot(m.row_x(), a), dot(m.row_y(), a), dot(m.row_z(), a)};
}
// c + m a
template <class A, class B, class C>
TARSUS_INLINE Vec3<Mix<Mix<A, B>, C>> mul_add(const Sym3<A>& m, const Vec3<B>& a,
                                              const Vec3<C>& c) {
    return mul_add(m.row_z(), a.z, mul_add(m.row_y(), a.y, mul_add(m.row_x(), a.x, c)));
}
template <class A, class B>
TARSUS_INLINE Sym3<Mix<A, B>> operator+(const Sym3<A>& a, const Sym3<B>& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.yy + b.yy, a.xz + b.xz, a.yz + b.yz, a.zz + b.zz};
}
// r m rᵀ
template <class A, class B>
TARSUS_INLINE Sym3<Mix<A, B>> rotate(const Mat3<A>& r, const Sym3<B>& m) {
    const auto x = r * m.row_x(), y = r * m.row_y(), z = r * m.row_z();
    const Mat3<Mix<A, B>> half = transpose(Mat3<Mix<A, B>>{x, y, z});  // rows of m rᵀ, as columns
    const auto row = [&](const Vec3<Mix<A, B>>& column) { return r * column; };
    const auto c0 = row(half.x), c1 = row(half.y), c2 = row(half.z);
    return {c0.x, c0.y, c1.y, c0.z, c1.z, c2.z};
}

}  // namespace tarsus::TARSUS_ISA
