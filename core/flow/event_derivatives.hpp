// Derivatives of motions through events. Between events a column says how the state changes that is
// reached as long after the last event as now: rates f of the state keep the variational equations
// of a motion, too, so that moments need not be compared before they are asked for. Where a guard g
// vanishes, that moment shifts by
//
//   s = −(∇g Ψ + ∂g/∂t t′) / (∇g f + ∂g/∂t),   Ψ⁺ = DR (Ψ + f s) + ∂R/∂t t′⁺,   t′⁺ = t′ + s
//
// and Ψ − f t′ is what is known as the saltation matrix's product (Aizerman & Gantmakher 1958;
// Leine & Nijmeijer, "Dynamics and bifurcations of non-smooth mechanical systems", 2004, 7.3).
#pragma once

#include "flow/hybrid.hpp"
#include "flow/linearised.hpp"

namespace tarsus::TARSUS_ISA {

class EventDerivatives {
   public:
    // both must outlive it; `outside` may be null where users compute nothing
    EventDerivatives(const HybridStatement& statement, HybridOutside* outside)
        : statement_(statement), outside_(outside) {}

    // unit columns at the start; where constraints act, of states that keep them
    void begin(HybridMotion& motion);
    // at the zero of a guard
    void arrive(const Phase& phase, const GuardSum& guard, HybridMotion& motion);
    // after step number `at` of an exit's reset from q and v
    void reset(const Phase& phase, const Exit& exit, int at, const std::vector<double>& q,
               const std::vector<double>& v, HybridMotion& motion);
    // at the end: of the state at that time, or, after an event, at that event
    void finish(HybridMotion& motion);

   private:
    struct Gradient {
        std::vector<double> by_q, by_v, by_parameter;  // by steps in the wide tree
        double by_time = 0;
    };
    struct Steps;
    Gradient gradient(const Phase& phase, const GuardSum& guard, const HybridMotion& motion);
    void linear(const Tree* before, const Tree* after, const ResetStep& step,
                const std::vector<double>& q, HybridMotion& motion);
    void project(const ResetStep& step, const std::vector<double>& v, HybridMotion& motion);
    void function(const ResetStep& step, const std::vector<double>& q, const std::vector<double>& v,
                  HybridMotion& motion);
    Linearised<double>& linearised(const Tree& tree, const Wide& wide);

    struct Known {
        const Wide* wide;
        WorkMemory memory;
        std::unique_ptr<Linearised<double>> linear;
    };
    const HybridStatement& statement_;
    HybridOutside* outside_;
    std::vector<std::unique_ptr<Known>> known_;
    WorkMemory memory_;
};

}  // namespace tarsus::TARSUS_ISA
