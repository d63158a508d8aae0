#include "bindings/blocks.hpp"

#include <cstdlib>
#include <deque>
#include <mutex>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace tarsus {

namespace {

constexpr size_t kLarge = size_t(256) << 10;  // bytes; below, malloc finds touched pages itself
constexpr size_t kMost = size_t(256) << 20;   // bytes that may wait for arrays to come
constexpr size_t kPage = size_t(64) << 10;    // bytes, in which blocks are rounded up
constexpr size_t kHuge = size_t(2) << 20;     // those of a large page, where the system has them

struct Block {
    void* data;
    size_t bytes;
};

// Blocks that wait, those that were given back last at the end. Arrays may die on any thread.
class Pool {
   public:
    // a block of at least `bytes`, without data if there is no memory
    Block take(size_t bytes) {
        {
            const std::lock_guard lock(mutex_);
            for (size_t k = waiting_.size(); k-- > 0;) {
                const Block block = waiting_[k];
                // what is much too large stays for something larger
                if (block.bytes < bytes || block.bytes / 2 > bytes) continue;
                waiting_.erase(waiting_.begin() + long(k));
                kept_ -= block.bytes;
                return block;
            }
        }
        const size_t unit = bytes < 2 * kHuge ? kPage : kHuge;
        const size_t whole = (bytes + unit - 1) / unit * unit;
        const Block block{std::aligned_alloc(unit, whole), whole};
#ifdef __linux__
        if (block.data && unit == kHuge) madvise(block.data, whole, MADV_HUGEPAGE);
#endif
        return block;
    }

    void give(Block block) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(block);
        kept_ += block.bytes;
        while (kept_ > kMost) drop_oldest();
    }

    size_t kept() {
        const std::lock_guard lock(mutex_);
        return kept_;
    }
    void clear() {
        const std::lock_guard lock(mutex_);
        while (!waiting_.empty()) drop_oldest();
    }

   private:
    void drop_oldest() {
        kept_ -= waiting_.front().bytes;
        std::free(waiting_.front().data);
        waiting_.pop_front();
    }

    std::mutex mutex_;
    std::deque<Block> waiting_;
    size_t kept_ = 0;
};

// never destroyed: arrays may outlive everything else
Pool& pool() {
    static Pool* const only = new Pool;
    return *only;
}

constexpr const char* kCapsule = "tarsus.block";

void give_back(PyObject* capsule) {
    const size_t bytes = reinterpret_cast<size_t>(PyCapsule_GetContext(capsule));
    pool().give({PyCapsule_GetPointer(capsule, kCapsule), bytes});
}

}  // namespace

PyObject* new_array(int dimensions, const npy_intp* shape) {
    double bytes = sizeof(double);  // as a number that does not overflow
    for (int k = 0; k < dimensions; ++k) bytes *= double(shape[k]);
    npy_intp* dims = const_cast<npy_intp*>(shape);
    if (bytes < double(kLarge) || bytes > double(kMost)) {
        return PyArray_SimpleNew(dimensions, dims, NPY_DOUBLE);
    }
    Block block = pool().take(size_t(bytes));
    if (!block.data) {
        pool().clear();
        return PyArray_SimpleNew(dimensions, dims, NPY_DOUBLE);
    }
    PyObject* owner = PyCapsule_New(block.data, kCapsule, give_back);
    if (!owner) {
        pool().give(block);
        return nullptr;
    }
    PyCapsule_SetContext(owner, reinterpret_cast<void*>(block.bytes));
    PyObject* array = PyArray_SimpleNewFromData(dimensions, dims, NPY_DOUBLE, block.data);
    if (!array) {
        Py_DECREF(owner);
        return nullptr;
    }
    // takes the owner over, also where it fails
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), owner) < 0) {
        Py_DECREF(array);
        return nullptr;
    }
    return array;
}

BlockBytes block_bytes() { return {pool().kept(), kMost}; }
void free_blocks() { pool().clear(); }

}  // namespace tarsus
