// Factorisation H = Lᵀ L that keeps the zeros of a tree's mass matrix (Featherstone 2005).
//
// Compact storage: the row of a coordinate holds its ancestors from the root down, then itself,
// so row k starts at tree.row[k] and an ancestor l stands at tree.depth[l] in it. Ancestors share
// prefixes, hence all inner loops run over contiguous memory.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// y := y − factor x; one state does several entries at once in the lanes
template <class T>
TARSUS_INLINE void subtract_multiple(int count, const T factor, const T* x, T* y) {
    int k = 0;
    if constexpr (std::is_same_v<T, double>) {
        for (; k + kLanes <= count; k += kLanes) {
            const Lanes sum = neg_mul_add(Lanes(factor), lanes_at(x + k), lanes_at(y + k));
            std::memcpy(y + k, &sum.v, sizeof sum.v);
        }
    }
    for (; k < count; ++k) y[k] = neg_mul_add(factor, x[k], y[k]);
}

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
            subtract_multiple(d + 1, row[d], row, L + tree.row[branch[d]]);
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

// A matrix in whole lanes: one state has several columns in each, and needs room of its own for
// that; a batch has one, and the matrix lies where it belongs.
template <class T>
struct LaneMatrix {
    static constexpr int kColumns = sizeof(Lanes) / sizeof(T);  // in a lane group
    int rows, columns, groups;                                  // groups in each row
    T* home;
    Lanes* lanes;

    static int groups_of(int columns) { return (columns + kColumns - 1) / kColumns; }
    static size_t bytes(int rows, int columns) {
        return bytes_of<Lanes>(size_t(rows) * groups_of(columns));
    }
    static size_t bytes(int n) { return bytes(n, n); }
    TARSUS_INLINE LaneMatrix(int r, int c, T* out, Scratch& scratch)
        : rows(r), columns(c), groups(groups_of(c)), home(out) {
        if constexpr (kColumns == 1) lanes = out;
        else lanes = scratch.take<Lanes>(size_t(rows) * groups);
        for (int k = 0; k < rows * groups; ++k) lanes[k] = Lanes(0.0);
    }
    TARSUS_INLINE LaneMatrix(int n, T* out, Scratch& scratch) : LaneMatrix(n, n, out, scratch) {}
    TARSUS_INLINE void copy_out() const {
        for (int i = 0; kColumns > 1 && i < rows; ++i) {
            for (int j = 0; j < columns; ++j) home[i * columns + j] = (*this)(i, j);
        }
    }
    TARSUS_INLINE T& operator()(int row, int column) const {
        return reinterpret_cast<T*>(lanes)[row * groups * kColumns + column];
    }
};

// X := −H⁻¹ X for a few neighbouring columns; row k of X starts at X + k stride, and rows after
// `last` are zero
template <int width, class T>
TARSUS_INLINE void solve_block(const Tree& tree, const T* L, Lanes* X, int stride, int last) {
    Lanes sum[width];
    for (int k = last; k >= 0; --k) {
        Lanes* at = X + size_t(k) * stride;
        const int depth = tree.depth[k];
        for (int c = 0; c < width; ++c) sum[c] = at[c];
        // rows below have changed their sign, this one has not yet
        for (int b = tree.below_from[k]; b < tree.below_from[k + 1]; ++b) {
            const int below = tree.below[b];
            if (below > last) break;
            const Lanes factor(L[tree.row[below] + depth]);
            const Lanes* other = X + size_t(below) * stride;
            for (int c = 0; c < width; ++c) sum[c] = mul_add(factor, other[c], sum[c]);
        }
        const Lanes inverse(T(-1.0) / L[tree.row[k] + depth]);
        for (int c = 0; c < width; ++c) at[c] = sum[c] * inverse;
    }
    for (int k = 0; k < tree.nv; ++k) {
        const T* row = L + tree.row[k];
        const int* branch = &tree.branch[tree.row[k]];
        Lanes* at = X + size_t(k) * stride;
        for (int c = 0; c < width; ++c) sum[c] = at[c];
        for (int d = 0; d < tree.depth[k]; ++d) {
            const Lanes factor(row[d]);
            const Lanes* other = X + size_t(branch[d]) * stride;
            for (int c = 0; c < width; ++c) sum[c] = neg_mul_add(factor, other[c], sum[c]);
        }
        const Lanes inverse(T(1.0) / row[tree.depth[k]]);
        // zeros become positive: their sign would tell how many columns were solved at once
        for (int c = 0; c < width; ++c) at[c] = mul_add(sum[c], inverse, Lanes(0.0));
    }
}

// X := −H⁻¹ X; upper: X is an upper triangle
template <class T>
TARSUS_INLINE void solve_columns(const Tree& tree, const T* L, const LaneMatrix<T>& X,
                                 bool upper = false) {
    const int n = tree.nv;
    int g = 0;
    const auto solve = [&](auto width) {
        for (; g + width <= X.groups; g += width) {
            const int columns = (g + width) * X.kColumns;
            const int last = upper && columns < n ? columns - 1 : n - 1;
            solve_block<width>(tree, L, X.lanes + g, X.groups, last);
        }
    };
    solve(std::integral_constant<int, 8>{});
    solve(std::integral_constant<int, 4>{});
    solve(std::integral_constant<int, 2>{});
    solve(std::integral_constant<int, 1>{});
}

// H⁻¹
template <class T>
TARSUS_INLINE LaneMatrix<T> inverse_of_branches(const Tree& tree, const T* L, T* out,
                                                Scratch& scratch) {
    const LaneMatrix<T> X(tree.nv, out, scratch);
    for (int k = 0; k < tree.nv; ++k) X(k, k) = T(-1.0);
    solve_columns(tree, L, X, true);
    return X;
}

}  // namespace tarsus::TARSUS_ISA
