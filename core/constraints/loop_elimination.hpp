// Loops outside the clusters hold whatever else happens: they are eliminated from a step's problem
// before it is solved.
#pragma once

#include "constraints/problem.hpp"

namespace tarsus::TARSUS_ISA {

// A and b of the other rows as if the loops gave way as they must; keeps what it takes to find the
// loops' own impulses.
template <class T>
class LoopElimination {
   public:
    LoopElimination(const Tree& tree, int capacity, Scratch& scratch)
        : n_(tree.n_constraint_rows),
          work_(tree, scratch),
          X_(scratch.take<T>(size_t(n_) * capacity)),
          y_(scratch.take<T>(n_)) {}

    // the whole operator (loops first, N × N) and velocities of the loops' rows that they must
    // lose; writes the reduced problem
    TARSUS_APART void reduce(const T* whole, int N, const T* lose, Problem<T>& problem) {
        const int m = N - n_;
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) work_.operator_matrix[i * n_ + j] = whole[i * N + j];
        }
        work_.factor();
        const auto solve = [&](auto&& column, auto&& store) {
            for (int i = 0; i < n_; ++i) work_.rate[i] = column(i);
            work_.solve();  // −Λ⁻¹ column
            for (int i = 0; i < n_; ++i) store(i, work_.rate[i]);
        };
        solve([&](int i) { return lose[i]; }, [&](int i, const T& x) { y_[i] = x; });
        for (int c = 0; c < m; ++c) {
            solve([&](int i) { return whole[i * N + n_ + c]; },
                  [&](int i, const T& x) { X_[i * m + c] = x; });
        }
        for (int r = 0; r < m; ++r) {
            const T* across = whole + (n_ + r) * N;  // A of this row with the loops
            for (int i = 0; i < n_; ++i) problem.b[r] = mul_add(across[i], y_[i], problem.b[r]);
            for (int c = 0; c < m; ++c) {
                T sum = across[n_ + c];
                for (int i = 0; i < n_; ++i) sum = mul_add(across[i], X_[i * m + c], sum);
                problem.A[r * m + c] = sum;
            }
        }
    }
    // the loops' impulses, given those of the other rows; `closing`: with those that they need
    // anyway
    TARSUS_APART void impulses(const T* p, int m, bool closing, T* out) const {
        for (int i = 0; i < n_; ++i) {
            T sum = closing ? y_[i] : T(0.0);
            for (int c = 0; c < m; ++c) sum = mul_add(X_[i * m + c], p[c], sum);
            out[i] = sum;
        }
    }

   private:
    int n_;
    MultiplierWork<T> work_;
    T *X_, *y_;
};

}  // namespace tarsus::TARSUS_ISA
