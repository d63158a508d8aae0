// A support: a spring with a damper below zero, which pushes and never pulls.
#pragma once

namespace tarsus::TARSUS_ISA {

struct SupportLaw {
    static constexpr double kLow = 0, kHigh = 1;
    static constexpr int kLimit = -1;

    // numbers: stiffness, damping
    template <class T>
    static TARSUS_INLINE Pull<T> pull(const T* numbers, const RowState<T>& at) {
        const T zero(0.0), lost = numbers[1] * at.speed();
        const T force = mul_add(numbers[0], at.value(), lost);
        const T deep = select(at.value() < zero, T(1.0), zero);
        return {select(force < zero, force, zero) * deep, numbers[0] * deep, numbers[1] * deep,
                select(force < zero, lost, -(numbers[0] * at.value())) * deep};
    }
    template <class T>
    static TARSUS_INLINE T energy(const T* numbers, const T& x) {
        return select(x < T(0.0), T(0.5) * numbers[0] * x * x, T(0.0));
    }
};

}  // namespace tarsus::TARSUS_ISA
