// Back to where a state belongs after a step: unit quaternions, closed clusters, and for loops
// outside the clusters and parts that are held at once the nearest positions and velocities in the
// metric of the mass matrix,
//
//     q ← q ⊕ δ,  δ = −H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ gap,        v ← v − H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ J v,
//
// which takes away errors of the order of the step's own (E. Hairer, C. Lubich, G. Wanner,
// "Geometric numerical integration", section IV.4).
#pragma once

#include "flow/calls.hpp"
#include "flow/held_rows.hpp"

namespace tarsus::TARSUS_ISA {

class Projection {
   public:
    // all of them must outlive it
    Projection(const Tree& tree, const Parts& parts, const double* numbers);

    bool needed() const { return tree_.nq != tree_.nv || tree_.coupled || rows.rows() > 0; }
    // false where loops and parts cannot be closed
    bool operator()(Calls& calls, double* q, double* v);

    HeldRows rows;

   private:
    const Tree& tree_;
    std::vector<double> zero_, q_, step_;
};

}  // namespace tarsus::TARSUS_ISA
