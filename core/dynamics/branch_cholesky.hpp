// Factorisation H = Lᵀ L that keeps the zeros of a tree's mass matrix (Featherstone 2005).
//
// Compact storage: the row of a coordinate holds its ancestors from the root down, then itself,
// so row k starts at tree.row[k] and an ancestor l stands at tree.depth[l] in it. Ancestors share
// prefixes, hence all inner loops run over contiguous memory.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void factor_branches(const Tree& tree, T* L) {
    for (int k = tree.nv - 1; k >= 0; --k) {
        T* row = L + tree.row[k];
        const int* branch = &tree.branch[tree.row[k]];
        const int depth = tree.depth[k];
        row[depth] = square_root(row[depth]);
        const T inverse = T(1.0) / row[depth];
        for (int d = 0; d < depth; ++d) row[d] = row[d] * inverse;
        for (int d = 0; d < depth; ++d) {
            T* above = L + tree.row[branch[d]];
            for (int e = 0; e <= d; ++e) above[e] = neg_mul_add(row[d], row[e], above[e]);
        }
    }
}

// x := H⁻¹ x
template <class T>
TARSUS_INLINE void solve_branches(const Tree& tree, const T* L, T* x) {
    for (int k = tree.nv - 1; k >= 0; --k) {
        const T* row = L + tree.row[k];
        const int* branch = &tree.branch[tree.row[k]];
        x[k] = x[k] / row[tree.depth[k]];
        for (int d = 0; d < tree.depth[k]; ++d) {
            x[branch[d]] = neg_mul_add(row[d], x[k], x[branch[d]]);
        }
    }
    for (int k = 0; k < tree.nv; ++k) {
        const T* row = L + tree.row[k];
        const int* branch = &tree.branch[tree.row[k]];
        for (int d = 0; d < tree.depth[k]; ++d) x[k] = neg_mul_add(row[d], x[branch[d]], x[k]);
        x[k] = x[k] / row[tree.depth[k]];
    }
}

// L := L⁻¹ in place; row k becomes (e_k − Σ L_ki (row i of L⁻¹)) / L_kk over the ancestors i
template <class T>
TARSUS_INLINE void invert_branches(const Tree& tree, T* L) {
    for (int k = 0; k < tree.nv; ++k) {
        T* row = L + tree.row[k];
        const int* branch = &tree.branch[tree.row[k]];
        const int depth = tree.depth[k];
        const T inverse = T(1.0) / row[depth];
        for (int d = 0; d < depth; ++d) {
            const T* above = L + tree.row[branch[d]];
            const T factor = row[d] * inverse;
            for (int e = 0; e < d; ++e) row[e] = neg_mul_add(factor, above[e], row[e]);
            row[d] = -(factor * above[d]);
        }
        row[depth] = inverse;
    }
}

}  // namespace tarsus::TARSUS_ISA
