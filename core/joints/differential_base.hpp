// Differential base: a vehicle on two driven wheels that roll on the plane z = 0 side by side.
// q = [x, y, heading, left, right] with the angles of the wheels; v = the rates of the wheels,
// positive forwards. The child's frame is on the ground midway between the wheels, x ahead and
// y towards the left wheel. The wheels have no bodies of their own: their masses belong to the
// base, and the inertia of each about its axle is an armature, which is exact.
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct DifferentialBase {
    static constexpr int nq = 5, nv = 2;
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine},
                          {at.q[0], at.q[1], T(0.0)});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T zero(0.0), ahead(advance(at.link)), turn(turning(at.link));
        return Columns<2, T>{{{{ahead, zero, zero}, {zero, zero, -turn}},
                              {{ahead, zero, zero}, {zero, zero, turn}}}};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const T speed = (v[0] + v[1]) * advance(at.link);
        out[0] = at.angle[0].cosine * speed, out[1] = at.angle[0].sine * speed;
        out[2] = (v[1] - v[0]) * turning(at.link), out[3] = v[0], out[4] = v[1];
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link& link, const T* q, const T* dv, T* out) {
        const T length = (dv[0] + dv[1]) * advance(link), turn = (dv[1] - dv[0]) * turning(link);
        follow_arc(q, length, turn, out);
        out[3] = q[3] + dv[0], out[4] = q[4] + dv[1];
    }
    // to the other angles of the wheels; place and heading are where the base then rolls to
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        out[0] = q1[3] - q0[3], out[1] = q1[4] - q0[4];
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        sample_place(u, lower, upper, out);
        for (int k = 3; k < 5; ++k) out[k] = sample_between(u[k], lower[k], upper[k], kHalfTurn);
    }

   private:
    // how far the base moves and turns for each radian of a wheel
    static TARSUS_INLINE double advance(const Link& link) { return 0.5 * link.radius; }
    static TARSUS_INLINE double turning(const Link& link) { return link.radius / link.track; }
};

}  // namespace tarsus::TARSUS_ISA
