#pragma once

#include <functional>

#include "model/kernel.hpp"

namespace tarsus {

// The first fault of the states that were computed before one was found, if any. The calling thread
// asks now and then whether it is interrupted, and then leaves the rest.
Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, int threads,
                const std::function<bool()>& interrupted);

}  // namespace tarsus
