// Which candidates touch in this step, in any lane: gaps, points, normals and velocities.
#pragma once

#include "constraints/candidate_numbers.hpp"
#include "geometry/candidates.hpp"
#include "geometry/pair_search.hpp"

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

// What belongs to the step's problem whatever it seems to do: for each candidate 1 or 0, and the
// pairs of solids that have such. `places`, if there are any, tell where these stay; `everywhere`:
// they are looked for on bodies and pairs that do not come near, too.
template <class T>
struct Wanted {
    const T* candidate;
    std::span<const int> pairs;
    const Touch<T>* places;
    bool everywhere;
};

// The contacts of this step, in the order of candidates: those that touch, those that the
// velocities `ahead` bring together within it, and those that are wanted anyway. Returns how many.
template <class T>
int find_contacts(const World& world, const MovingBodies<T>& bodies, const T& dt,
                  const T* parameters, const T& alive, const Wanted<T>& wanted,
                  PairSearch<T>& search, Contact<T>* out);

}  // namespace tarsus::TARSUS_ISA
