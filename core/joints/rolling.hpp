// Rolling: a closed convex body (sphere, ellipsoid, rim of a disc, torus) rolls on a ground
// z = h(x, y) of the joint's frame without slipping, and may spin about the normal.
// q = [x, y, quaternion x y z w] with the contact point x, y; v = the angular velocity in the
// child's frame, which is that of the body's surface and turns with it. rolling_contact.hpp has the
// equations. A disc or torus that lies flat touches all around: nothing is finite there.
#pragma once

#include "joints/rolling_contact.hpp"

namespace tarsus::TARSUS_ISA {

struct Rolling {
    static constexpr int nq = 6, nv = 3;
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const Mat3<T> rotation = rotation_of(quaternion_at(at.q + 2));
        const Height<T> ground = ground_at(at.link.ground, at.q[0], at.q[1]);
        const Vec3<T> contact{at.q[0], at.q[1], ground.z};
        return sliding<T>(at.link, FullRotation<T>{rotation},
                          contact - rotation * touching(at.link, rotation, ground));
    }
    // the origin moves with P × ω
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const Mat3<T> rotation = rotation_of(quaternion_at(at.q + 2));
        const Height<T> ground = ground_at(at.link.ground, at.q[0], at.q[1]);
        const Vec3<T> p = touching(at.link, rotation, ground);
        const T one(1.0), zero(0.0);
        return Columns<3, T>{{{{zero, p.z, -p.y}, {one, zero, zero}},
                              {{-p.z, zero, p.x}, {zero, one, zero}},
                              {{p.y, -p.x, zero}, {zero, zero, one}}}};
    }
    // Ṗ × ω with Ṗ = Rᵀ ġ
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const Mat3<T> rotation = rotation_of(quaternion_at(at.q + 2));
        const Height<T> ground = ground_at(at.link.ground, at.q[0], at.q[1]);
        const Vec3<T> omega{v[0], v[1], v[2]};
        T along[2];
        contact_rate(at.link, at.q, rotation, omega, along);
        const T rise = mul_add(ground.y, along[1], ground.x * along[0]);
        const Vec3<T> moved = transposed_times(rotation, Vec3<T>{along[0], along[1], rise});
        return {cross(moved, omega), zero_vector<T>()};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const Quaternion<T> q = quaternion_at(at.q + 2);
        const Vec3<T> omega{v[0], v[1], v[2]};
        contact_rate(at.link, at.q, rotation_of(q), omega, out);
        store(q * Quaternion<T>{omega * T(0.5), T(0.0)}, out + 2);
    }
    // The orientation is exact; the contact's path is followed by one step of order 8.
    template <class T>
    static TARSUS_INLINE void integrate(const Link& link, const T* q, const T* dv, T* out) {
        const Quaternion<T> from = quaternion_at(q + 2);
        const Vec3<T> turn{dv[0], dv[1], dv[2]};
        contact_path(link, q, from, turn, out);
        store(normalized(from * exponential(turn)), out + 2);
    }
    // the shortest turn to the other orientation; the place is where the body then rolls to
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        const Vec3<T> step = logarithm(conjugate(quaternion_at(q0 + 2)) * quaternion_at(q1 + 2));
        out[0] = step.x, out[1] = step.y, out[2] = step.z;
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        for (int k = 0; k < 2; ++k) out[k] = sample_between(u[k], lower[k], upper[k], 1.0);
        sample_quaternion(u + 2, out + 2);
    }

   private:
    // P, the point of the body that touches the ground
    template <class T>
    static TARSUS_INLINE Vec3<T> touching(const Link& link, const Mat3<T>& rotation,
                                          const Height<T>& ground) {
        return point_with_normal(link.surface, transposed_times(rotation, ground.down()));
    }
};

}  // namespace tarsus::TARSUS_ISA
