// Between users' arrays, in which each state is a row, and lanes, in which each state is a lane.
//
// Blocks of four states by four numbers are transposed in registers. A group that runs past the
// last state repeats it: the spare lanes then read and write what the last state does.
#pragma once

#include <cstring>

#include "scalar/pack.hpp"

namespace tarsus::TARSUS_ISA {

#ifdef __AVX2__
TARSUS_INLINE void transpose_block(__m256d (&r)[4]) {
    const __m256d a = _mm256_unpacklo_pd(r[0], r[1]), b = _mm256_unpackhi_pd(r[0], r[1]);
    const __m256d c = _mm256_unpacklo_pd(r[2], r[3]), d = _mm256_unpackhi_pd(r[2], r[3]);
    r[0] = _mm256_permute2f128_pd(a, c, 0x20), r[1] = _mm256_permute2f128_pd(b, d, 0x20);
    r[2] = _mm256_permute2f128_pd(a, c, 0x31), r[3] = _mm256_permute2f128_pd(b, d, 0x31);
}

// lanes 4h … 4h + 3 of a pack
template <int W>
TARSUS_INLINE __m256d four_lanes(const Pack<W>& a, int h) {
    __m256d four;
    std::memcpy(&four, reinterpret_cast<const double*>(&a) + 4 * h, sizeof four);
    return four;
}
#endif

// as many neighbouring numbers as there are lanes
TARSUS_INLINE Lanes lanes_at(const double* a) {
    Lanes::Vector x;
    std::memcpy(&x, a, sizeof x);
    return Lanes(x);
}

TARSUS_INLINE void store_lanes(const Lanes& x, double* to) { std::memcpy(to, &x, sizeof x); }
// a handful of numbers, one by one: for so few a loop of vectors, or a mask, costs more
TARSUS_INLINE void copy_few(const double* from, int count, double* to) {
    for (; count >= 4; count -= 4, from += 4, to += 4) std::memcpy(to, from, 4 * sizeof *to);
    if (count & 2) std::memcpy(to, from, 2 * sizeof *to), from += 2, to += 2;
    if (count & 1) *to = *from;
}
// only the first `count` of them
TARSUS_INLINE void store_part(const Lanes& x, int count, double* to) {
    if (count >= kLanes) return store_lanes(x, to);
    double part[kLanes];
    store_lanes(x, part);
    copy_few(part, count, to);
}

// 0·a is ±0 for a finite number and NaN for others; the bits of all such products, gathered by
// `or`, tell whether every number was finite.
template <class T>
TARSUS_INLINE T finite_check(const T& a, const T& gathered) {
    return from_bits(bits_of(a * T(0.0)) | bits_of(gathered));
}
constexpr int64_t kExponent = 0x7ff0000000000000;
template <class T>
TARSUS_INLINE bool is_finite(const T& gathered) {
    return !any((bits_of(gathered) & kExponent) != 0);
}

// Where the results of one state, or of each lane's state, go. Results that outgrow the caches are
// written past them: nobody would find them there anyway, and memory that is overwritten as a whole
// need not be read first.
template <class T>
class Rows;

template <>
class Rows<double> {
   public:
    explicit Rows(double* out) : out_(out) {}

    TARSUS_INLINE void set(int k, double a) { out_[k] = a; }
    TARSUS_INLINE void set_four(int k, const double (&a)[4]) {
        for (int i = 0; i < 4; ++i) out_[k + i] = a[i];
    }

   private:
    double* out_;
};

template <>
class Rows<Lanes> {
   public:
    // past_caches asks for rows that start at multiples of 16 bytes
    TARSUS_INLINE Rows(double* out, long stride, int count, bool past_caches)
        : past_caches_(past_caches) {
        for (int l = 0; l < kLanes; ++l) row_[l] = out + (l < count ? l : count - 1) * stride;
    }

    TARSUS_INLINE void set(int k, const Lanes& a) {
        check_ = finite_check(a, check_);
        for (int l = 0; l < kLanes; ++l) row_[l][k] = a[l];
    }
    TARSUS_INLINE void set_four(int k, const Lanes (&a)[4]) {
#ifdef __AVX2__
        for (int i = 0; i < 4; ++i) check_ = finite_check(a[i], check_);
        for (int h = 0; h < kLanes / 4; ++h) {
            __m256d block[4] = {four_lanes(a[0], h), four_lanes(a[1], h), four_lanes(a[2], h),
                                four_lanes(a[3], h)};
            transpose_block(block);
            for (int l = 0; l < 4; ++l) put(row_[4 * h + l] + k, block[l]);
        }
#else
        for (int i = 0; i < 4; ++i) set(k + i, a[i]);
#endif
    }
    // the same four numbers for every state
    TARSUS_INLINE void set_four(int k, const double (&a)[4]) {
#ifdef __AVX2__
        const __m256d four = _mm256_set_pd(a[3], a[2], a[1], a[0]);
        for (int l = 0; l < kLanes; ++l) put(row_[l] + k, four);
#else
        for (int i = 0; i < 4; ++i) set(k + i, Lanes(a[i]));
#endif
    }
    TARSUS_INLINE bool finite() const { return is_finite(check_); }

   private:
#ifdef __AVX2__
    TARSUS_INLINE void put(double* to, __m256d four) const {
        if (past_caches_) {
            _mm_stream_pd(to, _mm256_castpd256_pd128(four));
            _mm_stream_pd(to + 2, _mm256_extractf128_pd(four, 1));
        } else {
            _mm256_storeu_pd(to, four);
        }
    }
#endif

    bool past_caches_;
    double* row_[kLanes];
    Lanes check_ = Lanes(0.0);
};

TARSUS_INLINE void store_rows(const Lanes* in, int size, Rows<Lanes>& rows) {
    int k = 0;
    for (; k + 4 <= size; k += 4) rows.set_four(k, {in[k], in[k + 1], in[k + 2], in[k + 3]});
    for (; k < size; ++k) rows.set(k, in[k]);
}

TARSUS_INLINE void copy_past_caches(const double* from, int size, double* to) {
#ifdef __x86_64__
    int k = 0;
    for (; k < size && reinterpret_cast<uintptr_t>(to + k) % 16; ++k) to[k] = from[k];
    for (; k + 2 <= size; k += 2) _mm_stream_pd(to + k, _mm_loadu_pd(from + k));
    for (; k < size; ++k) to[k] = from[k];
#else
    std::memcpy(to, from, size * sizeof(double));
#endif
}
TARSUS_INLINE void finish_past_caches() {
#ifdef __x86_64__
    _mm_sfence();
#endif
}

// rows to lanes; false if a number is not finite
TARSUS_INLINE bool load_rows(const double* const (&row)[kLanes], int size, Lanes* out) {
    Lanes check(0.0);
    int k = 0;
#ifdef __AVX2__
    for (; k + 4 <= size; k += 4) {
        for (int h = 0; h < kLanes / 4; ++h) {
            __m256d block[4];
            for (int l = 0; l < 4; ++l) block[l] = _mm256_loadu_pd(row[4 * h + l] + k);
            transpose_block(block);
            for (int i = 0; i < 4; ++i) {
                std::memcpy(reinterpret_cast<double*>(out + k + i) + 4 * h, &block[i],
                            sizeof block[i]);
            }
        }
        for (int i = 0; i < 4; ++i) check = finite_check(out[k + i], check);
    }
#endif
    for (; k < size; ++k) {
        for (int l = 0; l < kLanes; ++l) out[k].v[l] = row[l][k];
        check = finite_check(out[k], check);
    }
    return is_finite(check);
}
TARSUS_INLINE bool load_rows(const double* in, long stride, int count, int size, Lanes* out) {
    const double* row[kLanes];
    for (int l = 0; l < kLanes; ++l) row[l] = in + (l < count ? l : count - 1) * stride;
    return load_rows(row, size, out);
}

TARSUS_INLINE bool all_finite(const double* a, int size) {
    Lanes check(0.0);
    int k = 0;
    for (; k + kLanes <= size; k += kLanes) {
        check = finite_check(lanes_at(a + k), check);
    }
    double rest = 0.0;
    for (; k < size; ++k) rest = finite_check(a[k], rest);
    return is_finite(check) && is_finite(rest);
}

inline int first_not_finite(const double* a, int size) {
    for (int k = 0; k < size; ++k) {
        if (!std::isfinite(a[k])) return k;
    }
    return -1;
}

}  // namespace tarsus::TARSUS_ISA
