// Which candidates touch in this step, in any lane: gaps, points, normals and velocities.
#pragma once

#include "geometry/candidates.hpp"
#include "world/world.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTouching = 1e-10;  // [m] gaps below are none: round-off must not part feet

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
    const Motion<T>*start, *ahead;
};

// a place that is wanted stays where it was
template <class T>
TARSUS_INLINE void stay(Touch<T>& touch, const Touch<T>& kept, const T& wanted) {
    const auto keep = [&](T& x, const T& before) { x = select(wanted > T(0.0), before, x); };
    keep(touch.gap, kept.gap), keep(touch.past, kept.past);
    keep(touch.point.x, kept.point.x), keep(touch.point.y, kept.point.y);
    keep(touch.point.z, kept.point.z), keep(touch.normal.x, kept.normal.x);
    keep(touch.normal.y, kept.normal.y), keep(touch.normal.z, kept.normal.z);
}

// The contacts of this step, in the order of candidates: those that touch, those that the
// velocities `ahead` bring together within it, and those that are `wanted` anyway, which stay where
// they were (`places`, if there are any). `everywhere`: not only on bodies that come near. Returns
// how many.
template <class T>
TARSUS_APART int find_contacts(const World& world, const MovingBodies<T>& bodies, const T& dt,
                               const T* parameters, const T& alive, const T* wanted,
                               const Touch<T>* places, bool everywhere, Contact<T>* out) {
    const T zero(0.0), one(1.0);
    int count = 0;
    // so near that each lane sees alone what it may want
    const double margin = world.numbers.ahead ? kSlowest * world.dt : 1e-9;
    const auto near = [&](const Touching& touching, const Pose<T>& pose) {
        const Motion<T>& velocity = bodies.ahead[touching.body + 1];
        return everywhere || may_touch(world.shapes, touching, pose, velocity, world.dt, margin);
    };
    const auto velocity = [&](const Motion<T>* motion, int a, int b, const Vec3<T>& point) {
        const Vec3<T> of_a = point_velocity(bodies.pose[a + 1], motion[a + 1], point);
        if (b < 0) return of_a;
        return of_a - point_velocity(bodies.pose[b + 1], motion[b + 1], point);
    };
    const T look_ahead = world.numbers.ahead ? dt : zero;
    for_each_coming(
        world.shapes, bodies.pose, bodies.ahead, look_ahead, everywhere, near,
        [&](int candidate, int a, int b, const Touch<T>& found) {
            Contact<T>& contact = out[count];
            Touch<T>& touch = contact.touch;
            touch = found;
            if (places && any(wanted[candidate] > zero)) {
                stay(touch, places[candidate], wanted[candidate]);
            }
            contact.free = velocity(bodies.ahead, a, b, touch.point);
            contact.start = velocity(bodies.start, a, b, touch.point);
            // what bounces does so in the step that is nearest to the moment of impact
            const T bounces = select(dot(touch.normal, contact.start) < -parameters[kRestSpeed],
                                     parameters[kRestitution], zero);
            const T reach = select(bounces > zero, T(0.5) * dt, dt);
            const T coming = mul_add(dot(touch.normal, contact.free), reach, touch.gap);
            const T comes = select(coming < T(-kTouching), one - touch.past, zero);
            // in the first look: only what is so near that it does not decide what is slow
            const T near_enough = select(touch.gap < T(kSlowest) * dt, wanted[candidate], zero);
            const T stays = places ? wanted[candidate] : near_enough;
            const T ahead = world.numbers.ahead ? select(comes > zero, one, stays) : zero;
            contact.on = select(touch.gap > zero, ahead, one) * alive;
            if (!any(contact.on > zero)) return;
            contact.candidate = candidate, contact.a = a, contact.b = b;
            tangents(touch.normal, contact.across, contact.along);
            ++count;
        });
    return count;
}

}  // namespace tarsus::TARSUS_ISA
