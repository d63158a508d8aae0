// Ctrl-C during long work of the core.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "bindings/gil.hpp"

namespace tarsus {

inline constexpr std::chrono::milliseconds kSignalInterval{50};

// Whether a handler of a signal has raised an exception, which ends the work. The thread that makes
// it runs the handlers, at most once per interval; helper threads only read what it has found.
class InterruptCheck {
   public:
    bool stopped() {
        if (stopped_ || std::this_thread::get_id() != caller_) return stopped_;
        const auto now = std::chrono::steady_clock::now();
        if (now - asked_ < kSignalInterval) return false;
        const GilAcquire hold;
        if (PyErr_CheckSignals() != 0) stopped_ = true;
        asked_ = std::chrono::steady_clock::now();
        return stopped_;
    }

   private:
    const std::thread::id caller_ = std::this_thread::get_id();
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
    std::atomic<bool> stopped_{false};
};

}  // namespace tarsus
