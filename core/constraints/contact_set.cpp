#include "constraints/contact_set.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// a place that is wanted stays where it was
template <class T>
TARSUS_INLINE void stay(Touch<T>& touch, const Touch<T>& kept, const T& wanted) {
    const auto keep = [&](T& x, const T& before) { x = select(wanted > T(0.0), before, x); };
    keep(touch.gap, kept.gap), keep(touch.past, kept.past), keep(touch.missed, kept.missed);
    keep(touch.point.x, kept.point.x), keep(touch.point.y, kept.point.y);
    keep(touch.point.z, kept.point.z), keep(touch.normal.x, kept.normal.x);
    keep(touch.normal.y, kept.normal.y), keep(touch.normal.z, kept.normal.z);
}

}  // namespace

template <class T>
TARSUS_FLATTEN int find_contacts(const World& world, const MovingBodies<T>& bodies, const T& dt,
                                 const T* parameters, const T& alive, const Wanted<T>& wanted,
                                 PairSearch<T>& search, Contact<T>* out) {
    const T zero(0.0), one(1.0);
    int count = 0;
    // so near that each lane sees alone what it may want
    const double margin = world.numbers.ahead ? kSlowest * world.dt : 1e-9;
    const auto near = [&](const Touching& touching, const Pose<T>& pose) {
        const Motion<T>& velocity = bodies.ahead[touching.body + 1];
        return wanted.everywhere ||
               may_touch(world.shapes, touching, pose, velocity, world.dt, margin);
    };
    const auto velocity = [&](const Motion<T>* motion, int a, int b, const Vec3<T>& point) {
        const Vec3<T> of_a = point_velocity(bodies.pose[a + 1], motion[a + 1], point);
        if (b < 0) return of_a;
        return of_a - point_velocity(bodies.pose[b + 1], motion[b + 1], point);
    };
    const T look_ahead = world.numbers.ahead ? dt : zero;
    const auto look = [&](int candidate, int a, int b, const Touch<T>& found) {
        Contact<T>& contact = out[count];
        Touch<T>& touch = contact.touch;
        const T& own = wanted.candidate[candidate];
        touch = found;
        if (wanted.places && any(own > zero)) stay(touch, wanted.places[candidate], own);
        contact.free = velocity(bodies.ahead, a, b, touch.point);
        contact.start = velocity(bodies.start, a, b, touch.point);
        // what bounces does so in the step that is nearest to the moment of impact
        const T bounces = select(dot(touch.normal, contact.start) < -parameters[kRestSpeed],
                                 restitution_of(world, candidate, parameters), zero);
        const T reach = select(bounces > zero, T(0.5) * dt, dt);
        const T coming = mul_add(dot(touch.normal, contact.free), reach, touch.gap);
        const T comes = select(coming < T(-kTouching), one - touch.past, zero);
        // in the first look: only what is so near that it does not decide what is slow
        const T near_enough = select(touch.gap < T(kSlowest) * dt, own, zero);
        const T stays = wanted.places ? own : near_enough;
        const T ahead = world.numbers.ahead ? select(comes > zero, one, stays) : zero;
        contact.on = select(touch.gap > zero, ahead, one) * alive;
        if (!any(contact.on > zero)) return;
        contact.candidate = candidate, contact.a = a, contact.b = b;
        tangents(touch.normal, contact.across, contact.along);
        ++count;
    };
    for_each_on_ground(world.shapes, bodies.pose, near, look);
    const std::span<const int> pairs =
        search.find(bodies.pose, bodies.ahead, look_ahead,
                    wanted.everywhere ? wanted.pairs : std::span<const int>{});
    for_each_pair(world.shapes, pairs, bodies.pose, bodies.ahead, look_ahead, look);
    return count;
}

#define TARSUS_CONTACT_SET(T)                                                                      \
    template int find_contacts(const World&, const MovingBodies<T>&, const T&, const T*, const T&, \
                               const Wanted<T>&, PairSearch<T>&, Contact<T>*);
TARSUS_CONTACT_SET(double)
TARSUS_CONTACT_SET(Lanes)

}  // namespace tarsus::TARSUS_ISA
