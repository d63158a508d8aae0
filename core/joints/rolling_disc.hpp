// Rolling disc: a thin disc, or the rim of a wheel, that rolls on the plane z = 0 without slipping
// and is free to lean. q = [x, y, heading, lean, spin] with the contact point x, y; v = the rates
// of heading, lean and spin. The child's frame is at the centre and spins with the disc about its
// axle y: R = R_z(heading) R_x(lean) R_y(spin). Singular where the disc lies flat, at
// lean = ±π/2: heading and spin are one motion there, and the mass matrix is singular.
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct RollingDisc {
    static constexpr int nq = 5, nv = 3;
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const T ch = at.angle[0].cosine, sh = at.angle[0].sine, zero(0.0);
        const T cl = at.angle[1].cosine, sl = at.angle[1].sine;
        const T cs = at.angle[2].cosine, ss = at.angle[2].sine;
        const Vec3<T> forward{ch, sh, zero}, up{sh * sl, -(ch * sl), cl};  // up along the disc
        const Vec3<T> axle{-(sh * cl), ch * cl, sl}, contact{at.q[0], at.q[1], zero};
        return sliding<T>(at.link,
                          FullRotation<T>{{neg_mul_add(up, ss, forward * cs), axle,
                                           mul_add(up, cs, forward * ss)}},
                          mul_add(up, at.link.radius, contact));
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T cl = at.angle[1].cosine, sl = at.angle[1].sine;
        const T cs = at.angle[2].cosine, ss = at.angle[2].sine, one(1.0), zero(0.0);
        const double r = at.link.radius;
        const Vec3<T> forward{cs, zero, ss}, along = forward * r;
        return Columns<3, T>{{{along * sl, {-(cl * ss), sl, cl * cs}},
                              {{zero, T(-r), zero}, forward},
                              {along, {zero, one, zero}}}};
    }
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const T cl = at.angle[1].cosine, sl = at.angle[1].sine;
        const T cs = at.angle[2].cosine, ss = at.angle[2].sine, zero(0.0);
        const T v01 = v[0] * v[1], leaning = cl * v01;
        // what turns forward {cs, 0, ss} and up {−ss, 0, cs}, the directions in the disc
        const T roll = mul_add(sl, v[0], v[2]) * v[2] * at.link.radius;
        const T swing = leaning * at.link.radius;
        const T forward = cl * v[0] * v[2], up = neg_mul_add(sl, v01, v[1] * v[2]);
        return {{neg_mul_add(ss, roll, cs * swing), zero, mul_add(cs, roll, ss * swing)},
                {neg_mul_add(ss, up, -(cs * forward)), leaning, neg_mul_add(ss, forward, cs * up)}};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const T speed = v[2] * at.link.radius;
        out[0] = at.angle[0].cosine * speed, out[1] = at.angle[0].sine * speed;
        out[2] = v[0], out[3] = v[1], out[4] = v[2];
    }
    // The contact point follows the heading whatever the lean: an arc.
    template <class T>
    static TARSUS_INLINE void integrate(const Link& link, const T* q, const T* dv, T* out) {
        follow_arc(q, dv[2] * link.radius, dv[0], out);
        out[3] = q[3] + dv[1], out[4] = q[4] + dv[2];
    }
    // to the other heading, lean and spin; the place is where the disc then rolls to
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        for (int k = 0; k < 3; ++k) out[k] = q1[2 + k] - q0[2 + k];
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        sample_place(u, lower, upper, out);
        out[3] = sample_between(u[3], lower[3], upper[3], 0.4 * kHalfTurn);  // off the singularity
        out[4] = sample_between(u[4], lower[4], upper[4], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
