// Memory of the calling thread for steps with more contacts than work memory is laid out for. Room
// for all that could touch would grow with the square of it, and is hardly ever needed.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace tarsus::TARSUS_ISA {

// at least `bytes`, aligned for the widest vectors; valid until the next call on this thread
TARSUS_APART inline std::byte* spare_memory(size_t bytes) {
    struct Free {
        void operator()(std::byte* block) const { std::free(block); }
    };
    thread_local std::unique_ptr<std::byte, Free> block;
    thread_local size_t capacity = 0;
    if (bytes > capacity) {
        block.reset();
        capacity = (bytes + bytes / 2 + 4095) / 4096 * 4096;
        block.reset(static_cast<std::byte*>(std::aligned_alloc(64, capacity)));
        if (!block) {
            capacity = 0;
            throw std::bad_alloc();
        }
    }
    return block.get();
}

}  // namespace tarsus::TARSUS_ISA
