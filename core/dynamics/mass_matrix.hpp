// The composite-rigid-body algorithm (Walker & Orin 1982; Featherstone 2008, table 6.2) in world
// axes: the force that moves a composite body is walked down its branch and projected there.
#pragma once

#include "dynamics/composite.hpp"

namespace tarsus::TARSUS_ISA {

// store(row, column, value) receives the lower triangle, where the two coordinates are related
template <class T, class Store>
TARSUS_INLINE void mass_matrix(const Tree& tree, const T* q, Scratch& scratch, Store&& store) {
    const AlignedTree<T> world = align(tree, q, scratch);
    compose_inertias(tree, world);
    for (int j = 0; j < tree.n_bodies; ++j) {
        const Link& link = tree.links[j];
        for (int k = link.v; k < link.v + link.nv; ++k) {
            Force<T> F = world.body[j + 1].composite * world.S[k];
            for (int l = link.v; l < k; ++l) store(k, l, dot(world.S[l], F));
            store(k, k, dot(world.S[k], F) + T(tree.armature[k]));
            for (int i = j; tree.links[i].parent >= 0;) {
                F.angular = cross_add(world.body[i + 1].r, F.linear, F.angular);
                i = tree.links[i].parent;
                const Link& ancestor = tree.links[i];
                for (int l = ancestor.v; l < ancestor.v + ancestor.nv; ++l) {
                    store(k, l, dot(world.S[l], F));
                }
            }
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
