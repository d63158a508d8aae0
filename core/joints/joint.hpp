// What every joint file offers, for any scalar T; `at` holds the joint's own coordinates.
//
//   nq, nv                    how many configuration and velocity coordinates
//   transform(at)             where the child is on the parent
//   subspace(at)              S: motions of the child in its own frame, v_child = X v_parent + S v
//   bias(at, v)               Ṡ v, the rate of the subspace in the child's frame; absent
//                             (kConstantSubspace) where S does not depend on q
//   rate(at, v, out)          q̇ for the velocity v
//   integrate(link, q, dv, out)     the configuration reached from q by the tangent step dv
//   difference(link, q0, q1, out)   the tangent step from q0 to q1
//   sample(u, lower, upper, out)   a configuration from nq uniform numbers in [0, 1)
//
// A joint that rolls or skates has more coordinates than velocities, nq > nv: it goes to places
// that no single step leads to. `integrate` is still exact for a constant velocity, or of the order
// that the joint's file states, and `difference` undoes it; towards a q1 that a constant velocity
// does not reach, the joint's file says what it is.
#pragma once

#include "spatial/quaternion.hpp"
#include "spatial/subspace.hpp"
#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct At {
    const Link& link;
    const T* q;
    const Angle<T>* angle;
};

// Coordinates that simply add up: q̇ = v, steps are sums.
template <int N>
struct VectorCoordinates {
    static constexpr int nq = N, nv = N;

    template <class T>
    static TARSUS_INLINE void rate(const At<T>&, const T* v, T* out) {
        for (int k = 0; k < N; ++k) out[k] = v[k];
    }
    template <class T>
    static TARSUS_INLINE void integrate(const Link&, const T* q, const T* dv, T* out) {
        for (int k = 0; k < N; ++k) out[k] = q[k] + dv[k];
    }
    template <class T>
    static TARSUS_INLINE void difference(const Link&, const T* q0, const T* q1, T* out) {
        for (int k = 0; k < N; ++k) out[k] = q1[k] - q0[k];
    }
};

// Uniform within the limits; a missing limit lies 2·reach beyond the other, or at ±reach.
inline double sample_between(double u, double lower, double upper, double reach) {
    const bool below = std::isfinite(lower), above = std::isfinite(upper);
    const double from = below ? lower : above ? upper - 2 * reach : -reach;
    const double to = above ? upper : below ? lower + 2 * reach : reach;
    return from + u * (to - from);
}

constexpr double kHalfTurn = 3.14159265358979323846;

// Uniform on the group of rotations (Shoemake, Graphics Gems III, 1992).
inline void sample_quaternion(const double* u, double* out) {
    const double a = std::sqrt(1 - u[0]), b = std::sqrt(u[0]);
    const double s = 2 * kHalfTurn * u[1], t = 2 * kHalfTurn * u[2];
    out[0] = a * std::sin(s), out[1] = a * std::cos(s);
    out[2] = b * std::sin(t), out[3] = b * std::cos(t);
}

}  // namespace tarsus::TARSUS_ISA
