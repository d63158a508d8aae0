// Motions with events as compiled for one instruction set.
#pragma once

#include "flow/hybrid.hpp"

namespace tarsus::TARSUS_ISA {

// each motion from where it is to its end
void run_hybrid(const HybridStatement& statement, HybridOutside* outside, HybridMotion* motions,
                long count);

}  // namespace tarsus::TARSUS_ISA
