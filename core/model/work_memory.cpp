#include "model/work_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace tarsus {

// A step takes two blocks, one inside the other; what was given back last is taken first, so that
// each finds the one that it had.
class WorkMemory::Spares {
   public:
    ~Spares() {
        while (count_ > 0) std::free(block_[--count_].data);
    }
    Block take() { return count_ > 0 ? block_[--count_] : Block{}; }
    void give(Block block) {
        if (count_ < kMost) block_[count_++] = block;
        else std::free(block.data);
    }

   private:
#ifdef TARSUS_SANITIZE
    static constexpr int kMost = 0;  // whoever uses memory that was given back is caught
#else
    static constexpr int kMost = 2;
#endif
    Block block_[kMost + 1];
    int count_ = 0;
};

WorkMemory::Spares& WorkMemory::spares() {
    thread_local Spares kept;
    return kept;
}

WorkMemory::~WorkMemory() {
    if (block_.data) spares().give(block_);
}

std::byte* WorkMemory::get(size_t bytes) {
    if (!block_.data) block_ = spares().take();
    if (block_.data && bytes <= block_.bytes) return block_.data;
    std::free(block_.data);
    // with room to grow, but where a sanitizer watches the end; for nothing there is a block, too
    const size_t whole = std::max(kAlign, aligned(kRedZone ? bytes : bytes + bytes / 2));
    block_ = {static_cast<std::byte*>(std::aligned_alloc(kAlign, whole)), whole};
    if (block_.data) return block_.data;
    block_ = {};
    throw std::bad_alloc();
}

}  // namespace tarsus
