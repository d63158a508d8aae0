#pragma once

#include "model/kernel.hpp"

namespace tarsus {

// The first fault of the states that were computed before one was found, if any.
Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, int threads);

}  // namespace tarsus
