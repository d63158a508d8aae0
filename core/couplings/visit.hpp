// From the kind of a coupling to its closed form: the one place where they are listed.
#pragma once

#include "couplings/parallel_ankle.hpp"
#include "couplings/spindle.hpp"
#include "couplings/tilting_spindle.hpp"

namespace tarsus::TARSUS_ISA {

template <class F>
TARSUS_INLINE void visit_closed_form(CouplingKind kind, F&& f) {
    switch (kind) {
        case CouplingKind::spindle:
            return f(Spindle{});
        case CouplingKind::tilting_spindle:
            return f(TiltingSpindle{});
        case CouplingKind::parallel_ankle:
            return f(ParallelAnkle{});
        case CouplingKind::linear:
        case CouplingKind::function:
            return;
    }
}

}  // namespace tarsus::TARSUS_ISA
