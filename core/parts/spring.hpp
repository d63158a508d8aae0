// A linear spring with a damper beside it: k x + d ẋ.
#pragma once

namespace tarsus::TARSUS_ISA {

struct SpringLaw {
    static constexpr double kLow = -1, kHigh = 1;
    static constexpr int kLimit = 2;  // where the bound of its force is

    // numbers: stiffness, damping, limit
    template <class T>
    static TARSUS_INLINE Pull<T> pull(const T* numbers, const RowState<T>& at) {
        const T lost = numbers[1] * at.speed();
        return {mul_add(numbers[0], at.value(), lost), numbers[0], numbers[1], lost};
    }
    template <class T>
    static TARSUS_INLINE T energy(const T* numbers, const T& x) {
        return T(0.5) * numbers[0] * x * x;
    }
};

}  // namespace tarsus::TARSUS_ISA
