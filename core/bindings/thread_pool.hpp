// Threads that wait for work between batches: starting one costs more than a small batch.
#pragma once

#include <functional>

namespace tarsus {

// Runs work(0) here and work(1) … work(helpers) on pool threads, as far as some are free before
// work(0) has returned; returns when none of them is running any more. What one of them throws is
// thrown here. While this thread waits for the others it calls `waiting` about every 50 ms.
//
// False in the child of a fork that work(0) or waiting() has made: helpers do not exist there, and
// what they were doing is not done.
bool run_with_helpers(
    long helpers, const std::function<void(long)>& work,
    const std::function<void()>& waiting = [] {});

}  // namespace tarsus
