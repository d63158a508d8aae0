// Loops outside the clusters hold whatever else happens: they are eliminated from a state's problem
// before it is solved. A and b of the other rows become what they are if the loops give way as they
// must; what it takes to find the loops' own impulses is kept.
#pragma once

#include "constraints/row_system.hpp"
#include "dynamics/rank_revealing.hpp"

namespace tarsus::TARSUS_ISA {

class LoopElimination {
   public:
    double* whole;  // the operator of loops, then of the other rows: N × padded(N)

    LoopElimination(int loops, int rows, Scratch& scratch)
        : n_(loops),
          L_(scratch.take<double>(size_t(loops) * loops)),
          scale_(scratch.take<double>(loops)),
          work_(scratch.take<double>(loops)),
          x_(scratch.take<double>(loops)),
          y_(scratch.take<double>(loops)),
          X_(scratch.take<double>(size_t(loops) * rows)),
          order_(scratch.take<int>(loops)) {
        whole = scratch.take<double>(loops ? size_t(loops + rows) * padded(loops + rows) : 0);
    }

    int loops() const { return n_; }

    // `lose`: velocities of the loops' rows that they must lose
    TARSUS_APART void reduce(const double* lose, RowSystem& s) {
        const int m = m_ = s.n, width = padded(n_ + m);
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) L_[i * n_ + j] = whole[long(i) * width + j];
        }
        const int rank = factor_semidefinite(n_, L_, order_, scale_);
        const auto solve = [&] { solve_semidefinite(n_, rank, L_, order_, scale_, x_, work_); };
        for (int i = 0; i < n_; ++i) x_[i] = -lose[i];
        solve();
        for (int i = 0; i < n_; ++i) y_[i] = x_[i];
        for (int c = 0; c < m; ++c) {
            for (int i = 0; i < n_; ++i) x_[i] = -whole[long(i) * width + n_ + c];
            solve();
            for (int i = 0; i < n_; ++i) X_[long(i) * m + c] = x_[i];
        }
        for (int r = 0; r < m; ++r) {
            const double* across = whole + long(n_ + r) * width;  // A of this row with the loops
            for (int i = 0; i < n_; ++i) s.b[r] = mul_add(across[i], y_[i], s.b[r]);
            double* to = s.row(r);
            for (int c = 0; c < padded(m); ++c) to[c] = c < m ? across[n_ + c] : 0.0;
            for (int i = 0; i < n_; ++i) {
                for (int c = 0; c < m; ++c) to[c] = mul_add(across[i], X_[long(i) * m + c], to[c]);
            }
        }
    }
    // impulse of a loop's row, given those of some other rows; `closing`: with what it needs anyway
    double impulse(int row, const double* p, const int* place, int n, bool closing) const {
        double sum = closing ? y_[row] : 0.0;
        for (int c = 0; c < n; ++c) sum = mul_add(X_[long(row) * m_ + place[c]], p[c], sum);
        return sum;
    }

   private:
    int n_, m_ = 0;
    double *L_, *scale_, *work_, *x_, *y_, *X_;
    int* order_;
};

}  // namespace tarsus::TARSUS_ISA
