// Gaussian elimination of small dense systems, vectors along the rows.
//
// No pivots: what is solved here is positive, or nearly so. The right-hand side is the column after
// the last, so that it is eliminated along. A symmetric matrix is read and changed in its upper
// triangle only, which halves the work.
#pragma once

#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

class Elimination {
   public:
    explicit Elimination(int rows, Scratch& scratch)
        : M_(scratch.take<double>(size_t(rows) * padded(rows + 1))),
          x_(scratch.take<double>(padded(rows))) {}

    void begin(int n) { n_ = n, stride_ = padded(n + 1); }
    double* row(int i) { return M_ + long(i) * stride_; }
    double& right(int i) { return row(i)[n_]; }

    // the solution, null where a pivot vanished
    const double* solve(bool symmetric) {
        for (int k = 0; k < n_; ++k) {
            const double* pivot_row = row(k);
            const double inverse = 1.0 / pivot_row[k];
            if (!(std::abs(inverse) < 1e150)) return nullptr;
            x_[k] = inverse;
            for (int i = k + 1; i < n_; ++i) {
                double* target = row(i);
                const double left = symmetric ? pivot_row[i] : target[k];
                if (left == 0.0) continue;
                // the numbers before the first that matter are not read again
                const int first = (symmetric ? i : k + 1) / kLanes * kLanes;
                add_multiple(-(left * inverse), pivot_row + first, n_ + 1 - first, target + first);
            }
        }
        for (int k = n_ - 1; k >= 0; --k) {
            const double* u = row(k);
            double sum = u[n_];
            for (int j = k + 1; j < n_; ++j) sum = neg_mul_add(u[j], x_[j], sum);
            x_[k] *= sum;
        }
        return x_;
    }

   private:
    double *M_, *x_;
    int n_ = 0, stride_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
