// Rubber that pulls less when it gets shorter (Schröder 1990, section 7.2, with the jump of its
// stiffness smoothed): k x σ(ẋ) where it is stretched, σ from e to 1 within rates of ± ε. What it
// stores is what it holds at rest, (1 + e)/2 of k x² / 2; then the rest is lost at any rate.
#pragma once

namespace tarsus::TARSUS_ISA {

struct RubberLaw {
    static constexpr double kLow = -1, kHigh = 0;
    static constexpr int kLimit = -1;

    // numbers: stiffness, ratio e of return, smoothing ε
    template <class T>
    static TARSUS_INLINE Pull<T> pull(const T* numbers, const RowState<T>& at) {
        const T zero(0.0), one(1.0), two(2.0);
        const T &k = numbers[0], &e = numbers[1], &width = numbers[2];
        T u = (at.speed() + width) / (two * width);
        u = select(u > zero, select(u < one, u, one), zero);
        const T sigma = mul_add(one - e, u * u * (T(3.0) - two * u), e);
        const T at_rest = T(0.5) * (one + e);
        const T stretch = select(at.value() > zero, at.value(), zero);
        const T on = select(at.value() > zero, one, zero);
        const T bend = (one - e) * T(3.0) * u * (one - u) / width;
        return {k * stretch * sigma, k * sigma * on, k * stretch * bend,
                k * stretch * (sigma - at_rest)};
    }
    template <class T>
    static TARSUS_INLINE T energy(const T* numbers, const T& x) {
        return select(x > T(0.0), T(0.25) * numbers[0] * (T(1.0) + numbers[1]) * x * x, T(0.0));
    }
};

}  // namespace tarsus::TARSUS_ISA
