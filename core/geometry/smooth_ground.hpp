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

constexpr int kSmoothSteps = 12;
constexpr double kSmoothMiss = 1e-9;  // of the sizes: what is missed by less is found

// From (x, y) to a place, or back if none was found: no step is longer than the body and its
// height.
template <class T, class Body>
TARSUS_INLINE SmoothPlace<T> smooth_place(const std::vector<double>& numbers, const Body& body,
                                          const T& start_x, const T& start_y, double size) {
    const T zero(0.0), one(1.0);
    T x = start_x, y = start_y;
    SmoothPlace<T> start;
    for (int k = 0; k < kSmoothSteps; ++k) {
        const SmoothConditions<T> at(numbers, body, x, y);
        if (k == 0) start = at.place(x, y);
        const Height<T>& h = at.h;
        // along the ground's slope where Newton's step would lead away
        const T metric = mul_add(h.x, h.x, mul_add(h.y, h.y, one)), mixed = h.x * h.y;
        const T newton = at.apart_all_around();
        const T scale = one / select(newton > zero, at.determinant, metric * T(2.0));
        const T pxx = select(newton > zero, at.ayy, mul_add(h.y, h.y, one));
        const T pyy = select(newton > zero, at.axx, mul_add(h.x, h.x, one));
        const T pxy = select(newton > zero, at.axy, mixed);
        const T pyx = select(newton > zero, at.ayx, mixed);
        const T dx = neg_mul_add(pxy, at.ey, pxx * at.ex) * scale;
        const T dy = neg_mul_add(pyx, at.ex, pyy * at.ey) * scale;
        const T most = square_root(dot(at.apart, at.apart)) + T(size);
        const T length = square_root(mul_add(dx, dx, dy * dy));
        const T share = select(length > most, most / length, one);
        x = mul_add(dx, share, x), y = mul_add(dy, share, y);
    }
    const SmoothConditions<T> at(numbers, body, x, y);
    SmoothPlace<T> found = at.place(x, y);
    const T bound = T(kSmoothMiss) * (square_root(dot(at.apart, at.apart)) + T(size + 1e-6));
    const T good = select(found.missed < bound, at.apart_all_around(), zero);
    found.missed = zero, found.good = good;
    start.missed = mul_add(T(1e3), bound, start.missed);  // in the middle of a trough, too
    put_where(good, start, found);
    return start;
}

// The nearest place of a body of a size around a center, and another; where none is good, the one
// straight down from its center, with what that misses.
template <class T>
class SmoothPlaces {
   public:
    SmoothPlace<T> nearest, other;

    template <class Body>
    SmoothPlaces(const std::vector<double>& numbers, const Body& body, const Vec3<T>& center,
                 double size) {
        constexpr int kStarts = 5;
        constexpr double kAlong[kStarts] = {0.0, 0.6, -0.6, 0.0, 0.0};
        constexpr double kAside[kStarts] = {0.0, 0.0, 0.0, 0.6, -0.6};
        const T zero(0.0), one(1.0);
        const int starts = size > 0 ? kStarts : 1;
        SmoothPlace<T> found[kStarts];
        for (int k = 0; k < starts; ++k) {
            found[k] = smooth_place(numbers, body, center.x + T(kAlong[k] * size),
                                    center.y + T(kAside[k] * size), size);
        }
        nearest = found[0];
        for (int k = 1; k < starts; ++k) {
            const T better = select(found[k].gap < nearest.gap, found[k].good, zero);
            put_where(select(found[k].good > nearest.good, one, better), nearest, found[k]);
        }
        other = nearest, other.gap = T(kNowhere), other.missed = zero;
        for (int k = 1; k < starts; ++k) {
            const Vec3<T> apart = found[k].foot - nearest.foot;
            const T elsewhere = select(dot(apart, apart) > T(1e-6 * size * size), one, zero);
            const T takes = elsewhere * found[k].good * nearest.good;
            put_where(select(found[k].gap < other.gap, takes, zero), other, found[k]);
        }
    }

   private:
    static constexpr double kNowhere = 1e30;
};

}  // namespace tarsus::TARSUS_ISA
