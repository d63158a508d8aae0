#include "flow/compliant_contacts.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kSeen = 1.0;  // [m] gaps of solids that are farther apart are not told

template <class T>
void note(T* to, const Vec3<T>& a) {
    to[0] = a.x, to[1] = a.y, to[2] = a.z;
}

}  // namespace

template <class T>
void CompliantContacts<T>::push(BodyForces<T>& bodies, const T* parameters, const T* deformation,
                                const T* on, T* rates, T* records) const {
    const auto touches = [&](int k, int a, int b, const Touch<T>& touch) {
        const T own[2] = {friction_of(world_, k, parameters), parameters[kViscous]};
        const CompliantNumbers numbers = compliant_numbers_of(world_, k, numbers_);
        meet(bodies, a, b, touch, numbers, own, deformation + k * kDeformation, on[k],
             rates + k * kDeformation, records + k * kTouchRecord);
    };
    const auto everywhere = [](const Touching&, const Pose<T>&) { return true; };
    for_each_on_ground(world_.shapes, bodies.pose, everywhere, touches);
    for_each_pair_within(world_.shapes, bodies.pose, kSeen, touches);
}

template <class T>
TARSUS_APART void CompliantContacts<T>::meet(BodyForces<T>& bodies, int a, int b,
                                             const Touch<T>& touch, const CompliantNumbers& numbers,
                                             const T* parameters, const T* deformation, const T& on,
                                             T* rates, T* record) const {
    const T zero(0.0);
    const Vec3<T>& z = touch.normal;
    Vec3<T> x, y;
    tangents(z, x, y);
    // p₁ + κ₂ Δ g₁ (Duindam 2006, (3.21), with the sign that geometry asks for): points on the
    // ground are p₁, those of pairs half way
    const T depth = select(on > zero, touch.gap, zero);
    const T share(b < 0 ? numbers.share : numbers.share - 0.5);
    const Vec3<T> origin = mul_add(z, share * depth, touch.point);
    Vec3<T> v = point_velocity(bodies.pose[a + 1], bodies.motion[a + 1], origin);
    Vec3<T> w = bodies.pose[a + 1].rotation * bodies.motion[a + 1].angular;
    if (b >= 0) {
        v -= point_velocity(bodies.pose[b + 1], bodies.motion[b + 1], origin);
        w -= bodies.pose[b + 1].rotation * bodies.motion[b + 1].angular;
    }
    const Mat3<T> axes{x, y, z};
    const Motion<T> twist{transposed_times(axes, v), transposed_times(axes, w)};
    const Response<T> found = respond(numbers, deformation, twist, parameters);

    const Force<T> wrench{axes * (found.wrench.linear * on), axes * (found.wrench.angular * on)};
    Force<T>& on_a = bodies.force[a + 1];
    on_a = on_a + force_on(bodies.pose[a + 1], origin, wrench);
    if (b >= 0) {
        Force<T>& on_b = bodies.force[b + 1];
        on_b = on_b - force_on(bodies.pose[b + 1], origin, wrench);
    }
    for (int i = 0; i < kDeformation; ++i) rates[i] = found.rates[i] * on;
    note(record + kTouchPoint, origin), note(record + kTouchNormal, z);
    note(record + kTouchForce, wrench.linear), note(record + kTouchMoment, wrench.angular);
    record[kTouchGap] = touch.gap, record[kTouchSpeed] = twist.linear.z;
    record[kTouchStored] = found.stored;  // what is left of a contact that has ended, too
    record[kTouchNormalLoss] = found.lost_normal * on;
    record[kTouchSlipLoss] = found.lost_slip * on, record[kTouchSlips] = found.slips * on;
}

template class CompliantContacts<double>;
template class CompliantContacts<Lanes>;

}  // namespace tarsus::TARSUS_ISA
