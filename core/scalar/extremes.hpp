// The larger and the smaller of two numbers, and roots, in one instruction for all lanes; and lanes
// that come from rows anywhere in memory.
//
// With pack.hpp and rows.hpp the only files that know vector instructions. `larger(a, b)` is
// a > b ? a : b, which is also what the instruction does with zeros and with what is not a number.
#pragma once

#include "scalar/rows.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE double larger(double a, double b) { return a > b ? a : b; }
TARSUS_INLINE double smaller(double a, double b) { return a < b ? a : b; }
TARSUS_INLINE double root_of(double a) { return __builtin_sqrt(a); }

TARSUS_INLINE Lanes larger(const Lanes& a, const Lanes& b) {
#if defined(__AVX512F__)
    return (Lanes::Vector)_mm512_maskz_max_pd(0xff, (__m512d)a.v, (__m512d)b.v);
#elif defined(__AVX2__)
    return (Lanes::Vector)_mm256_max_pd((__m256d)a.v, (__m256d)b.v);
#else
    return select(a > b, a, b);
#endif
}
TARSUS_INLINE Lanes smaller(const Lanes& a, const Lanes& b) {
#if defined(__AVX512F__)
    return (Lanes::Vector)_mm512_maskz_min_pd(0xff, (__m512d)a.v, (__m512d)b.v);
#elif defined(__AVX2__)
    return (Lanes::Vector)_mm256_min_pd((__m256d)a.v, (__m256d)b.v);
#else
    return select(a < b, a, b);
#endif
}
TARSUS_INLINE Lanes root_of(const Lanes& a) {
#if defined(__AVX512F__)
    return (Lanes::Vector)_mm512_maskz_sqrt_pd(0xff, (__m512d)a.v);
#elif defined(__AVX2__)
    return (Lanes::Vector)_mm256_sqrt_pd((__m256d)a.v);
#else
    return square_root(a);
#endif
}

// from 0 to 1
template <class T>
TARSUS_INLINE T clamped(const T& x) {
    return smaller(larger(x, T(0.0)), T(1.0));
}

// number k of row l into lane l of out[k], for a multiple of four numbers
template <int size>
TARSUS_INLINE void gather_rows(const double* const (&row)[kLanes], Lanes* out) {
    static_assert(size % 4 == 0);
    for (int k = 0; k < size; k += 4) {
#ifdef __AVX2__
        for (int h = 0; h < kLanes / 4; ++h) {
            __m256d block[4];
            for (int l = 0; l < 4; ++l) block[l] = _mm256_loadu_pd(row[4 * h + l] + k);
            transpose_block(block);
            for (int i = 0; i < 4; ++i) {
                std::memcpy(reinterpret_cast<double*>(out + k + i) + 4 * h, &block[i],
                            sizeof block[i]);
            }
        }
#else
        for (int i = 0; i < 4; ++i) {
            Lanes each(0.0);
            for (int l = 0; l < kLanes; ++l) each.v[l] = row[l][k + i];
            out[k + i] = each;
        }
#endif
    }
}

}  // namespace tarsus::TARSUS_ISA
