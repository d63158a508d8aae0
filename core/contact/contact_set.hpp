// Which candidates touch in this step, in any lane: gaps, points, normals and velocities.
#pragma once

#include "contact/solids.hpp"
#include "dynamics/articulated_constraints.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
constexpr int kLaneCount = sizeof(T) / sizeof(double);

// A place that touches in some lane; `on` is 1 where it does and 0 elsewhere.
template <class T>
struct Contact {
    int candidate, a, b;  // bodies; b is −1 for the ground
    T on;
    Touch<T> touch;
    Vec3<T> across, along;  // two tangents, with the normal a right-handed frame
    Vec3<T> start, free;    // velocities of a on b: at the start of the step, and without forces
};

template <class T>
TARSUS_INLINE T& part(Vec3<T>& a, int i) {
    return i == 0 ? a.x : i == 1 ? a.y : a.z;
}

// two tangents of a unit normal, without branches (Duff et al. 2017)
template <class T>
TARSUS_INLINE void tangents(const Vec3<T>& n, Vec3<T>& across, Vec3<T>& along) {
    const T sign = select(n.z < T(0.0), T(-1.0), T(1.0));
    const T a = T(-1.0) / (sign + n.z), b = n.x * n.y * a;
    across = {mul_add(sign * n.x * n.x, a, T(1.0)), sign * b, -(sign * n.x)};
    along = {b, mul_add(n.y * n.y, a, sign), -n.y};
}

// velocity of the point of a body at p in the world
template <class T>
TARSUS_INLINE Vec3<T> point_velocity(const Pose<T>& pose, const Motion<T>& v, const Vec3<T>& p) {
    return cross_add(pose.rotation * v.angular, p - pose.position, pose.rotation * v.linear);
}

// components of a along normal, across and along
template <class T>
TARSUS_INLINE Vec3<T> in_frame(const Contact<T>& contact, const Vec3<T>& a) {
    return {dot(contact.touch.normal, a), dot(contact.across, a), dot(contact.along, a)};
}
template <class T>
TARSUS_INLINE Vec3<T> from_frame(const Contact<T>& contact, const T* p) {
    return mul_add(contact.along, p[2], mul_add(contact.across, p[1], contact.touch.normal * p[0]));
}

// Bodies as the search for contacts needs them, the world first; velocities in body frames.
template <class T>
struct MovingBodies {
    const Pose<T>* pose;
    const Motion<T>*start, *free;
};

template <class T>
TARSUS_INLINE PlacedSolid placed_solid(const Solid& solid, const Pose<T>* pose, int lane) {
    const Pose<T> at = frame_on(solid.on, pose[solid.body + 1]);
    const auto vector = [&](const Vec3<T>& a) -> Point {
        return {lane_of(a.x, lane), lane_of(a.y, lane), lane_of(a.z, lane)};
    };
    return {&solid,
            {{vector(at.rotation.x), vector(at.rotation.y), vector(at.rotation.z)},
             vector(at.position)}};
}

// Calls f(candidate, a, b, touch) for every candidate on bodies that may touch at all; `near`
// tells for a ball around a body's candidates whether to look closer.
template <class T, class Near, class F>
TARSUS_INLINE void for_each_candidate(const World& world, const Pose<T>* pose, Near&& near, F&& f) {
    for (const Touching& touching : world.touching) {
        const Pose<T>& body = pose[touching.body + 1];
        if (!near(touching, body)) continue;
        for (int k = touching.sphere; k < touching.sphere + touching.n_spheres; ++k) {
            const Sphere& sphere = world.spheres[k];
            const Vec3<T> center = body.rotation * vector_at(sphere.position) + body.position;
            f(world.sphere_candidate[k], touching.body, -1,
              touch_ground(world, center, sphere.radius));
        }
        for (int k = touching.ring; k < touching.ring + touching.n_rings; ++k) {
            const Ring& ring = world.rings[k];
            const Vec3<T> center = body.rotation * vector_at(ring.position) + body.position;
            const Vec3<T> axis = body.rotation * vector_at(ring.axis);
            const Vec3<T> normal = touch_ground(world, center, 0.0).normal;
            // the deepest point of the rim lies against the normal, within the rim's plane
            const Vec3<T> down = mul_add(axis, dot(axis, normal), normal * T(-1.0));
            const T size = square_root(dot(down, down));
            const T upright = select(size < T(1e-6), T(1.0), T(0.0));
            const Vec3<T> other = body.rotation * vector_at(ring.across);
            const T scale = T(1.0) / select(upright > T(0.5), T(1.0), size);
            const Vec3<T> first{select(upright > T(0.5), other.x, down.x * scale),
                                select(upright > T(0.5), other.y, down.y * scale),
                                select(upright > T(0.5), other.z, down.z * scale)};
            const Vec3<T> second = cross(axis, first);
            constexpr double kCosine[kRingPoints] = {1.0, -0.5, -0.5};
            constexpr double kSine[kRingPoints] = {0.0, 0.8660254037844386, -0.8660254037844386};
            for (int i = 0; i < kRingPoints; ++i) {
                const Vec3<T> point = mul_add(second, T(ring.radius * kSine[i]),
                                              mul_add(first, T(ring.radius * kCosine[i]), center));
                f(world.ring_candidate[k] + i, touching.body, -1, touch_ground(world, point, 0.0));
            }
        }
    }
    for (int k = 0; k < world.n_pairs(); ++k) {
        const Solid &a = world.solids[world.pairs[2 * k]],
                    &b = world.solids[world.pairs[2 * k + 1]];
        Touch<T> touch[kPairPoints];
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const SolidTouches found(placed_solid(a, pose, l), placed_solid(b, pose, l));
            for (int i = 0; i < kPairPoints; ++i) set_touch(touch[i], l, found.at[i]);
        }
        const int first = world.n_ground() + kPairPoints * k;
        for (int i = 0; i < kPairPoints; ++i) f(first + i, a.body, b.body, touch[i]);
    }
}

// whether a ball around a body's candidates reaches the ground within a step, in any lane
template <class T>
TARSUS_INLINE bool may_touch(const World& world, const Touching& touching, const Pose<T>& pose,
                             const Motion<T>& velocity, double dt) {
    if (world.ground == GroundKind::height_field) return true;  // its gap is not a distance
    const Vec3<T> center = pose.rotation * vector_at(touching.center) + pose.position;
    const Vec3<T>&v = velocity.linear, &w = velocity.angular;
    const double* c = touching.center;
    const double arm = std::abs(c[0]) + std::abs(c[1]) + std::abs(c[2]) + touching.radius;
    const T speed = mul_add(absolute(w.x) + absolute(w.y) + absolute(w.z), T(arm),
                            absolute(v.x) + absolute(v.y) + absolute(v.z));
    const T gap = touch_ground(world, center, touching.radius).gap;
    return any(neg_mul_add(speed, T(dt), gap) < T(1e-9));
}

// the contacts of this step, in the order of candidates; returns how many
template <class T>
TARSUS_APART int find_contacts(const World& world, const MovingBodies<T>& bodies,
                               const T* parameters, const T& alive, Contact<T>* out) {
    const T dt(world.dt), zero(0.0), one(1.0);
    int count = 0;
    const auto near = [&](const Touching& touching, const Pose<T>& pose) {
        return may_touch(world, touching, pose, bodies.free[touching.body + 1], world.dt);
    };
    for_each_candidate(
        world, bodies.pose, near, [&](int candidate, int a, int b, const Touch<T>& touch) {
            Contact<T>& contact = out[count];
            contact.touch = touch;
            contact.free = point_velocity(bodies.pose[a + 1], bodies.free[a + 1], touch.point);
            if (b >= 0) {
                contact.free -= point_velocity(bodies.pose[b + 1], bodies.free[b + 1], touch.point);
            }
            contact.start = point_velocity(bodies.pose[a + 1], bodies.start[a + 1], touch.point);
            if (b >= 0) {
                contact.start -=
                    point_velocity(bodies.pose[b + 1], bodies.start[b + 1], touch.point);
            }
            // what bounces does so in the step that is nearest to the moment of impact
            const T approach = dot(touch.normal, contact.start);
            const T bounces =
                select(approach < -parameters[kRestSpeed], parameters[kRestitution], zero);
            const T reach = select(bounces > zero, T(0.5) * dt, dt);
            const T coming = mul_add(dot(touch.normal, contact.free), reach, touch.gap);
            const T ahead = world.numbers.ahead ? select(coming < zero, one, zero) : zero;
            contact.on = select(touch.gap > zero, ahead, one) * alive;
            if (!any(contact.on > zero)) return;
            contact.candidate = candidate, contact.a = a, contact.b = b;
            tangents(touch.normal, contact.across, contact.along);
            ++count;
        });
    return count;
}

}  // namespace tarsus::TARSUS_ISA
