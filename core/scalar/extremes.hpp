// The larger and the smaller of two numbers, and roots, in one instruction for all lanes; and lanes
// that come from rows anywhere in memory and go back there.
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

#ifdef __AVX2__
// lanes from blocks of four, and back, in registers: what is stored in halves is slow to load whole
TARSUS_INLINE Lanes joined(const __m256d (&part)[kLanes / 4]) {
#ifdef __AVX512F__
    return (Lanes::Vector)__builtin_shufflevector(part[0], part[1], 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return (Lanes::Vector)part[0];
#endif
}
template <int h>
TARSUS_INLINE __m256d part_of(const Lanes& a) {
#ifdef __AVX512F__
    return (__m256d)__builtin_shufflevector(a.v, a.v, 4 * h, 4 * h + 1, 4 * h + 2, 4 * h + 3);
#else
    return (__m256d)a.v;
#endif
}
template <int h>
TARSUS_INLINE void scatter_block(const Lanes* in, double* const* row) {
    __m256d block[4];
    for (int i = 0; i < 4; ++i) block[i] = part_of<h>(in[i]);
    transpose_block(block);
    for (int l = 0; l < 4; ++l) _mm256_storeu_pd(row[4 * h + l], block[l]);
}
#endif

// where the next block of four starts: the last one ends with the row, and may repeat numbers
template <int size>
constexpr int block_at(int k) {
    return k + 4 <= size ? k : size - 4;
}

// number k of row l into lane l of out[k], for at least four numbers
template <int size>
TARSUS_INLINE void gather_rows(const double* const (&row)[kLanes], Lanes* out) {
    static_assert(size >= 4);
    for (int step = 0; step < size; step += 4) {
        const int k = block_at<size>(step);
#ifdef __AVX2__
        __m256d block[kLanes / 4][4];
        for (int h = 0; h < kLanes / 4; ++h) {
            for (int l = 0; l < 4; ++l) block[h][l] = _mm256_loadu_pd(row[4 * h + l] + k);
            transpose_block(block[h]);
        }
        for (int i = 0; i < 4; ++i) {
            __m256d part[kLanes / 4];
            for (int h = 0; h < kLanes / 4; ++h) part[h] = block[h][i];
            out[k + i] = joined(part);
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

// and back: lane l of in[k] to number k of row l, rows of spare lanes may repeat the last
template <int size>
TARSUS_INLINE void scatter_rows(const Lanes* in, double* const (&row)[kLanes]) {
    static_assert(size >= 4);
    for (int step = 0; step < size; step += 4) {
        const int k = block_at<size>(step);
#ifdef __AVX2__
        double* to[kLanes];
        for (int l = 0; l < kLanes; ++l) to[l] = row[l] + k;
        scatter_block<0>(in + k, to);
        if constexpr (kLanes == 8) scatter_block<1>(in + k, to);
#else
        for (int i = 0; i < 4; ++i) {
            for (int l = 0; l < kLanes; ++l) row[l][k + i] = in[k + i][l];
        }
#endif
    }
}

// a bit for each lane in which a comparison holds
TARSUS_INLINE unsigned bits_set(const Lanes::Bits& condition) {
#if defined(__AVX512F__)
    return _mm512_movepi64_mask((__m512i)condition);
#elif defined(__AVX2__)
    return unsigned(_mm256_movemask_pd((__m256d)condition));
#else
    unsigned found = 0;
    for (int l = 0; l < kLanes; ++l) found |= unsigned(condition[l] & 1) << l;
    return found;
#endif
}

}  // namespace tarsus::TARSUS_ISA
