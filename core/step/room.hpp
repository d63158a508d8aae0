// Work memory whose size is known only in the step: it grows, and is kept for the thread's next
// call. A call that finds it lent out (from a signal handler, say) takes memory of its own.
#pragma once

#include <cstdlib>
#include <new>
#include <utility>

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// so much a scratch that starts at the first aligned address has given out
inline size_t counted(Scratch& scratch) {
    return reinterpret_cast<size_t>(scratch.take<std::byte>(0)) - kAlign;
}

class Room {
   public:
    Room() { std::swap(block_, spare().block_), std::swap(size_, spare().size_); }
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;
    ~Room() {
        if (!spare().block_) std::swap(block_, spare().block_), std::swap(size_, spare().size_);
        std::free(block_);
    }

    // What was in it is lost. The function is run twice: first to count what it takes, then to take
    // it; so it must not look at what it gets.
    template <class F>
    auto take(F&& function) {
        Scratch counter(reinterpret_cast<std::byte*>(kAlign));
        function(counter);
        const size_t bytes = counted(counter);
        if (bytes > size_) grow(bytes);
        Scratch scratch(block_);
        return function(scratch);
    }

   private:
    struct Spare {
        std::byte* block_ = nullptr;
        size_t size_ = 0;
        ~Spare() { std::free(block_); }
    };
    static Spare& spare() {
        thread_local Spare kept;
        return kept;
    }
    void grow(size_t bytes) {
        std::free(block_);
        size_ = aligned(bytes + bytes / 2);
        block_ = static_cast<std::byte*>(std::aligned_alloc(kAlign, size_));
        if (block_) return;
        size_ = 0;
        throw std::bad_alloc();
    }

    std::byte* block_ = nullptr;
    size_t size_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
