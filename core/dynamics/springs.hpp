// Joint springs: they act on the tangent step from their rest configuration.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

// out := tangent steps of all joints from where their springs are relaxed
template <class T>
TARSUS_INLINE void stretch(const Tree& tree, const T* q, Scratch& scratch, T* out) {
    T* rest = scratch.take<T>(tree.joint_nq);
    for (int k = 0; k < tree.joint_nq; ++k) rest[k] = T(tree.rest[k]);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::difference(link, rest + link.q, q + link.q, out + link.v);
        });
    }
}

}  // namespace tarsus::TARSUS_ISA
