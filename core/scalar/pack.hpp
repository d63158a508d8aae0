// Pack<W>: W states side by side, one in each lane of a vector register.
//
// With rows.hpp the only file that knows vector instructions. It mirrors real.hpp operation by
// operation, with GCC/Clang vector extensions and an intrinsic where the extension has no word for
// it (fused multiply-add). A Pack converts from a double, so model constants mix with lanes freely.
#pragma once

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "scalar/real.hpp"

namespace tarsus::TARSUS_ISA {

template <int W>
struct Registers;
template <>
struct Registers<2> {
    typedef double Vector __attribute__((vector_size(16)));
    typedef int64_t Bits __attribute__((vector_size(16)));
};
template <>
struct Registers<4> {
    typedef double Vector __attribute__((vector_size(32)));
    typedef int64_t Bits __attribute__((vector_size(32)));
};
template <>
struct Registers<8> {
    typedef double Vector __attribute__((vector_size(64)));
    typedef int64_t Bits __attribute__((vector_size(64)));
};

template <int W>
struct Pack {
    using Vector = typename Registers<W>::Vector;
    using Bits = typename Registers<W>::Bits;

    Vector v;

    Pack() = default;
    TARSUS_INLINE Pack(Vector vector) : v(vector) {}
    TARSUS_INLINE Pack(double a) : v(a - Vector{}) {}

    TARSUS_INLINE double operator[](int lane) const { return v[lane]; }

    friend TARSUS_INLINE Pack operator+(Pack a, Pack b) { return a.v + b.v; }
    friend TARSUS_INLINE Pack operator-(Pack a, Pack b) { return a.v - b.v; }
    friend TARSUS_INLINE Pack operator*(Pack a, Pack b) { return a.v * b.v; }
    friend TARSUS_INLINE Pack operator/(Pack a, Pack b) { return a.v / b.v; }
    friend TARSUS_INLINE Pack operator-(Pack a) { return -a.v; }
    TARSUS_INLINE Pack& operator+=(Pack a) { return *this = *this + a; }
    TARSUS_INLINE Pack& operator-=(Pack a) { return *this = *this - a; }

    friend TARSUS_INLINE Bits operator<(Pack a, Pack b) { return a.v < b.v; }
    friend TARSUS_INLINE Bits operator>(Pack a, Pack b) { return a.v > b.v; }

    friend TARSUS_INLINE Pack mul_add(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
        if constexpr (W == 8)
            return (Vector)_mm512_fmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v);
#endif
#if defined(__FMA__)
        if constexpr (W == 4)
            return (Vector)_mm256_fmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v);
        static_assert(W == 4 || W == 8, "a fused width needs its intrinsic");
#endif
        return a.v * b.v + c.v;
    }
    friend TARSUS_INLINE Pack neg_mul_add(Pack a, Pack b, Pack c) {
#if defined(__AVX512F__)
        if constexpr (W == 8)
            return (Vector)_mm512_fnmadd_pd((__m512d)a.v, (__m512d)b.v, (__m512d)c.v);
#endif
#if defined(__FMA__)
        if constexpr (W == 4)
            return (Vector)_mm256_fnmadd_pd((__m256d)a.v, (__m256d)b.v, (__m256d)c.v);
#endif
        return c.v - a.v * b.v;
    }
    friend TARSUS_INLINE Pack square_root(Pack a) {
        Pack r;
        for (int i = 0; i < W; ++i) r.v[i] = __builtin_sqrt(a.v[i]);
        return r;
    }
    friend TARSUS_INLINE Pack absolute(Pack a) { return (Vector)((Bits)a.v & INT64_MAX); }
    friend TARSUS_INLINE Pack select(Bits condition, Pack a, Pack b) {
        return condition ? a.v : b.v;
    }
    friend TARSUS_INLINE Bits bits_of(Pack a) { return (Bits)a.v; }

    friend TARSUS_INLINE Pack arctangent(Pack y, Pack x) {
        return lanewise([](double b, double a) { return std::atan2(b, a); }, y, x);
    }

    template <class Function>
    friend TARSUS_INLINE Pack lanewise(Function function, Pack a) {
        Pack r;
        for (int i = 0; i < W; ++i) r.v[i] = function(a.v[i]);
        return r;
    }
    template <class Function>
    friend TARSUS_INLINE Pack lanewise(Function function, Pack a, Pack b) {
        Pack r;
        for (int i = 0; i < W; ++i) r.v[i] = function(a.v[i], b.v[i]);
        return r;
    }
};

template <int W>
TARSUS_INLINE double lane_of(const Pack<W>& a, int lane) {
    return a.v[lane];
}
template <int W>
TARSUS_INLINE void set_lane(Pack<W>& a, int lane, double x) {
    a.v[lane] = x;
}

template <class Bits>
    requires(sizeof(Bits) > sizeof(int64_t))
TARSUS_INLINE bool any(Bits condition) {
    int64_t found = 0;
    for (unsigned i = 0; i < sizeof(Bits) / sizeof(int64_t); ++i) found |= condition[i];
    return found != 0;
}

template <class Bits>
    requires(sizeof(Bits) > sizeof(int64_t))
TARSUS_INLINE auto from_bits(Bits bits) {
    return Pack<sizeof(Bits) / sizeof(int64_t)>(
        (typename Pack<sizeof(Bits) / sizeof(int64_t)>::Vector) bits);
}

#if defined(__AVX512F__)
constexpr int kLanes = 8;
#elif defined(__AVX2__)
constexpr int kLanes = 4;
#else
constexpr int kLanes = 2;
#endif
using Lanes = Pack<kLanes>;

template <class T>
constexpr int kLaneCount = sizeof(T) / sizeof(double);

}  // namespace tarsus::TARSUS_ISA
