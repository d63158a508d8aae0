// The spindle with the swivel of its screw (Schwienbacher 2013, eq. 3.15–3.21): the first follower
// tilts about the joint's axis, from a reference direction to the nut; the second is the screw.
// Numbers: pivot (3), nut (3), axis (3), reference (3), lead.
#pragma once

#include "couplings/spindle.hpp"

namespace tarsus::TARSUS_ISA {

struct TiltingSpindle {
    static constexpr int leaders = 1, followers = 2;

    template <class T>
    static TARSUS_INLINE void value(const double* numbers, const T* y, T* x) {
        const Vec3<T> r = spindle_vector(numbers, y[0]);
        const Vec3<T> axis = constant_vector<T>(numbers + 6),
                      from = constant_vector<T>(numbers + 9);
        x[0] = arctangent(dot(axis, cross(from, r)), dot(from, r));
        x[1] = T(kTurn / numbers[12]) * square_root(dot(r, r));
    }
};

}  // namespace tarsus::TARSUS_ISA
