// Grounds as heights z = h(x, y), with slopes and curvatures, for any kind of number.
#pragma once

#include "spatial/vector.hpp"
#include "surfaces/surface.hpp"

namespace tarsus::TARSUS_ISA {

// h, its gradient and its second derivatives
template <class T>
struct Height {
    T z, x, y, xx, xy, yy;

    // against the ground's normal, and of length 1 where it is level
    TARSUS_INLINE Vec3<T> down() const { return {x, y, T(-1.0)}; }
};

struct PlaneHeight {
    template <class T>
    static TARSUS_INLINE Height<T> at(const double*, const T&, const T&) {
        const T zero(0.0);
        return {zero, zero, zero, zero, zero, zero};
    }
};

// the upper half: h = rz √(1 − x²/rx² − y²/ry²), not finite beyond its edge
struct EllipsoidHeight {
    template <class T>
    static TARSUS_INLINE Height<T> at(const double* r, const T& x, const T& y) {
        const T u = x * (1.0 / (r[0] * r[0])), v = y * (1.0 / (r[1] * r[1]));
        const T root = square_root(neg_mul_add(y, v, neg_mul_add(x, u, T(1.0))));
        const T inverse = T(1.0) / root, scale = -(inverse * r[2]);
        const T over = scale * inverse * inverse;
        return {root * r[2],  scale * u,
                scale * v,    mul_add(over * u, u, scale * (1.0 / (r[0] * r[0]))),
                over * u * v, mul_add(over * v, v, scale * (1.0 / (r[1] * r[1])))};
    }
};

struct SphereHeight {
    template <class T>
    static TARSUS_INLINE Height<T> at(const double* r, const T& x, const T& y) {
        const double radii[3] = {r[0], r[0], r[0]};
        return EllipsoidHeight::at(radii, x, y);
    }
};

struct ParaboloidHeight {
    template <class T>
    static TARSUS_INLINE Height<T> at(const double* c, const T& x, const T& y) {
        const T ax = x * c[0], by = y * c[1];
        return {mul_add(by, y, ax * x), ax + ax, by + by, T(2.0 * c[0]), T(0.0), T(2.0 * c[1])};
    }
};

// waves along y (Duindam 2006, example 3.5)
struct SinusoidHeight {
    template <class T>
    static TARSUS_INLINE Height<T> at(const double* c, const T&, const T& y) {
        const double wave = 2.0 * 3.14159265358979323846 * c[1];
        const Angle<T> phase = sincos_of(y * wave);
        const T zero(0.0), z = phase.sine * c[0];
        return {z, zero, phase.cosine * (c[0] * wave), zero, zero, z * -(wave * wave)};
    }
};

// f receives the height of a kind that can be a ground; other kinds have none
template <class F>
TARSUS_INLINE void visit_height(SurfaceKind kind, F&& f) {
    switch (kind) {
        case SurfaceKind::plane:
            return f(PlaneHeight{});
        case SurfaceKind::sphere:
            return f(SphereHeight{});
        case SurfaceKind::ellipsoid:
            return f(EllipsoidHeight{});
        case SurfaceKind::paraboloid:
            return f(ParaboloidHeight{});
        case SurfaceKind::sinusoid:
            return f(SinusoidHeight{});
        default:
            return;
    }
}

}  // namespace tarsus::TARSUS_ISA
