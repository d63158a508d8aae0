// What a ball is swept over: a point, a line or a triangle, with what its distances need.
//
//   p = origin + x e + y f       x, y ≥ 0, x + y ≤ 1; a line has x only, a point neither
//
// A rigid motion turns vectors and leaves lengths alone, so that what is prepared once serves all
// pairs. A row of numbers holds each: lanes gather the rows of the cores that they compare.
#pragma once

#include "scalar/extremes.hpp"
#include "spatial/vector.hpp"

namespace tarsus::TARSUS_ISA {

// edges or faces that are smaller by this, squared, than their vectors make are lost in rounding
constexpr double kNoArea = 1e-26;

// an edge, with the inverse of its length's square; zero for no length, so that products vanish
template <class T>
struct SweptEdge {
    Vec3<T> along;
    T square, inverse;
};

template <class T>
TARSUS_INLINE SweptEdge<T> swept_edge(const Vec3<T>& along) {
    const T square = dot(along, along);
    const auto some = square > T(0.0);
    return {along, square, select(some, T(1.0) / select(some, square, T(1.0)), T(0.0))};
}

template <class T, int corners>
struct SweptCore;

template <class T>
struct SweptCore<T, 1> {
    static constexpr int kNumbers = 4;  // in a row
    Vec3<T> origin;
};

template <class T>
struct SweptCore<T, 2> {
    static constexpr int kNumbers = 8;
    Vec3<T> origin;
    SweptEdge<T> e;
};

// edges from the origin along e and f, and along g from the end of e to that of f
template <class T>
struct SweptCore<T, 3> {
    static constexpr int kNumbers = 28;
    Vec3<T> origin;
    SweptEdge<T> e, f, g;
    // across the face, zero for one without area; and what gives x and y of a point beside it
    Vec3<T> normal, to_x, to_y;
};

template <class T>
TARSUS_INLINE SweptCore<T, 1> swept_core(const Vec3<T> (&corner)[1]) {
    return {corner[0]};
}
template <class T>
TARSUS_INLINE SweptCore<T, 2> swept_core(const Vec3<T> (&corner)[2]) {
    return {corner[0], swept_edge(corner[1] - corner[0])};
}
template <class T>
TARSUS_INLINE SweptCore<T, 3> swept_core(const Vec3<T> (&corner)[3]) {
    const SweptEdge<T> e = swept_edge(corner[1] - corner[0]);
    const SweptEdge<T> f = swept_edge(corner[2] - corner[0]);
    const SweptEdge<T> g = swept_edge(corner[2] - corner[1]);
    const Vec3<T> across = cross(e.along, f.along);
    const T square = dot(across, across);
    const auto some = square > T(kNoArea) * e.square * f.square;
    const T inverse = select(some, T(1.0) / select(some, square, T(1.0)), T(0.0));
    // the dual basis of e and f in their plane: (DᵀD)⁻¹ Dᵀ for D = [e f]
    return {corner[0],
            e,
            f,
            g,
            across * select(some, T(1.0), T(0.0)),
            cross(f.along, across) * inverse,
            cross(across, e.along) * inverse};
}

// the middle of its corners
template <class T>
TARSUS_INLINE Vec3<T> middle_of(const SweptCore<T, 1>& a) {
    return a.origin;
}
template <class T>
TARSUS_INLINE Vec3<T> middle_of(const SweptCore<T, 2>& a) {
    return mul_add(a.e.along, T(0.5), a.origin);
}
template <class T>
TARSUS_INLINE Vec3<T> middle_of(const SweptCore<T, 3>& a) {
    return mul_add(a.e.along + a.f.along, T(1.0 / 3.0), a.origin);
}

// p − origin
template <class T>
TARSUS_INLINE Vec3<T> offset_at(const SweptCore<T, 1>&, const T&, const T&) {
    return zero_vector<T>();
}
template <class T>
TARSUS_INLINE Vec3<T> offset_at(const SweptCore<T, 2>& a, const T& x, const T&) {
    return a.e.along * x;
}
template <class T>
TARSUS_INLINE Vec3<T> offset_at(const SweptCore<T, 3>& a, const T& x, const T& y) {
    return mul_add(a.f.along, y, a.e.along * x);
}

}  // namespace tarsus::TARSUS_ISA
