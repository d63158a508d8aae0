// Free: q = [x y z, quaternion x y z w]; v = [linear, angular] in the child's frame, SE(3).
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Free {
    static constexpr int nq = 7, nv = 6;
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, FullRotation<T>{rotation_of(quaternion_at(at.q + 3))},
                          {at.q[0], at.q[1], at.q[2]});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<0, 1, 2, 3, 4, 5>{};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const Quaternion<T> q = quaternion_at(at.q + 3);
        const Vec3<T> velocity = rotation_of(q) * Vec3<T>{v[0], v[1], v[2]};
        const T half(0.5);
        out[0] = velocity.x, out[1] = velocity.y, out[2] = velocity.z;
        store(q * Quaternion<T>{{v[3] * half, v[4] * half, v[5] * half}, T(0.0)}, out + 3);
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link&, const T* q, const T* dv, T* out) {
        const Vec3<T> linear{dv[0], dv[1], dv[2]}, angular{dv[3], dv[4], dv[5]};
        const Quaternion<T> from = quaternion_at(q + 3);
        const Vec3<T> step = rotation_of(from) * translation_of_twist(linear, angular);
        out[0] = q[0] + step.x, out[1] = q[1] + step.y, out[2] = q[2] + step.z;
        store(normalized(from * exponential(angular)), out + 3);
    }
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        const Quaternion<T> from = quaternion_at(q0 + 3);
        const Vec3<T> angular = logarithm(conjugate(from) * quaternion_at(q1 + 3));
        const Vec3<T> apart{q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
        const Vec3<T> linear =
            twist_of_translation(transposed_times(rotation_of(from), apart), angular);
        out[0] = linear.x, out[1] = linear.y, out[2] = linear.z;
        out[3] = angular.x, out[4] = angular.y, out[5] = angular.z;
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        for (int k = 0; k < 3; ++k) out[k] = sample_between(u[k], lower[k], upper[k], 1.0);
        sample_quaternion(u + 3, out + 3);
    }
};

}  // namespace tarsus::TARSUS_ISA
