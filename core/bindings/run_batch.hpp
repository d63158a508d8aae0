#pragma once

#include "model/kernel.hpp"

namespace tarsus {

Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, long states,
                int threads);

}  // namespace tarsus
