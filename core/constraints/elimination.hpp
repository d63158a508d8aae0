// Gaussian elimination of small dense systems M x = y, with vectors along the rows.
//
// No pivoting: what is solved here is positive, or nearly so. The right-hand side is the column
// after the last, so that it is eliminated along. The first rows are symmetric among themselves,
// M = L D Lᵀ: of them only the upper triangle is read. They are finished some at a time, from all
// rows above, in registers; L is kept for the way back. Rows that have nothing in common with the
// first ones above, as in piles, begin later. The other rows follow two pivots at a time.
#pragma once

#include <algorithm>

#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

class Elimination {
   public:
    Elimination(int rows, Scratch& scratch)
        : M_(scratch.take<double>(size_t(rows) * width_of(rows))),
          L_(scratch.take<double>(size_t(rows) * padded(rows + 1))),
          x_(scratch.take<double>(padded(rows))),
          back_(scratch.take<double>(padded(rows))),
          inverse_(scratch.take<double>(padded(rows))),
          first_(scratch.take<int>(rows)),
          last_(scratch.take<int>(rows)) {}
    static size_t bytes(int rows) {
        return bytes_of<double>(size_t(rows) * width_of(rows)) +
               bytes_of<double>(size_t(rows) * padded(rows + 1)) +
               3 * bytes_of<double>(padded(rows)) + 2 * bytes_of<int>(rows);
    }

    void begin(int n) { n_ = n, width_ = width_of(n), end_ = padded(n + 1); }
    // of n + 1 numbers, and room for a vector that begins at the last of them
    double* row(int i) { return M_ + long(i) * width_; }

    // the solution; null where it is not finite. `symmetric`: how many rows are
    TARSUS_APART const double* solve(int symmetric) {
        int k = 0;
        for (; k + 4 <= symmetric; k += 4) finish<4>(k);
        for (; k + 2 <= symmetric; k += 2) finish<2>(k);
        if (k < symmetric) finish<1>(k);
        for (k = 0; k + 2 <= symmetric; k += 2) eliminate_two(k, symmetric);
        if (k < symmetric) eliminate_one(k, symmetric);
        for (k = symmetric; k + 2 <= n_; k += 2) {
            invert_pivot(k);
            subtract(row(k + 1)[k] * inverse_[k], row(k), k + 1, row(k + 1));
            invert_pivot(k + 1);
            eliminate_two(k, k + 2);
        }
        if (k < n_) invert_pivot(k);
        go_back(symmetric);
        double sum = 0.0;  // not finite if one of them is not
        for (k = 0; k < n_; ++k) sum = mul_add(x_[k], 0.0, sum);
        return sum == 0.0 ? x_ : nullptr;
    }

   private:
    static int width_of(int n) { return padded(n + 1) + kLanes; }
    static int start(int i) { return int(unsigned(i) / kLanes * kLanes); }
    double* L(int i) { return L_ + long(i) * end_; }
    void invert_pivot(int k) { inverse_[k] = 1.0 / row(k)[k]; }

    // R symmetric rows less what the rows above have in common with them, then one after another
    template <int R>
    TARSUS_INLINE void finish(int i) {
        const int first = first_above<R>(i), end = end_, width = width_;
        double* l[R];
        for (int r = 0; r < R; ++r) {
            l[r] = L(i + r), first_[i + r] = first;
            for (int k = start(first); k < first; ++k) l[r][k] = 0.0;
        }
        const double *above = row(first) + i, *inverse = inverse_;
        int last = i + R - 1;
        for (int k = first; k < i; ++k, above += width) {
            for (int r = 0; r < R; ++r) l[r][k] = above[r] * inverse[k];
            last = std::max(last, last_[k]);
        }
        int j = start(i);
        for (; j + 2 * kLanes <= padded(last + 1); j += 2 * kLanes) reduce<R, 2>(first, i, j);
        if (j <= last) reduce<R, 1>(first, i, j), j += kLanes;
        if (j < end) reduce<R, 1>(first, i, end - kLanes);  // the right-hand side
        for (int a = i; a < i + R; ++a) {
            invert_pivot(a);
            for (int b = a + 1; b < i + R; ++b) {
                L(b)[a] = row(a)[b] * inverse_[a];
                subtract(L(b)[a], row(a), b, row(b));
            }
            last_[a] = n_ - 1;
            while (last_[a] > a && row(a)[last_[a]] == 0.0) --last_[a];
        }
    }
    // the first row that has something in common with rows i … i + R − 1
    template <int R>
    TARSUS_INLINE int first_above(int i) const {
        const double* above = M_ + i;
        for (int k = 0; k < i; ++k, above += width_) {
            for (int r = 0; r < R; ++r) {
                if (above[r] != 0.0) return k;
            }
        }
        return i;
    }
    // C vectors of rows i … i + R − 1 from number j on, less their multiples of rows first … i − 1
    template <int R, int C>
    TARSUS_INLINE void reduce(int first, int i, int j) {
        Lanes sum[R][C];
        const double* l[R];
        for (int r = 0; r < R; ++r) {
            for (int c = 0; c < C; ++c) sum[r][c] = lanes_at(row(i + r) + j + c * kLanes);
            l[r] = L(i + r);
        }
        const int width = width_;
        const double* above = row(first) + j;
        for (int k = first; k < i; ++k, above += width) {
            Lanes u[C];
            for (int c = 0; c < C; ++c) u[c] = lanes_at(above + c * kLanes);
            for (int r = 0; r < R; ++r) {
                const Lanes x(l[r][k]);
                for (int c = 0; c < C; ++c) sum[r][c] = neg_mul_add(x, u[c], sum[r][c]);
            }
        }
        for (int r = 0; r < R; ++r) {
            for (int c = 0; c < C; ++c) store_lanes(sum[r][c], row(i + r) + j + c * kLanes);
        }
    }

    // rows from `first` on lose their numbers under pivots k and k + 1
    TARSUS_INLINE void eliminate_two(int k, int first) {
        const double *u = row(k), *v = row(k + 1), across = u[k + 1];
        const double one = inverse_[k], two = inverse_[k + 1];
        const int from = start(k + 2), end = end_, width = width_;
        double* target = row(first);
        for (int left = n_ - first; left > 0; --left, target += width) {
            const double l = target[k] * one;
            const double m = neg_mul_add(l, across, target[k + 1]) * two;
            const Lanes x(l), y(m);
            for (int j = from; j < end; j += kLanes) {
                const Lanes once = neg_mul_add(x, lanes_at(u + j), lanes_at(target + j));
                store_lanes(neg_mul_add(y, lanes_at(v + j), once), target + j);
            }
        }
    }
    TARSUS_INLINE void eliminate_one(int k, int first) {
        for (int i = first; i < n_; ++i) {
            subtract(row(i)[k] * inverse_[k], row(k), k + 1, row(i));
        }
    }
    // target −= a · pivot, from number `from` on
    TARSUS_INLINE void subtract(double a, const double* pivot, int from, double* target) const {
        const Lanes x(a);
        const int end = end_;
        for (int j = start(from); j < end; j += kLanes) {
            store_lanes(neg_mul_add(x, lanes_at(pivot + j), lanes_at(target + j)), target + j);
        }
    }

    // x from the last row to the first; those that are symmetric by Lᵀ, whose columns are rows of L
    TARSUS_INLINE void go_back(int symmetric) {
        for (int k = n_ - 1; k >= 0; --k) {
            double sum = row(k)[n_];
            for (int j = std::max(symmetric, k + 1); j < n_; ++j) {
                sum = neg_mul_add(row(k)[j], x_[j], sum);
            }
            x_[k] = back_[k] = sum * inverse_[k];
        }
        for (int i = symmetric - 1; i > 0; --i) {
            const Lanes x(x_[i] = back_[i]);
            for (int j = start(first_[i]); j < i; j += kLanes) {
                store_lanes(neg_mul_add(x, lanes_at(L(i) + j), lanes_at(back_ + j)), back_ + j);
            }
        }
        if (symmetric > 0) x_[0] = back_[0];
    }

    double *M_, *L_, *x_, *back_, *inverse_;
    int *first_, *last_;  // of symmetric rows: where L begins, where what is right of it ends
    int n_ = 0, width_ = 0, end_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
