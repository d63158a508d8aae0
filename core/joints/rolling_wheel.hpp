// Rolling wheel: stays upright on the plane z = 0 and rolls without slipping.
// q = [x, y, heading, spin] with the contact point x, y; v = [turn rate, spin rate].
// The child's frame is at the centre, at the height of the radius, and spins with the wheel about
// its axle y: R = R_z(heading) R_y(spin).
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct RollingWheel {
    static constexpr int nq = 4, nv = 2;
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const T ch = at.angle[0].cosine, sh = at.angle[0].sine;
        const T cs = at.angle[1].cosine, ss = at.angle[1].sine, zero(0.0);
        return sliding<T>(
            at.link,
            FullRotation<T>{{{ch * cs, sh * cs, -ss}, {-sh, ch, zero}, {ch * ss, sh * ss, cs}}},
            {at.q[0], at.q[1], T(at.link.radius)});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T cs = at.angle[1].cosine, ss = at.angle[1].sine, one(1.0), zero(0.0);
        const double r = at.link.radius;
        return Columns<2, T>{
            {{zero_vector<T>(), {-ss, zero, cs}}, {{cs * r, zero, ss * r}, {zero, one, zero}}}};
    }
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const T cs = at.angle[1].cosine, ss = at.angle[1].sine, zero(0.0);
        const T turning = v[0] * v[1], rolling = v[1] * v[1] * at.link.radius;
        return {{-(ss * rolling), zero, cs * rolling}, {-(cs * turning), zero, -(ss * turning)}};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const T speed = v[1] * at.link.radius;
        out[0] = at.angle[0].cosine * speed, out[1] = at.angle[0].sine * speed;
        out[2] = v[0], out[3] = v[1];
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link& link, const T* q, const T* dv, T* out) {
        follow_arc(q, dv[1] * link.radius, dv[0], out);
        out[3] = q[3] + dv[1];
    }
    // to the other heading and spin; the place is where the wheel then rolls to
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        out[0] = q1[2] - q0[2], out[1] = q1[3] - q0[3];
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        sample_place(u, lower, upper, out);
        out[3] = sample_between(u[3], lower[3], upper[3], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
