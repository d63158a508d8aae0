// Spherical by Euler angles: R = R_z(q₀) R_y(q₁) R_x(q₂), v = q̇. Singular at q₁ = ±π/2.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct SphericalZyx : VectorCoordinates<3> {
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const T c0 = at.angle[0].cosine, s0 = at.angle[0].sine;
        const T c1 = at.angle[1].cosine, s1 = at.angle[1].sine;
        const T c2 = at.angle[2].cosine, s2 = at.angle[2].sine;
        return turning<T>(
            at.link, FullRotation<T>{{{c0 * c1, s0 * c1, -s1},
                                      {c0 * s1 * s2 - s0 * c2, s0 * s1 * s2 + c0 * c2, c1 * s2},
                                      {c0 * s1 * c2 + s0 * s2, s0 * s1 * c2 - c0 * s2, c1 * c2}}});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T c1 = at.angle[1].cosine, s1 = at.angle[1].sine;
        const T c2 = at.angle[2].cosine, s2 = at.angle[2].sine;
        const T one(1.0), zero(0.0);
        const Vec3<T> still = zero_vector<T>();
        return Columns<3, T>{{{still, {-s1, c1 * s2, c1 * c2}},
                              {still, {zero, c2, -s2}},
                              {still, {one, zero, zero}}}};
    }
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const T c1 = at.angle[1].cosine, s1 = at.angle[1].sine;
        const T c2 = at.angle[2].cosine, s2 = at.angle[2].sine;
        const T v01 = v[0] * v[1], v02 = v[0] * v[2], v12 = v[1] * v[2];
        return {zero_vector<T>(),
                {-(c1 * v01), c1 * c2 * v02 - s1 * s2 * v01 - s2 * v12,
                 -(s1 * c2 * v01) - c1 * s2 * v02 - c2 * v12}};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], kHalfTurn);
        out[1] = sample_between(u[1], lower[1], upper[1], 0.45 * kHalfTurn);  // off the singularity
        out[2] = sample_between(u[2], lower[2], upper[2], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
