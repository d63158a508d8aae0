// Lagrange multipliers of loops outside the clusters, one lane after the other: how many rows are
// redundant may differ from state to state.
#pragma once

#include "dynamics/loop_motion.hpp"
#include "dynamics/rank_revealing.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
constexpr int kLanesOf = sizeof(T) / sizeof(double);

template <class T>
TARSUS_INLINE size_t multiplier_bytes(const Tree& tree) {
    const size_t m = tree.n_constraint_rows, lanes = kLanesOf<T>;
    return bytes_of<T>(m * m) + bytes_of<T>(m) + bytes_of<double>(lanes * m * m) +
           bytes_of<int>(lanes * m) + bytes_of<double>(lanes * m) + 2 * bytes_of<double>(m);
}

template <class T>
struct MultiplierWork {
    int n;
    T *operator_matrix, *rate;  // J H⁻¹ Jᵀ, lower triangle by rows; rates of the rows' velocities
    double* L;                  // factors, lane by lane
    int* order;
    double *scale, *x, *y;
    int rank[kLanesOf<T>];
    double least;  // rows that move less do not move at all

    MultiplierWork(const Tree& tree, Scratch& scratch)
        : n(tree.n_constraint_rows),
          operator_matrix(scratch.take<T>(size_t(n) * n)),
          rate(scratch.take<T>(n)),
          L(scratch.take<double>(size_t(n) * n * kLanesOf<T>)),
          order(scratch.take<int>(size_t(n) * kLanesOf<T>)),
          scale(scratch.take<double>(size_t(n) * kLanesOf<T>)),
          x(scratch.take<double>(n)),
          y(scratch.take<double>(n)),
          least(n ? kHeldAlready * mobility_of(tree) : 0.0) {}

    void factor() {
        for (int l = 0; l < kLanesOf<T>; ++l) {
            double* own = L + size_t(l) * n * n;
            for (int k = 0; k < n * n; ++k) own[k] = lane_of(operator_matrix[k], l);
            rank[l] = factor_semidefinite(n, own, order + l * n, scale + l * n, least);
        }
    }
    // rate := the multipliers that make the rows' accelerations vanish
    void solve() {
        for (int l = 0; l < kLanesOf<T>; ++l) {
            for (int k = 0; k < n; ++k) x[k] = -lane_of(rate[k], l);
            solve_semidefinite(n, rank[l], L + size_t(l) * n * n, order + l * n, scale + l * n, x,
                               y);
            for (int k = 0; k < n; ++k) set_lane(rate[k], l, x[k]);
        }
    }
};

// f(loop, first row among those of the constraints)
template <class F>
TARSUS_INLINE void for_each_constraint(const Tree& tree, F&& f) {
    int first = 0;
    for (const Loop& loop : tree.loops) {
        if (loop.cluster >= 0) continue;
        f(loop, first);
        first += loop.n_rows;
    }
}

}  // namespace tarsus::TARSUS_ISA
