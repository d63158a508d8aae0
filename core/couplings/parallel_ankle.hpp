// Two screws that drive an ankle of two axes through couplers (Schwienbacher 2013, eq. 3.25):
// r = ankle + Rot(first axis, q₀) Rot(second axis, q₁) bottom − top,
// l = e·r − √(l_c² − |r|² + (e·r)²), and the screw turns by 2π/lead · l.
// Numbers: ankle (3), first axis (3), second axis (3), screw axis e (3), coupler length l_c,
// tops (2 × 3), bottoms (2 × 3), lead.
#pragma once

#include "couplings/coupling.hpp"

namespace tarsus::TARSUS_ISA {

struct ParallelAnkle {
    static constexpr int leaders = 2, followers = 2;

    template <class T>
    static TARSUS_INLINE void value(const double* numbers, const T* y, T* x) {
        const Angle<T> first = sincos_of(y[0]), second = sincos_of(y[1]);
        const Vec3<T> ankle = constant_vector<T>(numbers), e = constant_vector<T>(numbers + 9);
        const double coupler = numbers[12];
        for (int side = 0; side < 2; ++side) {
            const Vec3<T> bottom = constant_vector<T>(numbers + 19 + 3 * side);
            const Vec3<T> inner = turned_about(vector_at(numbers + 6), second, bottom);
            const Vec3<T> outer = turned_about(vector_at(numbers + 3), first, inner);
            const Vec3<T> r = ankle + outer - constant_vector<T>(numbers + 13 + 3 * side);
            const T along = dot(e, r);
            const T square = mul_add(along, along, T(coupler * coupler) - dot(r, r));
            x[side] = T(kTurn / numbers[25]) * (along - square_root(square));
        }
    }
};

}  // namespace tarsus::TARSUS_ISA
