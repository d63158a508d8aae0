// Prismatic: slides along z by q.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Prismatic : VectorCoordinates<1> {
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, NoRotation{}, {T(0.0), T(0.0), at.q[0]});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<2>{};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], 1.0);
    }
};

}  // namespace tarsus::TARSUS_ISA
