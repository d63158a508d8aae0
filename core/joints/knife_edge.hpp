// Knife edge (a skate): moves along its own x and turns about z in the plane z = 0, never sideways.
// q = [x, y, heading]; v = [forward speed, turn rate].
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct KnifeEdge {
    static constexpr int nq = 3, nv = 2;
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine},
                          {at.q[0], at.q[1], T(0.0)});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<0, 5>{};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        out[0] = at.angle[0].cosine * v[0], out[1] = at.angle[0].sine * v[0], out[2] = v[1];
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link&, const T* q, const T* dv, T* out) {
        follow_arc(q, dv[0], dv[1], out);
    }
    // The shortest turn to the other heading, and of all arcs that turn so the one that ends
    // nearest to the other place. Their chords all point along half the turn, and a chord is
    // sin(turn/2)/(turn/2) of its arc.
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        const T turn = shortest_turn(q1[2] - q0[2]), half = turn * T(0.5);
        const Angle<T> along = sincos_of(q0[2] + half), bend = sincos_of(half);
        const T chord = mul_add(along.sine, q1[1] - q0[1], along.cosine * (q1[0] - q0[0]));
        const T square = half * half;
        const T series = mul_add(square, mul_add(square, T(1.0 / 120), T(-1.0 / 6)), T(1.0));
        out[0] = chord / select(square < T(1e-4), series, bend.sine / half);
        out[1] = turn;
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        sample_place(u, lower, upper, out);
    }
};

}  // namespace tarsus::TARSUS_ISA
