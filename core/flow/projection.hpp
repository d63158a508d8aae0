// Back to where a state belongs after a step: unit quaternions, closed clusters, and for loops
// outside the clusters the nearest positions and velocities in the metric of the mass matrix,
//
//     q ← q ⊕ δ,  δ = −H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ gap,        v ← v − H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ J v,
//
// which takes away errors of the order of the step's own (E. Hairer, C. Lubich, G. Wanner,
// "Geometric numerical integration", section IV.4).
#pragma once

#include "flow/calls.hpp"

namespace tarsus::TARSUS_ISA {

class Projection {
   public:
    explicit Projection(const Tree& tree);

    bool needed() const { return tree_.nq != tree_.nv || tree_.coupled || rows_ > 0; }
    // false where loops cannot be closed
    bool operator()(Calls& calls, double* q, double* v);

   private:
    bool linearise(Calls& calls);
    // x := H⁻¹ Jᵀ (J H⁻¹ Jᵀ)⁺ y
    void pull(const double* y);
    double gap(Calls& calls);

    const Tree& tree_;
    int rows_;
    std::vector<int> place_;  // of the constraints' rows among those of all loops
    std::vector<double> zero_, q_, gaps_, J_, H_, Y_, A_, scale_, y_, room_, x_;
    std::vector<int> order_;
    int rank_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
