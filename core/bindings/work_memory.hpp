// Work memory of the calling thread, kept between calls.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

namespace tarsus {

class WorkMemory {
   public:
    ~WorkMemory() { std::free(block_); }

    // at least `bytes`, aligned for the widest vectors; valid until the next call
    std::byte* get(size_t bytes) {
        if (bytes > capacity_) {
            std::free(block_);
            capacity_ = (bytes + 4095) / 4096 * 4096;
            block_ = static_cast<std::byte*>(std::aligned_alloc(64, capacity_));
            if (!block_) {
                capacity_ = 0;
                throw std::bad_alloc();
            }
        }
        return block_;
    }

   private:
    std::byte* block_ = nullptr;
    size_t capacity_ = 0;
};

inline std::byte* work_memory(size_t bytes) {
    thread_local WorkMemory memory;
    return memory.get(bytes);
}

}  // namespace tarsus
