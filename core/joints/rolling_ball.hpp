// Rolling ball: rolls on the plane z = 0 without slipping, and may spin about the normal.
// q = [x, y, quaternion x y z w] with the contact point x, y; v = the angular velocity in the
// child's frame, which is at the centre and turns with the ball.
#pragma once

#include "joints/plane.hpp"

namespace tarsus::TARSUS_ISA {

struct RollingBall {
    static constexpr int nq = 6, nv = 3;
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, FullRotation<T>{rotation_of(quaternion_at(at.q + 2))},
                          {at.q[0], at.q[1], T(at.link.radius)});
    }
    // the centre moves with ω × c, c from the contact point to the centre
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const Vec3<T> c = from_contact(at);
        const T one(1.0), zero(0.0);
        return Columns<3, T>{{{{zero, -c.z, c.y}, {one, zero, zero}},
                              {{c.z, zero, -c.x}, {zero, one, zero}},
                              {{-c.y, c.x, zero}, {zero, zero, one}}}};
    }
    // c keeps its direction in space: ċ = c × ω in the child
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const Vec3<T> omega{v[0], v[1], v[2]};
        return {cross(omega, cross(from_contact(at), omega)), zero_vector<T>()};
    }
    template <class T>
    static TARSUS_INLINE void rate(const At<T>& at, const T* v, T* out) {
        const Quaternion<T> q = quaternion_at(at.q + 2);
        const Vec3<T> omega = rotation_of(q) * Vec3<T>{v[0], v[1], v[2]};
        const T half(0.5);
        out[0] = omega.y * at.link.radius, out[1] = omega.x * -at.link.radius;
        store(q * Quaternion<T>{{v[0] * half, v[1] * half, v[2] * half}, T(0.0)}, out + 2);
    }
    // The axis of a constant ω in the child is at rest in space as well: the ball rolls straight.
    template <class T>
    static TARSUS_INLINE void integrate(const Link& link, const T* q, const T* dv, T* out) {
        const Quaternion<T> from = quaternion_at(q + 2);
        const Vec3<T> turn{dv[0], dv[1], dv[2]}, in_space = rotation_of(from) * turn;
        out[0] = mul_add(in_space.y, link.radius, q[0]);
        out[1] = neg_mul_add(in_space.x, link.radius, q[1]);
        store(normalized(from * exponential(turn)), out + 2);
    }
    // the shortest turn to the other orientation; the place is where the ball then rolls to
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
    template <class T>
    static TARSUS_INLINE Vec3<T> from_contact(const At<T>& at) {
        const Mat3<T> rotation = rotation_of(quaternion_at(at.q + 2));
        return Vec3<T>{rotation.x.z, rotation.y.z, rotation.z.z} * at.link.radius;
    }
};

}  // namespace tarsus::TARSUS_ISA
