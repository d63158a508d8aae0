// Work memory, lent to one call at a time and kept by its thread for the next one. A call that
// comes in the midst of another (from a signal handler or a finaliser, say) finds it lent out and
// gets memory of its own.
#pragma once

#include <cstddef>
#ifdef TARSUS_SANITIZE
#include <sanitizer/asan_interface.h>

#include <cstring>
#endif

namespace tarsus {

constexpr size_t kAlign = 64;  // bytes, for the widest vectors
constexpr size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

#ifdef TARSUS_SANITIZE
constexpr size_t kRedZone = 128;  // bytes behind each block that nobody may touch
// What nobody has set is not a number; what lies behind the bytes in use is guarded.
inline void guard(void* block, size_t used, size_t whole) {
    if (whole == 0) return;
    ASAN_UNPOISON_MEMORY_REGION(block, used);
    std::memset(block, 0xff, used);
    ASAN_POISON_MEMORY_REGION(static_cast<std::byte*>(block) + used, whole - used);
}
#else
constexpr size_t kRedZone = 0;
#endif

class WorkMemory {
   public:
    WorkMemory() = default;
    WorkMemory(const WorkMemory&) = delete;
    WorkMemory& operator=(const WorkMemory&) = delete;
    ~WorkMemory();

    // At least so many bytes, aligned; what was there before is lost. Throws std::bad_alloc.
    std::byte* get(size_t bytes);

   private:
    struct Block {
        std::byte* data = nullptr;
        size_t bytes = 0;
    };
    class Spares;
    static Spares& spares();

    Block block_;
};

}  // namespace tarsus
