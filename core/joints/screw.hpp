// Screw: turns about z by q and advances along it by pitch [m/rad] · q.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct Screw : VectorCoordinates<1> {
    static constexpr bool kConstantSubspace = true;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        return sliding<T>(at.link, RotationZ<T>{at.angle[0].cosine, at.angle[0].sine},
                          {T(0.0), T(0.0), at.q[0] * at.link.pitch});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T one(1.0), zero(0.0);
        return Columns<1, T>{{{{zero, zero, T(at.link.pitch)}, {zero, zero, one}}}};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
