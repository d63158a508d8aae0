// The kinds of rotation that joints make, each with the same operations:
//   out(a)        components of a in the outer frame, from those in the inner (R a)
//   out(x, y)     the same for a vector without z component
//   in(a)         the other way round (Rᵀ a)
//   behind(m)     m R, the inner axes after an outer rotation m
// so that zeros and ones of a rotation are never multiplied.
#pragma once

#include "model/tree.hpp"
#include "spatial/vector.hpp"

namespace tarsus::TARSUS_ISA {

struct NoRotation {
    template <class T>
    TARSUS_INLINE Vec3<T> out(const Vec3<T>& a) const {
        return a;
    }
    template <class T>
    TARSUS_INLINE Vec3<T> out(const T& x, const T& y) const {
        return {x, y, T(0.0)};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> in(const Vec3<T>& a) const {
        return a;
    }
    template <class T>
    TARSUS_INLINE Mat3<T> behind(const Mat3<T>& m) const {
        return m;
    }
};

template <class S>
struct RotationZ {
    S cosine, sine;

    template <class T>
    TARSUS_INLINE Vec3<T> out(const Vec3<T>& a) const {
        return {neg_mul_add(sine, a.y, cosine * a.x), mul_add(sine, a.x, cosine * a.y), a.z};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> out(const T& x, const T& y) const {
        return {neg_mul_add(sine, y, cosine * x), mul_add(sine, x, cosine * y), T(0.0)};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> in(const Vec3<T>& a) const {
        return {mul_add(sine, a.y, cosine * a.x), neg_mul_add(sine, a.x, cosine * a.y), a.z};
    }
    template <class T>
    TARSUS_INLINE Mat3<T> behind(const Mat3<T>& m) const {
        return {mul_add(m.y, sine, m.x * cosine), neg_mul_add(m.x, sine, m.y * cosine), m.z};
    }
};

template <class S>
struct FullRotation {
    Mat3<S> matrix;

    template <class T>
    TARSUS_INLINE Vec3<T> out(const Vec3<T>& a) const {
        return matrix * a;
    }
    template <class T>
    TARSUS_INLINE Vec3<T> out(const T& x, const T& y) const {
        return mul_add(matrix.y, y, matrix.x * x);
    }
    template <class T>
    TARSUS_INLINE Vec3<T> in(const Vec3<T>& a) const {
        return transposed_times(matrix, a);
    }
    template <class T>
    TARSUS_INLINE Mat3<T> behind(const Mat3<T>& m) const {
        return m * matrix;
    }
};

// The constant turn of a joint's frame on its parent. Axes that follow one another as x, y, z in
// a robot's description are cyclic permutations here and cost nothing.
struct FixedTurn {
    Turn kind;
    const double* r;  // by columns

    TARSUS_INLINE Mat3<double> matrix() const {
        return {{r[0], r[1], r[2]}, {r[3], r[4], r[5]}, {r[6], r[7], r[8]}};
    }
    // f receives the turn as one of its cases, once for all that is turned together
    template <class F>
    TARSUS_INLINE auto visit(F&& f) const;
};

// R e_x = e_y, R e_y = e_z, R e_z = e_x
struct Cyclic {
    template <class T>
    TARSUS_INLINE Vec3<T> out(const Vec3<T>& a) const {
        return {a.z, a.x, a.y};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> out(const T& x, const T& y) const {
        return {T(0.0), x, y};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> in(const Vec3<T>& a) const {
        return {a.y, a.z, a.x};
    }
    template <class T>
    TARSUS_INLINE Mat3<T> behind(const Mat3<T>& m) const {
        return {m.y, m.z, m.x};
    }
};

struct Anticyclic {
    template <class T>
    TARSUS_INLINE Vec3<T> out(const Vec3<T>& a) const {
        return Cyclic{}.in(a);
    }
    template <class T>
    TARSUS_INLINE Vec3<T> out(const T& x, const T& y) const {
        return {y, T(0.0), x};
    }
    template <class T>
    TARSUS_INLINE Vec3<T> in(const Vec3<T>& a) const {
        return Cyclic{}.out(a);
    }
    template <class T>
    TARSUS_INLINE Mat3<T> behind(const Mat3<T>& m) const {
        return {m.z, m.x, m.y};
    }
};

template <class F>
TARSUS_INLINE auto FixedTurn::visit(F&& f) const {
    switch (kind) {
        case Turn::none:
            return f(NoRotation{});
        case Turn::cyclic:
            return f(Cyclic{});
        case Turn::anticyclic:
            return f(Anticyclic{});
        default:
            return f(FullRotation<double>{matrix()});
    }
}

}  // namespace tarsus::TARSUS_ISA
