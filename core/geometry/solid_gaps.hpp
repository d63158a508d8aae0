// How far a point is from a solid, negative inside, and the outward normal there.
#pragma once

#include "geometry/ground.hpp"
#include "geometry/swept_distance.hpp"

namespace tarsus::TARSUS_ISA {

using Point = Vec3<double>;

struct PlacedSolid {
    const Solid* solid;
    Pose<double> pose;

    SolidKind kind() const { return solid->kind; }
    Point local(const Point& p) const { return transposed_times(pose.rotation, p - pose.position); }
};

struct SolidGap {
    double gap;
    Point normal;
    double missed = 0;  // [m] where the nearest point was not found
};

inline double length(const Point& a) { return std::sqrt(dot(a, a)); }
inline double squared(double x) { return x * x; }

// the point of a segment that is nearest to p, from 0 to 1 along it
inline double closest_on_segment(const Point& p, const Point& a, const Point& b) {
    const Point d = b - a;
    const double size = dot(d, d);
    return size > 0 ? std::clamp(dot(p - a, d) / size, 0.0, 1.0) : 0.0;
}
inline Point along(const Point& a, const Point& b, double t) { return a + (b - a) * t; }

inline Point end_of(const PlacedSolid& s, double sign) {
    const double half = s.kind() == SolidKind::capsule ? s.solid->size[1] / 2 : 0.0;
    return s.pose.position + s.pose.rotation.z * (sign * half);
}

// of a triangle: two on the axis x, one on y
inline void corners_of(const PlacedSolid& triangle, Point (&corner)[3]) {
    const double* size = triangle.solid->size;
    const Pose<double>& at = triangle.pose;
    corner[0] = at.position + at.rotation.x * size[1];
    corner[1] = at.position + at.rotation.x * size[2];
    corner[2] = at.position + at.rotation.y * size[3];
}
inline SweptCore<double, 3> face_of(const PlacedSolid& triangle) {
    Point corner[3];
    corners_of(triangle, corner);
    return swept_core(corner);
}

inline SolidGap gap_to_point(const Point& p, const Point& center, double radius) {
    const Point apart = p - center;
    const double distance = length(apart);
    const Point up{0.0, 0.0, 1.0};
    return {distance - radius, distance > 1e-12 ? apart * (1 / distance) : up};
}

inline SolidGap gap_to_box(const PlacedSolid& box, const Point& p) {
    const Point local = box.local(p);
    const double x[3] = {local.x, local.y, local.z}, *half = box.solid->size;
    double over[3], deepest = -kFar, outside = 0;
    int face = 0;
    for (int i = 0; i < 3; ++i) {
        over[i] = std::abs(x[i]) - half[i];
        if (over[i] > deepest) deepest = over[i], face = i;
        if (over[i] > 0) outside += squared(over[i]);
    }
    double n[3] = {0, 0, 0};
    const double distance = std::sqrt(outside);
    if (deepest > 0) {
        for (int i = 0; i < 3; ++i) {
            if (over[i] > 0) n[i] = std::copysign(over[i] / distance, x[i]);
        }
    } else {
        n[face] = std::copysign(1.0, x[face]);
    }
    return {deepest > 0 ? distance : deepest, box.pose.rotation * vector_at(n)};
}

// how far along a segment the point is, from 0 to 1, that is nearest to a box or deepest in it: the
// distance is convex
inline double deepest_on_box(const PlacedSolid& box, const Point& from, const Point& to) {
    double low = 0, high = 1;
    for (int i = 0; i < 60; ++i) {
        const double a = low + (high - low) / 3, b = high - (high - low) / 3;
        const bool left =
            gap_to_box(box, along(from, to, a)).gap <= gap_to_box(box, along(from, to, b)).gap;
        (left ? high : low) = left ? b : a;
    }
    return (low + high) / 2;
}

inline SolidGap gap_to_triangle(const PlacedSolid& triangle, const Point& p) {
    const SweptCore<double, 1> point{p};
    const auto found = swept_distance(point, 0.0, face_of(triangle), triangle.solid->size[0]);
    return {found.distance, -found.n};
}

// The nearest point x of an ellipsoid fulfils q = x + t S⁻² x: one equation in t, convex and
// falling, which Newton's method solves from the left without a detour (D. Eberly, "Distance from a
// point to an ellipse, an ellipsoid, or a hyperellipsoid", 2013).
inline SolidGap gap_to_ellipsoid(const PlacedSolid& ellipsoid, const Point& p) {
    const Point local = ellipsoid.local(p);
    const double* half = ellipsoid.solid->size;
    double q[3] = {local.x, local.y, local.z}, t = -kFar;
    for (int i = 0; i < 3; ++i) {
        // from the middle it is as far to both sides: take one
        if (!(std::abs(q[i]) > 1e-12 * half[i])) q[i] = std::copysign(1e-12 * half[i], q[i]);
        t = std::max(t, half[i] * (std::abs(q[i]) - half[i]));
    }
    constexpr int kSteps = 60;
    double step = kFar, scale = 0;
    for (int k = 0; k < kSteps && step > 0; ++k) {
        double value = -1, slope = 0;
        scale = 0;
        for (int i = 0; i < 3; ++i) {
            const double below = squared(half[i]) + t, ratio = half[i] * q[i] / below;
            value += squared(ratio), slope -= 2 * squared(ratio) / below;
            scale = std::max(scale, std::abs(t) + squared(half[i]));
        }
        step = -value / slope;
        if (!(step > 1e-16 * scale)) step = 0;
        t += step;
    }
    double normal[3];
    for (int i = 0; i < 3; ++i) normal[i] = q[i] / (squared(half[i]) + t);
    const Point n = vector_at(normal);
    const double steep = length(n);
    const double missed = step > 0 ? step * steep : 0.0;
    return {t * steep, ellipsoid.pose.rotation * (n * (1 / steep)), missed};
}

// how far along a segment the point is, from 0 to 1, that is nearest to an ellipsoid: where the
// distance changes from falling to rising
inline double nearest_on_ellipsoid(const PlacedSolid& ellipsoid, const Point& from,
                                   const Point& to) {
    double low = 0, high = 1;
    for (int i = 0; i < 48; ++i) {
        const double middle = (low + high) / 2;
        const SolidGap gap = gap_to_ellipsoid(ellipsoid, along(from, to, middle));
        (dot(gap.normal, to - from) < 0 ? low : high) = middle;
    }
    return low;
}

inline SolidGap gap_to_torus(const PlacedSolid& torus, const Point& p) {
    const Point axis = torus.pose.rotation.z, apart = p - torus.pose.position;
    const Point within = apart - axis * dot(axis, apart);
    const double away = length(within);
    const Point out = away > 1e-12 ? within * (1 / away) : torus.pose.rotation.x;
    return gap_to_point(p, torus.pose.position + out * torus.solid->size[0], torus.solid->size[1]);
}

SolidGap gap_to_hull(const PlacedSolid& hull, const Point& p);  // geometry/hull_gap.cpp

inline SolidGap gap_to(const PlacedSolid& solid, const Point& p) {
    switch (solid.kind()) {
        case SolidKind::box:
            return gap_to_box(solid, p);
        case SolidKind::ellipsoid:
            return gap_to_ellipsoid(solid, p);
        case SolidKind::torus:
            return gap_to_torus(solid, p);
        case SolidKind::triangle:
            return gap_to_triangle(solid, p);
        case SolidKind::hull:
            return gap_to_hull(solid, p);
        default: {
            const Point from = end_of(solid, -1), to = end_of(solid, 1);
            const Point nearest = along(from, to, closest_on_segment(p, from, to));
            return gap_to_point(p, nearest, solid.solid->size[0]);
        }
    }
}

// a place at the point p of one solid, with a radius, on another one; the normal out of that, times
// `sign`
inline Touch<double> touch_at(const Point& p, double radius, const SolidGap& found,
                              double sign = 1) {
    const double gap = found.gap - radius;
    return {gap, p - found.normal * (radius + gap / 2), found.normal * sign, 0.0, found.missed};
}

}  // namespace tarsus::TARSUS_ISA
