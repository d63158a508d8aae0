// Work memory whose size is known only in the step.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

class Room {
   public:
    // What was in it is lost. The function is run twice: first to count what it takes, then to take
    // it; so it must not look at what it gets.
    template <class F>
    auto take(F&& function) {
        Scratch counter = Scratch::counter();
        function(counter);
        Scratch scratch(memory_.get(counter.counted()));
        return function(scratch);
    }

   private:
    WorkMemory memory_;
};

}  // namespace tarsus::TARSUS_ISA
