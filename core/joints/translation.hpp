// Translation: the child keeps its parent's orientation and moves by q = [x y z].
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Translation : VectorCoordinates<3> {
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, NoRotation{}, {at.q[0], at.q[1], at.q[2]});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>&) {
        return UnitColumns<0, 1, 2>{};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        for (int k = 0; k < 3; ++k) out[k] = sample_between(u[k], lower[k], upper[k], 1.0);
    }
};

}  // namespace tarsus::TARSUS_ISA
