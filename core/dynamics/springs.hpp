// Joint springs: they act on the tangent step from their rest configuration.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE bool has_spring(const Tree& tree, const Link& link) {
    for (int k = link.v; k < link.v + link.nv; ++k) {
        if (tree.stiffness[k] != 0) return true;
    }
    return false;
}

// out := tangent steps of joints from where their springs are relaxed; zeros for those without
// springs, unless `all` are asked for: steps of rotations are no cheap functions
template <class T>
TARSUS_INLINE void stretch(const Tree& tree, const T* q, Scratch& scratch, T* out,
                           bool all = false) {
    T* rest = scratch.take<T>(tree.joint_nq);
    for (int k = 0; k < tree.joint_nq; ++k) rest[k] = T(tree.rest[k]);
    for (const Link& link : tree.links) {
        if (!all && !has_spring(tree, link)) {
            for (int k = link.v; k < link.v + link.nv; ++k) out[k] = T(0.0);
            continue;
        }
        visit(link.kind, [&](auto joint) {
            decltype(joint)::difference(link, rest + link.q, q + link.q, out + link.v);
        });
    }
}

}  // namespace tarsus::TARSUS_ISA
