// What one thread steps, no other may step or read while the interpreter is free.
#pragma once

#include <atomic>
#include <stdexcept>

namespace tarsus {

class Busy {
   public:
    // anything with a flag `busy`
    template <class Stepped>
    explicit Busy(Stepped& stepped) : flag_(stepped.busy) {
        if (flag_.exchange(true))
            throw std::runtime_error("another thread is making steps of this motion");
    }
    ~Busy() { flag_ = false; }

   private:
    std::atomic<bool>& flag_;
};

}  // namespace tarsus
