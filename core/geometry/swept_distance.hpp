// How far two swept spheres are apart: the distance of their cores less both radii, negative where
// they overlap; and the points of their surfaces where they are nearest.
//
// n points from a to b. Where the cores themselves meet, the distance is −(r_a + r_b) and n is a
// direction in which they come apart: across a face, across two lines, away from a line; of both
// senses the one that leads from the middle of a to that of b.
#pragma once

#include "geometry/swept_nearest.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct SweptDistance {
    T distance;
    Vec3<T> a, b, n;   // points on the surfaces, unit direction
    T ax, ay, bx, by;  // coordinates of the nearest points of the cores
};

// cores that are nearer than this, in sizes of what is compared, meet
constexpr double kMeeting = 1e-14;

namespace meeting {

using Vector = Vec3<double>;

inline double length_of(const Vector& a) { return root_of(dot(a, a)); }
// of unit length, or zero if it is lost in rounding beside `size`
inline Vector unit_or_zero(const Vector& a, double size) {
    const double length = length_of(a);
    return length > 1e-12 * size ? a * (1.0 / length) : zero_vector<double>();
}
inline bool is_zero(const Vector& a) { return dot(a, a) == 0.0; }

// away from a line along unit u, to where `away` leads, or to any side
inline Vector beside(const Vector& u, const Vector& away, double size) {
    const Vector there = unit_or_zero(neg_mul_add(u, dot(u, away), away), size);
    if (!is_zero(there)) return there;
    const Vector axis = absolute(u.x) < 0.7 ? Vector{1, 0, 0} : Vector{0, 1, 0};
    return unit_or_zero(cross(u, axis), 1.0);
}

template <int n>
Vector face_of(const SweptCore<double, n>& core) {
    if constexpr (n == 3) return unit_or_zero(core.normal, 0.0);
    else return zero_vector<double>();
}
template <int n>
Vector line_of(const SweptCore<double, n>& core) {
    if constexpr (n == 1) {
        return zero_vector<double>();
    } else if constexpr (n == 2) {
        return unit_or_zero(core.e.along, 0.0);
    } else {  // of a triangle without area the longest edge
        const auto& longer = core.e.square > core.f.square ? core.e : core.f;
        return unit_or_zero((core.g.square > longer.square ? core.g : longer).along, 0.0);
    }
}

// a direction in which cores that meet come apart
template <int m, int n>
Vector direction(const SweptCore<double, m>& a, const SweptCore<double, n>& b, double size) {
    const Vector away = middle_of(b) - middle_of(a);
    const Vector on_a = face_of(a), on_b = face_of(b);
    Vector found = absolute(dot(on_a, away)) > absolute(dot(on_b, away)) ? on_a : on_b;
    if (is_zero(found)) found = is_zero(on_a) ? on_b : on_a;
    if (is_zero(found)) {
        const Vector u = line_of(a), v = line_of(b);
        found = unit_or_zero(cross(u, v), 1.0);
        const Vector& line = is_zero(u) ? v : u;
        if (is_zero(found) && !is_zero(line)) found = beside(line, away, size);
    }
    if (is_zero(found)) found = unit_or_zero(away, size);
    if (is_zero(found)) found = {0, 0, 1};
    return dot(found, away) < 0.0 ? -found : found;
}

template <int n>
SweptCore<double, n> lane_core(const SweptCore<double, n>& core, int) {
    return core;
}
template <int n>
SweptCore<double, n> lane_core(const SweptCore<Lanes, n>& core, int lane) {
    SweptCore<double, n> out;
    const auto* from = reinterpret_cast<const Lanes*>(&core);
    auto* to = reinterpret_cast<double*>(&out);
    for (size_t k = 0; k < sizeof(out) / sizeof(double); ++k) to[k] = from[k][lane];
    return out;
}

// n of those lanes whose cores meet
template <class T, int m, int n>
TARSUS_APART void separate(const SweptCore<T, m>& a, const SweptCore<T, n>& b, const T& square,
                           const T& size, Vec3<T>& normal) {
    for (int lane = 0; lane < kLaneCount<T>; ++lane) {
        const double wide = lane_of(size, lane);
        if (lane_of(square, lane) > kMeeting * kMeeting * wide) continue;
        const Vector found = direction(lane_core(a, lane), lane_core(b, lane), root_of(wide));
        set_lane(normal.x, lane, found.x), set_lane(normal.y, lane, found.y);
        set_lane(normal.z, lane, found.z);
    }
}

template <class T, int n>
TARSUS_INLINE T size_of(const SweptCore<T, n>& core) {
    if constexpr (n == 1) return T(0.0);
    else if constexpr (n == 2) return core.e.square;
    else return core.e.square + core.f.square;
}

}  // namespace meeting

template <class T, int m, int n>
TARSUS_INLINE SweptDistance<T> swept_distance(const SweptCore<T, m>& a, const T& radius_a,
                                              const SweptCore<T, n>& b, const T& radius_b) {
    const Nearest<T> found = nearest(a, b);
    const Vec3<T> on_a = offset_at(a, found.ax, found.ay), on_b = offset_at(b, found.bx, found.by);
    const Vec3<T> w = b.origin - a.origin, c = w + (on_b - on_a);
    const T size = dot(w, w) + meeting::size_of(a) + meeting::size_of(b);
    const T square = select(found.square < T(0.0), T(0.0), dot(c, c));
    const auto apart = square > T(kMeeting * kMeeting) * size;
    const T core = select(apart, root_of(square), T(0.0));
    const T inverse = T(1.0) / select(apart, core, T(1.0));
    Vec3<T> normal = c * inverse;
    if (any(core < T(1e-290))) meeting::separate(a, b, square, size, normal);
    const Vec3<T> point_a = a.origin + on_a, point_b = b.origin + on_b;
    return {core - radius_a - radius_b,
            mul_add(normal, radius_a, point_a),
            neg_mul_add(normal, radius_b, point_b),
            normal,
            found.ax,
            found.ay,
            found.bx,
            found.by};
}

}  // namespace tarsus::TARSUS_ISA
