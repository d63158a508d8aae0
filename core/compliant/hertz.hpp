// Elastic bodies with curved surfaces: F = k δ^(3/2), V = ⅖ k δ^(5/2) (Hertz 1882; Johnson,
// Contact Mechanics, 1985, section 4.2).
#pragma once

namespace tarsus::TARSUS_ISA {

struct Hertz {
    template <class T>
    static TARSUS_INLINE Push<T> push(const CompliantNumbers& numbers, const T& depth, const T&) {
        const T d = select(depth > T(0.0), depth, T(0.0));
        const T force = T(numbers.normal_stiffness) * d * square_root(d);
        return {T(0.4) * force * d, force, T(0.0)};
    }
};

}  // namespace tarsus::TARSUS_ISA
