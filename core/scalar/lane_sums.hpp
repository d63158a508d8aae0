// Sums over the four lanes of packs: for one state that has four parts of itself in lanes.
#pragma once

#include "scalar/rows.hpp"

namespace tarsus::TARSUS_ISA {

// (first + third) + (second + fourth) of each pack
TARSUS_INLINE void sum_lanes(const Pack<4>* x, int count, double* out) {
    int k = 0;
#ifdef __AVX2__
    for (; k + 4 <= count; k += 4) {
        __m256d block[4] = {four_lanes(x[k], 0), four_lanes(x[k + 1], 0), four_lanes(x[k + 2], 0),
                            four_lanes(x[k + 3], 0)};
        transpose_block(block);
        _mm256_storeu_pd(out + k, (block[0] + block[2]) + (block[1] + block[3]));
    }
#endif
    for (; k < count; ++k) out[k] = (x[k][0] + x[k][2]) + (x[k][1] + x[k][3]);
}

}  // namespace tarsus::TARSUS_ISA
