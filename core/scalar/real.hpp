// The operations that the recursions use on a plain double.
//
// Implicit contraction is off (-ffp-contract=off), so a product and a sum are fused exactly where
// mul_add stands, in a double as in a lane of a Pack: one state and a batch give the same bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "scalar/inline.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE double mul_add(double a, double b, double c) {
#ifdef __FMA__
    return __builtin_fma(a, b, c);
#else
    return a * b + c;
#endif
}

// c − a b
TARSUS_INLINE double neg_mul_add(double a, double b, double c) {
#ifdef __FMA__
    return __builtin_fma(-a, b, c);
#else
    return c - a * b;
#endif
}

TARSUS_INLINE double square_root(double a) { return __builtin_sqrt(a); }
TARSUS_INLINE double absolute(double a) { return __builtin_fabs(a); }
TARSUS_INLINE double select(bool condition, double a, double b) { return condition ? a : b; }
TARSUS_INLINE bool any(bool condition) { return condition; }

TARSUS_INLINE int64_t bits_of(double a) { return std::bit_cast<int64_t>(a); }
TARSUS_INLINE double from_bits(int64_t bits) { return std::bit_cast<double>(bits); }

TARSUS_INLINE double lane_of(double a, int) { return a; }
TARSUS_INLINE void set_lane(double& a, int, double x) { a = x; }

// a function of the C library, one lane after the other
template <class Function>
TARSUS_INLINE double lanewise(Function function, double a) {
    return function(a);
}
template <class Function>
TARSUS_INLINE double lanewise(Function function, double a, double b) {
    return function(a, b);
}

// the angle of the point (x, y)
TARSUS_INLINE double arctangent(double y, double x) { return std::atan2(y, x); }

}  // namespace tarsus::TARSUS_ISA
