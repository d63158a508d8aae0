#pragma once

#include "bindings/interrupt.hpp"
#include "model/kernel.hpp"

namespace tarsus {

// The first fault of the states that were computed before one was found, if any. The rest is left
// out once the interrupt has stopped the work.
Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, int threads,
                InterruptCheck& interrupt);

}  // namespace tarsus
