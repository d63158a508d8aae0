// Where a convex body is nearest to a smooth ground z = h(x, y), in all lanes at once.
//
// Over a point (x, y) of the ground its normal looks against m = (∂h/∂x, ∂h/∂y, −1). The point P of
// the body with that outward normal is nearest if what is between them, d = P − f, has no part
// along the tangents f_x and f_y of the ground: two equations in x and y, solved by Newton's method
// with a fixed number of steps (Duindam 2006, section 3.1). A place is good if the body and the
// ground bend apart there. From several starts around the body up to two places are found, so that
// what is wider than a trough stands on both of its flanks.
#pragma once

#include "geometry/shapes.hpp"
#include "spatial/transform.hpp"
#include "surfaces/heights.hpp"
#include "surfaces/inverse_gauss.hpp"

namespace tarsus::TARSUS_ISA {

// A body by the point P with an outward normal along m, and the change of P with m along a way.

template <class T>
struct BallMap {
    Vec3<T> center;
    double radius;

    TARSUS_INLINE Vec3<T> point(const Vec3<T>& m) const {
        return mul_add(m, T(radius) / square_root(dot(m, m)), center);
    }
    TARSUS_INLINE Vec3<T> slope(const Vec3<T>& m, const Vec3<T>& way) const {
        const T square = dot(m, m);
        return neg_mul_add(m, dot(m, way) / square, way) * (T(radius) / square_root(square));
    }
};

template <class T>
struct EllipsoidOnBody {
    const double* half_axes;
    Pose<T> at;

    TARSUS_INLINE Vec3<T> point(const Vec3<T>& m) const {
        const Vec3<T> own = transposed_times(at.rotation, m);
        return at.rotation * EllipsoidMap::point(half_axes, own) + at.position;
    }
    TARSUS_INLINE Vec3<T> slope(const Vec3<T>& m, const Vec3<T>& way) const {
        const Vec3<T> own = transposed_times(at.rotation, m);
        return at.rotation *
               (EllipsoidMap::slope(half_axes, own) * transposed_times(at.rotation, way));
    }
};

template <class T>
TARSUS_INLINE Height<T> smooth_height(const std::vector<double>& numbers, const T& x, const T& y) {
    Height<T> found = PlaneHeight::at<T>(nullptr, x, y);
    visit_height(SurfaceKind(int(numbers[0])),
                 [&](auto surface) { found = surface.at(numbers.data() + 1, x, y); });
    return found;
}

// a place on the ground: `missed` [m] is 0 where it was found, and `good` 1
template <class T>
struct SmoothPlace {
    T gap;
    Vec3<T> foot, normal;
    T missed, good;
};

template <class T>
TARSUS_INLINE void put_where(const T& condition, SmoothPlace<T>& place,
                             const SmoothPlace<T>& other) {
    const auto put = [&](T& x, const T& y) { x = select(condition > T(0.0), y, x); };
    put(place.gap, other.gap), put(place.missed, other.missed), put(place.good, other.good);
    put(place.foot.x, other.foot.x), put(place.foot.y, other.foot.y);
    put(place.foot.z, other.foot.z), put(place.normal.x, other.normal.x);
    put(place.normal.y, other.normal.y), put(place.normal.z, other.normal.z);
}

// the conditions at (x, y): what is missed, and minus its derivative
template <class T>
struct SmoothConditions {
    Height<T> h;
    Vec3<T> apart;
    T ex, ey, axx, axy, ayx, ayy, determinant;

    template <class Body>
    TARSUS_INLINE SmoothConditions(const std::vector<double>& numbers, const Body& body, const T& x,
                                   const T& y)
        : h(smooth_height(numbers, x, y)) {
        const T zero(0.0), one(1.0);
        const Vec3<T> m = h.down();
        apart = body.point(m) - Vec3<T>{x, y, h.z};
        ex = mul_add(h.x, apart.z, apart.x), ey = mul_add(h.y, apart.z, apart.y);
        const Vec3<T> sx = body.slope(m, {h.xx, h.xy, zero});
        const Vec3<T> sy = body.slope(m, {h.xy, h.yy, zero});
        const T mixed = neg_mul_add(h.xy, apart.z, h.x * h.y);
        axx = neg_mul_add(h.xx, apart.z, mul_add(h.x, h.x, one)) - mul_add(h.x, sx.z, sx.x);
        ayy = neg_mul_add(h.yy, apart.z, mul_add(h.y, h.y, one)) - mul_add(h.y, sy.z, sy.y);
        axy = mixed - mul_add(h.x, sy.z, sy.x), ayx = mixed - mul_add(h.y, sx.z, sx.y);
        determinant = neg_mul_add(axy, ayx, axx * ayy);
    }
    // the place as it is, with all that it misses
    TARSUS_INLINE SmoothPlace<T> place(const T& x, const T& y) const {
        const Vec3<T> m = h.down(), normal = m * (T(-1.0) / square_root(dot(m, m)));
        return {dot(normal, apart), Vec3<T>{x, y, h.z}, normal,
                square_root(mul_add(ex, ex, ey * ey)), T(0.0)};
    }
    // 1 where both bend apart
    TARSUS_INLINE T apart_all_around() const {
        const T zero(0.0);
        return select(axx + ayy > zero, select(determinant > T(1e-6), T(1.0), zero), zero);
    }
};

// The nearest place of a body of a size around a center, and another; where none is good, the one
// straight down from its center, with what that misses.
template <class T>
struct SmoothPlaces {
    SmoothPlace<T> nearest, other;

    // `Body`: a BallMap or an EllipsoidOnBody
    template <class Body>
    SmoothPlaces(const std::vector<double>& numbers, const Body& body, const Vec3<T>& center,
                 double size);
};

}  // namespace tarsus::TARSUS_ISA
