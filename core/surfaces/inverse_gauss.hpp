// Inverse Gauss maps of closed convex bodies: where a body has a given outward normal.
//
// P(m) is the gradient of the support function H(m) = max ⟨m, p⟩ over the points p of the body. It
// depends on the direction of m only, so m need not be of unit length. Its slope, the Hessian of
// H, is symmetric, has m in its kernel, and has the radii of curvature as its eigenvalues for a
// unit m: an edge or a point has zeros there and is as good as any other surface. (Duindam 2006,
// examples 3.2 and 3.4; R. Schneider, Convex Bodies: the Brunn–Minkowski Theory, 2014, 1.7.)
//
// Each struct has, for any kind of number,
//   point(numbers, m)   P(m)
//   slope(numbers, m)   dP/dm
#pragma once

#include "spatial/vector.hpp"
#include "surfaces/surface.hpp"

namespace tarsus::TARSUS_ISA {

// s (I − u uᵀ)
template <class T>
TARSUS_INLINE Sym3<T> across(const Vec3<T>& u, const T& s) {
    const Vec3<T> su = u * s;
    const T zero(0.0);
    return {neg_mul_add(su.x, u.x, s),    neg_mul_add(su.x, u.y, zero), neg_mul_add(su.y, u.y, s),
            neg_mul_add(su.x, u.z, zero), neg_mul_add(su.y, u.z, zero), neg_mul_add(su.z, u.z, s)};
}

// H = r |m|
struct SphereMap {
    template <class T>
    static TARSUS_INLINE Vec3<T> point(const double* numbers, const Vec3<T>& m) {
        return m * (T(numbers[0]) / square_root(dot(m, m)));
    }
    template <class T>
    static TARSUS_INLINE Sym3<T> slope(const double* numbers, const Vec3<T>& m) {
        const T inverse = T(1.0) / square_root(dot(m, m));
        return across(m * inverse, T(numbers[0]) * inverse);
    }
};

// H = √(mᵀ S² m) with the half axes S = diag(rx, ry, rz)
struct EllipsoidMap {
    template <class T>
    static TARSUS_INLINE Vec3<T> point(const double* numbers, const Vec3<T>& m) {
        const Vec3<T> stretched = squared(numbers, m);
        return stretched * (T(1.0) / square_root(dot(m, stretched)));
    }
    template <class T>
    static TARSUS_INLINE Sym3<T> slope(const double* numbers, const Vec3<T>& m) {
        const Vec3<T> stretched = squared(numbers, m);
        const T inverse = T(1.0) / square_root(dot(m, stretched));
        const Vec3<T> p = stretched * inverse, q = p * inverse;
        const double *r = numbers, x = r[0] * r[0], y = r[1] * r[1], z = r[2] * r[2];
        const T zero(0.0);
        return {neg_mul_add(q.x, p.x, inverse * x), neg_mul_add(q.x, p.y, zero),
                neg_mul_add(q.y, p.y, inverse * y), neg_mul_add(q.x, p.z, zero),
                neg_mul_add(q.y, p.z, zero),        neg_mul_add(q.z, p.z, inverse * z)};
    }

   private:
    template <class T>
    static TARSUS_INLINE Vec3<T> squared(const double* r, const Vec3<T>& m) {
        return {m.x * (r[0] * r[0]), m.y * (r[1] * r[1]), m.z * (r[2] * r[2])};
    }
};

// H = r √(m_x² + m_y²); not finite where it lies flat and touches all around
struct DiscMap {
    template <class T>
    static TARSUS_INLINE Vec3<T> point(const double* numbers, const Vec3<T>& m) {
        const T scale = T(numbers[0]) / square_root(mul_add(m.x, m.x, m.y * m.y));
        return {m.x * scale, m.y * scale, T(0.0)};
    }
    template <class T>
    static TARSUS_INLINE Sym3<T> slope(const double* numbers, const Vec3<T>& m) {
        const T inverse = T(1.0) / square_root(mul_add(m.x, m.x, m.y * m.y)), zero(0.0);
        // along the rim only
        const Vec3<T> along{-(m.y * inverse), m.x * inverse, zero};
        const Vec3<T> s = along * (T(numbers[0]) * inverse);
        return {s.x * along.x, s.x * along.y, s.y * along.y, zero, zero, zero};
    }
};

// a disc of the major radius and a ball of the minor one: supports of sums are sums
struct TorusMap {
    template <class T>
    static TARSUS_INLINE Vec3<T> point(const double* numbers, const Vec3<T>& m) {
        return DiscMap::point(numbers, m) + SphereMap::point(numbers + 1, m);
    }
    template <class T>
    static TARSUS_INLINE Sym3<T> slope(const double* numbers, const Vec3<T>& m) {
        return DiscMap::slope(numbers, m) + SphereMap::slope(numbers + 1, m);
    }
};

// f receives the map of a kind that rolls; other kinds have none
template <class F>
TARSUS_INLINE void visit_inverse_gauss(SurfaceKind kind, F&& f) {
    switch (kind) {
        case SurfaceKind::sphere:
            return f(SphereMap{});
        case SurfaceKind::ellipsoid:
            return f(EllipsoidMap{});
        case SurfaceKind::disc:
            return f(DiscMap{});
        case SurfaceKind::torus:
            return f(TorusMap{});
        default:
            return;
    }
}

}  // namespace tarsus::TARSUS_ISA
