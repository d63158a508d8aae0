// A linear spring: V = ½ k δ². With the damper of the element it is Kelvin and Voigt's model.
#pragma once

namespace tarsus::TARSUS_ISA {

struct NormalSpring {
    template <class T>
    static TARSUS_INLINE Push<T> push(const CompliantNumbers& numbers, const T& depth, const T&) {
        const T force = T(numbers.normal_stiffness) * depth;
        return {T(0.5) * force * depth, force, T(0.0)};
    }
};

}  // namespace tarsus::TARSUS_ISA
