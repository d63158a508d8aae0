// F = k δⁿ (1 + c δ̇), so that forces start and end at zero: K. Hunt, F. Crossley, "Coefficient of
// restitution interpreted as damping in vibroimpact", Journal of Applied Mechanics 42, 1975.
//
// Surfaces that part faster than 1/c do not pull: the damper takes at most what the spring gives,
// and what it dissipates, k δⁿ c δ̇² or k δⁿ |δ̇|, is never negative.
#pragma once

namespace tarsus::TARSUS_ISA {

struct HuntCrossley {
    template <class T>
    static TARSUS_INLINE Push<T> push(const CompliantNumbers& numbers, const T& depth,
                                      const T& rate) {
        const T d = select(depth > T(0.0), depth, T(0.0));
        const double n = numbers.exponent;
        const T power = lanewise([n](double x) { return std::pow(x, n); }, d);
        const T force = T(numbers.normal_stiffness) * power;
        const T wish = T(numbers.dissipation) * rate;
        const T share = select(wish < T(-1.0), T(-1.0), wish);
        return {force * d * T(1.0 / (n + 1.0)), force, force * share};
    }
};

}  // namespace tarsus::TARSUS_ISA
