// Rates by dual numbers: the configuration as a dual number whose rate is q̇ for the velocity v.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
constexpr size_t moving_configuration_bytes(const Tree& tree) {
    return bytes_of<Angle<T>>(tree.n_angles) + bytes_of<T>(tree.nq) + bytes_of<Dual<T>>(tree.nq);
}

template <class T>
TARSUS_INLINE const Dual<T>* moving_configuration(const Tree& tree, const T* q, const T* v,
                                                  Scratch& scratch) {
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    T* rate = scratch.take<T>(tree.nq);
    Dual<T>* moving = scratch.take<Dual<T>>(tree.nq);
    read_angles(tree, q, angles);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::rate(state_at(link, q, angles), v + link.v, rate + link.q);
        });
    }
    for (int k = 0; k < tree.nq; ++k) moving[k] = {q[k], rate[k]};
    return moving;
}

}  // namespace tarsus::TARSUS_ISA
