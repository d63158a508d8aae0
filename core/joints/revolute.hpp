// Revolute: turns about z by the angle q.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Revolute : VectorCoordinates<1> {
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return turning<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<5>{};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
