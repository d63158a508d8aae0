// Drag: (d + c |V|) V against the motion of a point, and d′ ω against turning.
#pragma once

namespace tarsus::TARSUS_ISA {

struct DragLaw {
    static constexpr double kLow = -1, kHigh = 1;
    static constexpr int kLimit = -1;

    // numbers: linear, quadratic, angular
    template <class T>
    static TARSUS_INLINE Pull<T> pull(const T* numbers, const RowState<T>& at) {
        T damping = numbers[2];
        if (!at.turns) {
            // a number so small that |V| has a rate at rest, too, where it is zero nevertheless
            const T least(1e-300);
            T square = least;
            for (int r = 0; r < std::min(at.rows, 3); ++r) {
                square = mul_add(at.rate[r], at.rate[r], square);
            }
            const T speed = square_root(square) - square_root(least);
            damping = mul_add(numbers[1], speed, numbers[0]);
        }
        const T force = damping * at.speed();
        return {force, T(0.0), damping, force};
    }
    template <class T>
    static TARSUS_INLINE T energy(const T*, const T&) {
        return T(0.0);
    }
};

}  // namespace tarsus::TARSUS_ISA
