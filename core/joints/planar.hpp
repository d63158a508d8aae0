// Planar: q = [x, y, angle about z]; v = [v_x, v_y, ω] is the twist in the child's frame, SE(2).
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct Planar {
    static constexpr int nq = 3, nv = 3;
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine},
                          {at.q[0], at.q[1], T(0.0)});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<0, 1, 5>{};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const RotationZ<T> rotation{at.angle[0].cosine, at.angle[0].sine};
        const Vec3<T> velocity = rotation.out(Vec3<T>{v[0], v[1], T(0.0)});
        out[0] = velocity.x, out[1] = velocity.y, out[2] = v[2];
    }
    // exp of SE(2): translates by V(ω) v, V = [a −b; b a], a = sin ω/ω, b = (1 − cos ω)/ω
    template <class T>
    static TARSUS_INLINE void integrate(const Link&, const T* q, const T* dv, T* out) {
        const Vec3<T> turn{T(0.0), T(0.0), dv[2]};
        const Vec3<T> moved = translation_of_twist(Vec3<T>{dv[0], dv[1], T(0.0)}, turn);
        const Angle<T> at = sincos_of(q[2]);
        const Vec3<T> step = RotationZ<T>{at.cosine, at.sine}.out(moved);
        out[0] = q[0] + step.x, out[1] = q[1] + step.y, out[2] = q[2] + dv[2];
    }
    // the shortest twist: its angle is wrapped to ±π, whole turns are not distinguished
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        const Vec3<T> angle{T(0.0), T(0.0), shortest_turn(q1[2] - q0[2])};
        const Angle<T> at = sincos_of(q0[2]);
        const Vec3<T> apart{q1[0] - q0[0], q1[1] - q0[1], T(0.0)};
        const Vec3<T> moved = RotationZ<T>{at.cosine, at.sine}.in(apart);
        const Vec3<T> step = twist_of_translation(moved, angle);
        out[0] = step.x, out[1] = step.y, out[2] = angle.z;
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        sample_place(u, lower, upper, out);
    }
};

}  // namespace tarsus::TARSUS_ISA
