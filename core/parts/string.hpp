// A string: a spring with a damper where it is stretched, which pulls and never pushes.
#pragma once

namespace tarsus::TARSUS_ISA {

struct StringLaw {
    static constexpr double kLow = -1, kHigh = 0;
    static constexpr int kLimit = -1;

    // numbers: stiffness, damping
    template <class T>
    static TARSUS_INLINE Pull<T> pull(const T* numbers, const RowState<T>& at) {
        const T zero(0.0), lost = numbers[1] * at.speed();
        const T force = mul_add(numbers[0], at.value(), lost);
        const T taut = select(at.value() > zero, T(1.0), zero);
        return {select(force > zero, force, zero) * taut, numbers[0] * taut, numbers[1] * taut,
                select(force > zero, lost, -(numbers[0] * at.value())) * taut};
    }
    template <class T>
    static TARSUS_INLINE T energy(const T* numbers, const T& x) {
        return select(x > T(0.0), T(0.5) * numbers[0] * x * x, T(0.0));
    }
};

}  // namespace tarsus::TARSUS_ISA
