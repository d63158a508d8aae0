// All places that may touch: gaps, points and normals, in all lanes.
#pragma once

#include "geometry/ellipsoid_ground.hpp"
#include "geometry/flight.hpp"
#include "geometry/smooth_rim.hpp"

namespace tarsus::TARSUS_ISA {

// Three points of a rim: the one towards a unit vector in its plane, and a third of a turn to both
// sides.
template <class T>
struct RimPoints {
    Vec3<T> at[kRingPoints];

    TARSUS_INLINE RimPoints(const Ring& ring, const Vec3<T>& axis, const Vec3<T>& center,
                            const Vec3<T>& first) {
        const Vec3<T> second = cross(axis, first);
        constexpr double kCosine[kRingPoints] = {1.0, -0.5, -0.5};
        constexpr double kSine[kRingPoints] = {0.0, 0.8660254037844386, -0.8660254037844386};
        for (int i = 0; i < kRingPoints; ++i) {
            at[i] = mul_add(second, T(ring.radius * kSine[i]),
                            mul_add(first, T(ring.radius * kCosine[i]), center));
        }
    }
};

// towards the deepest point of a rim: against the normal, within the rim's plane
template <class T>
TARSUS_INLINE Vec3<T> deepest_direction(const Vec3<T>& axis, const Vec3<T>& other,
                                        const Vec3<T>& normal) {
    const Vec3<T> down = mul_add(axis, dot(axis, normal), normal * T(-1.0));
    const T size = square_root(dot(down, down));
    const T upright = select(size < T(1e-6), T(1.0), T(0.0));
    const T scale = T(1.0) / select(upright > T(0.5), T(1.0), size);
    return {select(upright > T(0.5), other.x, down.x * scale),
            select(upright > T(0.5), other.y, down.y * scale),
            select(upright > T(0.5), other.z, down.z * scale)};
}

// Calls f(candidate, a, b, touch) for the points of a rim, with the tube of a torus around it.
template <class T, class F>
TARSUS_INLINE void for_each_of_rim(const Shapes& shapes, int k, const Pose<T>& body, F&& f) {
    const Ring& ring = shapes.rings[k];
    const Vec3<T> center = body.rotation * vector_at(ring.position) + body.position;
    const Vec3<T> axis = body.rotation * vector_at(ring.axis);
    const Vec3<T> across = body.rotation * vector_at(ring.across);
    const int candidate = shapes.ring_candidate[k];
    if (shapes.ground == GroundKind::smooth) {
        const RimPlaces<T> places(shapes.ground_numbers, center, across, cross(axis, across),
                                  ring.radius);
        for (int place = 0; place < kGroundPlaces; ++place) {
            const RimPoints<T> rim(ring, axis, center, places.towards[place]);
            for (int i = 0; i < kRingPoints; ++i) {
                const BallMap<T> ball{rim.at[i], ring.tube};
                const SmoothPlaces<T> found(shapes.ground_numbers, ball, rim.at[i], ring.tube);
                Touch<T> touch = touch_smooth(found.nearest);
                touch.gap = select(places.there[place] > T(0.0), touch.gap, T(kFar));
                if (i == 0) touch.missed = touch.missed + places.missed[place];
                f(shapes.candidate(candidate + i, place), ring.body, -1, touch);
            }
        }
        return;
    }
    const GroundPlaces<T> places(shapes, center, 0.0);
    for (int place = 0; place < shapes.n_places(); ++place) {
        const RimPoints<T> rim(ring, axis, center,
                               deepest_direction(axis, across, places.at[place].normal));
        for (int i = 0; i < kRingPoints; ++i) {
            f(shapes.candidate(candidate + i, place), ring.body, -1,
              places.of_ball(place, rim.at[i], ring.tube));
        }
    }
}

// Calls f(candidate, a, b, touch) for every candidate on the ground, of bodies that may touch it at
// all: `near` tells for a ball around a body's candidates whether to look closer.
template <class T, class Near, class F>
TARSUS_INLINE void for_each_on_ground(const Shapes& shapes, const Pose<T>* pose, Near&& near,
                                      F&& f) {
    for (const Touching& touching : shapes.touching) {
        const Pose<T>& body = pose[touching.body + 1];
        if (!near(touching, body)) continue;
        for (int k = touching.sphere; k < touching.sphere + touching.n_spheres; ++k) {
            const Sphere& sphere = shapes.spheres[k];
            const Vec3<T> center = body.rotation * vector_at(sphere.position) + body.position;
            const GroundPlaces<T> places(shapes, center, sphere.radius);
            for (int place = 0; place < shapes.n_places(); ++place) {
                f(shapes.candidate(shapes.sphere_candidate[k], place), touching.body, -1,
                  places.at[place]);
            }
        }
        for (int k = touching.ring; k < touching.ring + touching.n_rings; ++k) {
            for_each_of_rim(shapes, k, body, f);
        }
        for (int k = touching.ellipsoid; k < touching.ellipsoid + touching.n_ellipsoids; ++k) {
            const EllipsoidPlaces<T> places(shapes, shapes.ellipsoids[k], body);
            for (int place = 0; place < shapes.n_places(); ++place) {
                f(shapes.candidate(shapes.ellipsoid_candidate[k], place), touching.body, -1,
                  places.at[place]);
            }
        }
    }
}

// whether a ball around a body's candidates comes nearer to the ground than a margin within a step,
// in any lane
template <class T>
TARSUS_INLINE bool may_touch(const Shapes& shapes, const Touching& touching, const Pose<T>& pose,
                             const Motion<T>& velocity, double dt, double margin) {
    // a height field has no distance, a smooth ground one that is known near places only
    if (shapes.ground == GroundKind::height_field || shapes.ground == GroundKind::smooth)
        return true;
    const Vec3<T> center = pose.rotation * vector_at(touching.center) + pose.position;
    const T speed = fastest(velocity, touching.center, touching.radius);
    const T gap = touch_ground(shapes, center, touching.radius).gap;
    return any(neg_mul_add(speed, T(dt), gap) < T(margin));
}

// Calls f(candidate, a, b, touch) for the places of all pairs of solids at rest; those that are
// farther apart than `margin` [m] have none.
template <class T, class F>
TARSUS_INLINE void for_each_pair_within(const Shapes& shapes, const Pose<T>* pose, double margin,
                                        F&& f) {
    for (int k = 0; k < shapes.n_pairs(); ++k) {
        const Solid &a = shapes.solids[shapes.pairs[2 * k]],
                    &b = shapes.solids[shapes.pairs[2 * k + 1]];
        Touch<T> touch[kPairPoints];
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const SolidTouches found(placed_solid(a, pose, l), placed_solid(b, pose, l), margin);
            for (int i = 0; i < kPairPoints; ++i) set_touch(touch[i], l, found.at[i]);
        }
        for (int i = 0; i < kPairPoints; ++i) {
            f(shapes.pair_candidate(k) + i, a.body, b.body, touch[i]);
        }
    }
}

// Calls f(candidate, a, b, touch) for all candidates at rest, pairs of solids where they are near.
template <class T, class Near, class F>
TARSUS_INLINE void for_each_candidate(const Shapes& shapes, const Pose<T>* pose, Near&& near,
                                      F&& f) {
    constexpr double kMargin = 0.1;  // [m]
    for_each_on_ground(shapes, pose, near, f);
    for_each_pair_within(shapes, pose, kMargin, f);
}

}  // namespace tarsus::TARSUS_ISA
