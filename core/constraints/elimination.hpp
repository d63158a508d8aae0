// Gaussian elimination of small dense systems, with vectors along the rows.
//
// No pivoting: what is solved here is positive, or nearly so. The right-hand side is the column
// after the last, so that it is eliminated along. The first rows are symmetric among themselves: of
// them only the upper triangle is read and changed, which halves the work.
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

    // the solution; null where a pivot vanishes. `symmetric`: how many rows are
    const double* solve(int symmetric) {
        int k = 0;
        for (; k + 1 < n_; k += 2) {
            if (!eliminate_two(k, symmetric)) return nullptr;
        }
        if (k < n_ && !invert_pivot(k)) return nullptr;
        for (k = n_ - 1; k >= 0; --k) {
            x_[k] *= row(k)[n_] - product(row(k), k + 1);
            if (!std::isfinite(x_[k])) return nullptr;
        }
        return x_;
    }

   private:
    // Σ u x from number `from` on; sums in lanes, else each would wait for the one before
    double product(const double* u, int from) const {
        double sum = 0.0;
        int j = from;
        for (; j < n_ && j % kLanes; ++j) sum = mul_add(u[j], x_[j], sum);
        Lanes part(0.0);
        for (; j + kLanes <= n_; j += kLanes) {
            part = mul_add(lanes_at(u + j), lanes_at(x_ + j), part);
        }
        for (; j < n_; ++j) sum = mul_add(u[j], x_[j], sum);
        for (int l = 0; l < kLanes; ++l) sum += part[l];
        return sum;
    }
    // two columns at a time: rows are then read and written half as often
    bool eliminate_two(int k, int symmetric) {
        double *first = row(k), *second = row(k + 1);
        if (!invert_pivot(k)) return false;
        const double across = -((k + 1 < symmetric ? first[k + 1] : second[k]) * x_[k]);
        subtract(k + 1, across, first, second);
        if (!invert_pivot(k + 1)) return false;
        // what stands before the first number that matters is not read again
        int i = k + 2;
        for (; i < symmetric; ++i) {
            subtract_two(first[i] * x_[k], first, second[i] * x_[k + 1], second, i, row(i));
        }
        for (; i < n_; ++i) {
            double* target = row(i);
            const double left = target[k] * x_[k];
            const double next = neg_mul_add(left, first[k + 1], target[k + 1]) * x_[k + 1];
            subtract_two(left, first, next, second, k + 2, target);
        }
        return true;
    }
    // target −= a first + b second, from number `from` on
    TARSUS_INLINE void subtract_two(double a, const double* first, double b, const double* second,
                                    int from, double* target) const {
        const Lanes x(-a), y(-b);
        for (int j = from / kLanes * kLanes; j <= n_; j += kLanes) {
            const Lanes sum = mul_add(y, lanes_at(second + j),
                                      mul_add(x, lanes_at(first + j), lanes_at(target + j)));
            store_lanes(sum, target + j);
        }
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
