// A screw across a revolute joint, as in the knee of Lola (Schwienbacher 2013, eq. 3.3–3.4): the
// nut's distance from the pivot, r(q) = pivot + Rot(axis, q) nut, turns the screw by 2π/lead · |r|.
// Numbers: pivot (3), nut (3), axis (3), lead.
#pragma once

#include "couplings/coupling.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE Vec3<T> spindle_vector(const double* numbers, const T& q) {
    return constant_vector<T>(numbers) +
           turned_about(vector_at(numbers + 6), sincos_of(q), constant_vector<T>(numbers + 3));
}

struct Spindle {
    static constexpr int leaders = 1, followers = 1;

    template <class T>
    static TARSUS_INLINE void value(const double* numbers, const T* y, T* x) {
        const Vec3<T> r = spindle_vector(numbers, y[0]);
        x[0] = T(kTurn / numbers[9]) * square_root(dot(r, r));
    }
};

}  // namespace tarsus::TARSUS_ISA
