// Boxes that stay apart: a plane along a face of one of them is between them, with more room than
// they cross in a step. Where many boxes lie side by side, their balls meet and they do not.
#pragma once

#include "geometry/flight.hpp"

namespace tarsus::TARSUS_ISA {

// how far b is from a along the axes of a, the most; centres are `apart`
template <class T>
TARSUS_INLINE T face_separation(const Solid& a, const Mat3<T>& axes_a, const Solid& b,
                                const Mat3<T>& axes_b, const Vec3<T>& apart) {
    const Vec3<T>* axis[3] = {&axes_a.x, &axes_a.y, &axes_a.z};
    const Vec3<T>* other[3] = {&axes_b.x, &axes_b.y, &axes_b.z};
    T most(-kFar);
    for (int i = 0; i < 3; ++i) {
        T gap = absolute(dot(apart, *axis[i])) - T(a.size[i]);
        for (int k = 0; k < 3; ++k) {
            gap = neg_mul_add(absolute(dot(*axis[i], *other[k])), T(b.size[k]), gap);
        }
        most = select(gap > most, gap, most);
    }
    return most;
}

// whether two boxes cannot meet within a step, in any lane: then nothing that looks closer, down to
// kNearFace, would find a contact
template <class T>
TARSUS_INLINE bool stay_apart(const Solid& a, const Solid& b, const Pose<T>* pose,
                              const Motion<T>* velocity, const T& dt) {
    if (a.kind != SolidKind::box || b.kind != SolidKind::box) return false;
    const Pose<T> at_a = frame_on(a.on, pose[a.body + 1]), at_b = frame_on(b.on, pose[b.body + 1]);
    const Vec3<T> apart = at_a.position - at_b.position;
    const T along_a = face_separation(a, at_a.rotation, b, at_b.rotation, apart);
    const T along_b = face_separation(b, at_b.rotation, a, at_a.rotation, apart);
    const T gap = select(along_a > along_b, along_a, along_b);
    const T speed = fastest(velocity[a.body + 1], a.on.position, a.reach) +
                    fastest(velocity[b.body + 1], b.on.position, b.reach);
    const T way = mul_add(speed, dt, T(kNearFace + 1e-9));
    return !any(T(1.0) - select(gap > way, T(1.0), T(0.0)) > T(0.0));
}

}  // namespace tarsus::TARSUS_ISA
