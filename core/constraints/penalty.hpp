// Penalty contact: springs and dampers in the ground, for comparison.
//
//   normal       F = max(0, K δ + D δ̇), or K δ + D (δ/δ_ref) δ̇ (Hunt & Crossley 1975)
//   tangential   a spring on the way slipped since touching, and a damper, within the friction
//   bound;
//                at the bound the spring's foot is dragged along
//
// Semi-implicit Euler is stable where K dt²/m + 2 D dt/m < 4 and D dt/m < 2, m the mass that the
// contact feels.
#pragma once

#include "constraints/contact_set.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kReferenceDepth = 1e-3;  // [m] where Hunt & Crossley's damper is D

// force along normal, across and along; `slipped` (world axes) is the spring's way
template <class T>
TARSUS_INLINE void penalty_force(const World& world, const Contact<T>& contact, const T* parameters,
                                 Vec3<T>& slipped, T* force) {
    const ContactSpring spring = spring_of(world, contact.candidate);
    const T zero(0.0), depth = -contact.touch.gap;
    const Vec3<T> velocity = in_frame(contact, contact.start);
    const T damping = world.numbers.hunt_crossley ? depth * T(spring.damping / kReferenceDepth)
                                                  : T(spring.damping);
    const T normal = neg_mul_add(damping, velocity.x, depth * T(spring.stiffness));
    const T pushes = select(normal > zero, contact.on, zero);
    force[0] = select(pushes > zero, normal, zero);

    const T stiffness(spring.tangential_stiffness), rub(spring.tangential_damping);
    slipped = mul_add(contact.start, T(world.dt), slipped);
    const Vec3<T> way = in_frame(contact, slipped);
    const T wish[2] = {neg_mul_add(rub, velocity.y, -(stiffness * way.y)),
                       neg_mul_add(rub, velocity.z, -(stiffness * way.z))};
    const T speed = square_root(mul_add(velocity.y, velocity.y, velocity.z * velocity.z));
    const T size = square_root(mul_add(wish[0], wish[0], wish[1] * wish[1]));
    const T viscous = parameters[kViscous] * speed, fade = T(kFade) * force[0];
    const T limit = mul_add(friction_of(world, contact.candidate, parameters), force[0],
                            select(viscous < fade, viscous, fade));
    const T over = select(size > limit, T(1.0), zero);
    const T back = select(over > zero, limit / select(size > zero, size, T(1.0)), T(1.0));
    force[1] = select(pushes > zero, wish[0] * back, zero);
    force[2] = select(pushes > zero, wish[1] * back, zero);
    // dragged: the spring is as long as the force that is left asks for
    const T soft = T(1.0) / T(spring.tangential_stiffness > 0 ? spring.tangential_stiffness : 1.0);
    const T left[3] = {zero, -(mul_add(rub, velocity.y, force[1]) * soft),
                       -(mul_add(rub, velocity.z, force[2]) * soft)};
    const Vec3<T> dragged = from_frame(contact, left);
    const T stays = select(pushes > zero, T(1.0) - over, zero);
    const T drags = select(pushes > zero, over, zero);
    for (int i = 0; i < 3; ++i) {
        const T kept = select(stays > zero, part(slipped, i), zero);
        Vec3<T> d = dragged;
        part(slipped, i) = select(drags > zero, part(d, i), kept);
    }
}

}  // namespace tarsus::TARSUS_ISA
