// Threads that wait for work between batches: starting one costs more than a small batch.
#pragma once

#include <functional>

namespace tarsus {

// Runs work(0) here and work(1) … work(helpers) on pool threads, as far as some are free before
// work(0) has returned; returns when none of them is running any more.
void run_with_helpers(long helpers, const std::function<void(long)>& work);

}  // namespace tarsus
