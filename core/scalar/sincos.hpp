// Sine and cosine at once, the same arithmetic for a double and for every lane of a Pack.
//
// Reduction by multiples of π/2 split into 33-bit parts (exact products, Cody & Waite), then the
// minimax polynomials of fdlibm on [−π/4, π/4]; the error stays below two units in the last place.
// Beyond kLargestAngle the C library takes over, for those lanes only.
#pragma once

#include "scalar/pack.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Angle {
    T cosine, sine;
};

constexpr double kLargestAngle = 1e5;

template <class T>
TARSUS_INLINE T sine_polynomial(const T& y, const T& z) {
    T p = mul_add(z, T(1.58969099521155010221e-10), T(-2.50507602534068634195e-08));
    p = mul_add(z, p, T(2.75573137070700676789e-06));
    p = mul_add(z, p, T(-1.98412698298579493134e-04));
    p = mul_add(z, p, T(8.33333333332248946124e-03));
    p = mul_add(z, p, T(-1.66666666666666324348e-01));
    return mul_add(y * z, p, y);
}

template <class T>
TARSUS_INLINE T cosine_polynomial(const T& z) {
    T p = mul_add(z, T(-1.13596475577881948265e-11), T(2.08757232129817482790e-09));
    p = mul_add(z, p, T(-2.75573143513906633035e-07));
    p = mul_add(z, p, T(2.48015872894767294178e-05));
    p = mul_add(z, p, T(-1.38888888888741095749e-03));
    p = mul_add(z, p, T(4.16666666666666019037e-02));
    return mul_add(z * z, p, mul_add(T(-0.5), z, T(1.0)));
}

template <class T>
TARSUS_INLINE Angle<T> sincos_of(const T& x) {
    // k = round(2x/π); adding 1.5·2⁵² leaves k in the low bits of the significand
    const T shifter(6755399441055744.0);
    const T shifted = mul_add(x, T(0.63661977236758134308), shifter);
    const T k = shifted - shifter;
    const auto quadrant = bits_of(shifted);

    T y = neg_mul_add(k, T(1.57079632673412561417e+00), x);
    y = neg_mul_add(k, T(6.07710050630396597660e-11), y);
    y = neg_mul_add(k, T(2.02226624871116645580e-21), y);
    y = neg_mul_add(k, T(8.47842766036889956997e-32), y);
    const T z = y * y;
    const auto sine = bits_of(sine_polynomial(y, z));
    const auto cosine = bits_of(cosine_polynomial(z));

    // odd quadrants swap the two; signs follow from bit 1 of k and of k + 1
    const auto swap = -(quadrant & 1);
    const auto sine_sign = (quadrant << 62) & INT64_MIN;
    const auto cosine_sign = ((quadrant << 62) ^ (quadrant << 63)) & INT64_MIN;
    Angle<T> result{from_bits(((cosine & ~swap) | (sine & swap)) ^ cosine_sign),
                    from_bits(((sine & ~swap) | (cosine & swap)) ^ sine_sign)};
    const auto large = absolute(x) > T(kLargestAngle);
    if (any(large)) [[unlikely]] {
        const T libm_cosine = lanewise([](double a) { return std::cos(a); }, x);
        const T libm_sine = lanewise([](double a) { return std::sin(a); }, x);
        result.cosine = select(large, libm_cosine, result.cosine);
        result.sine = select(large, libm_sine, result.sine);
    }
    return result;
}

}  // namespace tarsus::TARSUS_ISA
