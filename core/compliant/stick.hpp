// Surfaces that do not slip: all sliding and twisting deforms them (Duindam 2006, (3.23)).
#pragma once

namespace tarsus::TARSUS_ISA {

struct Stick {
    static constexpr bool kDissipates = false;

    template <class T>
    static TARSUS_INLINE Slip<T> slip(const CompliantNumbers&, const SlipState<T>&) {
        return {};
    }
};

}  // namespace tarsus::TARSUS_ISA
