// Gaussian elimination of small dense systems, with vectors along the rows.
//
// No pivoting: what is solved here is positive, or nearly so. The right-hand side is the column
// after the last, so that it is eliminated along. Of a symmetric matrix only the upper triangle is
// read and changed, which halves the work.
#pragma once

#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

class Elimination {
   public:
    Elimination(int rows, Scratch& scratch)
        : M_(scratch.take<double>(size_t(rows) * padded(rows + 1))),
          x_(scratch.take<double>(padded(rows))) {}
    static size_t bytes(int rows) {
        return bytes_of<double>(size_t(rows) * padded(rows + 1)) + bytes_of<double>(padded(rows));
    }

    void begin(int n) { n_ = n, width_ = padded(n + 1); }
    double* row(int i) { return M_ + long(i) * width_; }
    double& right(int i) { return row(i)[n_]; }

    // the solution; null where a pivot vanishes
    const double* solve(bool symmetric) {
        int k = 0;
        for (; k + 1 < n_; k += 2) {
            if (!eliminate_two(k, symmetric)) return nullptr;
        }
        if (k < n_ && !invert_pivot(k)) return nullptr;
        for (k = n_ - 1; k >= 0; --k) {
            const double* u = row(k);
            double sum = u[n_];
            for (int j = k + 1; j < n_; ++j) sum = neg_mul_add(u[j], x_[j], sum);
            x_[k] *= sum;
            if (!std::isfinite(x_[k])) return nullptr;
        }
        return x_;
    }

   private:
    // two columns at a time: rows are then read and written half as often
    bool eliminate_two(int k, bool symmetric) {
        double *first = row(k), *second = row(k + 1);
        if (!invert_pivot(k)) return false;
        const double across = -((symmetric ? first[k + 1] : second[k]) * x_[k]);
        subtract(k + 1, across, first, second);
        if (!invert_pivot(k + 1)) return false;
        for (int i = k + 2; i < n_; ++i) {
            double* target = row(i);
            const double left = -((symmetric ? first[i] : target[k]) * x_[k]);
            const double next = symmetric ? second[i] : mul_add(left, first[k + 1], target[k + 1]);
            const Lanes a(left), b(-(next * x_[k + 1]));
            // what stands before the first number that matters is not read again
            for (int j = (symmetric ? i : k + 2) / kLanes * kLanes; j <= n_; j += kLanes) {
                const Lanes sum = mul_add(b, lanes_at(second + j),
                                          mul_add(a, lanes_at(first + j), lanes_at(target + j)));
                std::memcpy(target + j, &sum, sizeof sum);
            }
        }
        return true;
    }
    void subtract(int from, double factor, const double* pivot, double* target) {
        const int start = from / kLanes * kLanes;
        add_multiple(factor, pivot + start, n_ + 1 - start, target + start);
    }
    bool invert_pivot(int k) {
        x_[k] = 1.0 / row(k)[k];
        return std::abs(x_[k]) < 1e150;
    }

    double *M_, *x_;
    int n_ = 0, width_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
