// How one candidate rubs, bounces and gives way: as its state says, unless its shapes have numbers
// of their own.
#pragma once

#include "world/world.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE T blended(const Blend& blend, const T& x) {
    const T mixed = mul_add(T(blend.scale), x, T(blend.offset)), low(blend.low), high(blend.high);
    const T above = select(mixed < low, low, mixed);
    return select(above > high, high, above);
}

template <class T>
TARSUS_INLINE T friction_of(const World& world, int candidate, const T* parameters) {
    if (world.candidate_friction.empty()) return parameters[kFriction];
    return blended(world.candidate_friction[candidate], parameters[kFriction]);
}

template <class T>
TARSUS_INLINE T restitution_of(const World& world, int candidate, const T* parameters) {
    if (world.candidate_restitution.empty()) return parameters[kRestitution];
    return blended(world.candidate_restitution[candidate], parameters[kRestitution]);
}

inline ContactSpring spring_of(const World& world, int candidate) {
    if (!world.candidate_springs.empty()) return world.candidate_springs[candidate];
    const LawNumbers& all = world.numbers;
    return {all.stiffness, all.damping, all.tangential_stiffness, all.tangential_damping};
}

inline const LawExtras& extras_of(const World& world, int candidate) {
    return world.candidate_extras.empty() ? world.extras : world.candidate_extras[candidate];
}

}  // namespace tarsus::TARSUS_ISA
