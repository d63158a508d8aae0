// Spherical: q is a unit quaternion [x y z w], v the angular velocity in the child's frame.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Spherical {
    static constexpr int nq = 4, nv = 3;
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return turning<T>(at.link, FullRotation<T>{rotation_of(quaternion_at(at.q))});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<3, 4, 5>{};
    }
    // ½ q ⊗ ω
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const T half(0.5);
        const Quaternion<T> omega{{v[0] * half, v[1] * half, v[2] * half}, T(0.0)};
        store(quaternion_at(at.q) * omega, out);
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link&, const T* q, const T* dv, T* out) {
        store(normalized(quaternion_at(q) * exponential(Vec3<T>{dv[0], dv[1], dv[2]})), out);
    }
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        const Vec3<T> step = logarithm(conjugate(quaternion_at(q0)) * quaternion_at(q1));
        out[0] = step.x, out[1] = step.y, out[2] = step.z;
    }
    static void sample(const double* u, const double*, const double*, double* out) {
        sample_quaternion(u, out);
    }
};

}  // namespace tarsus::TARSUS_ISA
