// Memory of large results, kept for the next ones. The first touch of a fresh page costs more than
// most algorithms need to fill it; a block that an array has given back has no such pages.
#pragma once

#include "bindings/numpy.hpp"

namespace tarsus {

// A new float64 array, its numbers not set; null with a Python exception set. Large ones own a
// block through their base and give it back when they die.
PyObject* new_array(int dimensions, const npy_intp* shape);

struct BlockBytes {
    size_t kept, most;  // of blocks that wait for the next array, and of what may wait
};
BlockBytes block_bytes();
// gives all memory that waits back to the system
void free_blocks();

}  // namespace tarsus
