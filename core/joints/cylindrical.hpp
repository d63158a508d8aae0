// Cylindrical: turns about z by q₀ and slides along it by q₁.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Cylindrical : VectorCoordinates<2> {
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine},
                          {T(0.0), T(0.0), at.q[1]});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<5, 2>{};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], kHalfTurn);
        out[1] = sample_between(u[1], lower[1], upper[1], 1.0);
    }
};

}  // namespace tarsus::TARSUS_ISA
