// Universal (Cardan): R = R_x(q₀) R_z(q₁). The first axis moves in the child's frame.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Universal : VectorCoordinates<2> {
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const T c0 = at.angle[0].cosine, s0 = at.angle[0].sine;
        const T c1 = at.angle[1].cosine, s1 = at.angle[1].sine, zero(0.0);
        return turning<T>(
            at.link,
            FullRotation<T>{{{c1, c0 * s1, s0 * s1}, {-s1, c0 * c1, s0 * c1}, {zero, -s0, c0}}});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T one(1.0), zero(0.0);
        const Vec3<T> still = zero_vector<T>();
        return Columns<2, T>{
            {{still, {at.angle[1].cosine, -at.angle[1].sine, zero}}, {still, {zero, zero, one}}}};
    }
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const T product = v[0] * v[1];
        return {zero_vector<T>(),
                {-(at.angle[1].sine * product), -(at.angle[1].cosine * product), T(0.0)}};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        for (int k = 0; k < 2; ++k) out[k] = sample_between(u[k], lower[k], upper[k], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
