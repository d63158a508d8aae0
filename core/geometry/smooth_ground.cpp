#include "geometry/smooth_ground.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

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

constexpr double kNowhere = 1e30;

}  // namespace

template <class T>
template <class Body>
TARSUS_FLATTEN SmoothPlaces<T>::SmoothPlaces(const std::vector<double>& numbers, const Body& body,
                                             const Vec3<T>& center, double size) {
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

#define TARSUS_SMOOTH_PLACES(T, Body)                                                  \
    template SmoothPlaces<T>::SmoothPlaces(const std::vector<double>&, const Body<T>&, \
                                           const Vec3<T>&, double);
TARSUS_SMOOTH_PLACES(double, BallMap)
TARSUS_SMOOTH_PLACES(double, EllipsoidOnBody)
TARSUS_SMOOTH_PLACES(Lanes, BallMap)
TARSUS_SMOOTH_PLACES(Lanes, EllipsoidOnBody)

}  // namespace tarsus::TARSUS_ISA
