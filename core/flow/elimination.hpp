// Small dense systems, real and complex, by elimination with row pivots. Matrices are stored by
// columns, complex ones as two real matrices: then all sweeps run along memory, as vectors.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "scalar/real.hpp"

namespace tarsus::TARSUS_ISA {

// y += x a, of n numbers
TARSUS_INLINE void add_multiple(int n, double x, const double* __restrict a, double* __restrict y) {
    for (int i = 0; i < n; ++i) y[i] = mul_add(x, a[i], y[i]);
}

class RealSystem {
   public:
    std::vector<double> A;  // n × n by columns; its factors after `factor`

    // false if it is singular, or not a number
    bool factor(int n) {
        n_ = n, pivot_.resize(n);
        double* a = A.data();
        for (int k = 0; k < n; ++k) {
            double* column = a + k * n;
            int p = k;
            for (int i = k + 1; i < n; ++i) {
                if (std::abs(column[i]) > std::abs(column[p])) p = i;
            }
            pivot_[k] = p;
            if (!(std::abs(column[p]) > 0)) return false;
            for (int j = 0; p != k && j < n; ++j) std::swap(a[j * n + p], a[j * n + k]);
            const double inverse = 1 / column[k];
            for (int i = k + 1; i < n; ++i) column[i] *= inverse;
            for (int j = k + 1; j < n; ++j) {
                double* other = a + j * n;
                if (other[k] != 0)
                    add_multiple(n - k - 1, -other[k], column + k + 1, other + k + 1);
            }
        }
        return true;
    }
    void solve(double* x) const {
        const int n = n_;
        const double* a = A.data();
        for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
        for (int k = 0; k < n; ++k) add_multiple(n - k - 1, -x[k], a + k * n + k + 1, x + k + 1);
        for (int k = n - 1; k >= 0; --k) {
            x[k] /= a[k * n + k];
            add_multiple(k, -x[k], a + k * n, x);
        }
    }

   private:
    int n_ = 0;
    std::vector<int> pivot_;
};

class ComplexSystem {
   public:
    std::vector<double> re, im;

    bool factor(int n) {
        n_ = n, pivot_.resize(n);
        double *a = re.data(), *b = im.data();
        const auto size = [&](int k) { return a[k] * a[k] + b[k] * b[k]; };
        for (int k = 0; k < n; ++k) {
            double *x = a + k * n, *y = b + k * n;
            int p = k;
            for (int i = k + 1; i < n; ++i) {
                if (size(k * n + i) > size(k * n + p)) p = i;
            }
            pivot_[k] = p;
            const double square = size(k * n + p);
            if (!(square > 0)) return false;
            for (int j = 0; p != k && j < n; ++j) {
                std::swap(a[j * n + p], a[j * n + k]), std::swap(b[j * n + p], b[j * n + k]);
            }
            const double u = x[k] / square, w = -y[k] / square;
            for (int i = k + 1; i < n; ++i) {
                const double f = x[i] * u - y[i] * w;
                y[i] = x[i] * w + y[i] * u, x[i] = f;
            }
            for (int j = k + 1; j < n; ++j) subtract(n - k - 1, x + k + 1, y + k + 1, j * n + k);
        }
        return true;
    }
    void solve(double* x, double* y) const {
        const int n = n_;
        const double *a = re.data(), *b = im.data();
        for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]), std::swap(y[k], y[pivot_[k]]);
        for (int k = 0; k < n; ++k) {
            const int at = k * n + k + 1;
            add(n - k - 1, -x[k], -y[k], a + at, b + at, x + k + 1, y + k + 1);
        }
        for (int k = n - 1; k >= 0; --k) {
            const double u = a[k * n + k], w = b[k * n + k], square = u * u + w * w;
            const double real = (x[k] * u + y[k] * w) / square;
            y[k] = (y[k] * u - x[k] * w) / square, x[k] = real;
            add(k, -x[k], -y[k], a + k * n, b + k * n, x, y);
        }
    }

   private:
    // x + i y += (f + i g) (a + i b), of n numbers
    static TARSUS_INLINE void add(int n, double f, double g, const double* __restrict a,
                                  const double* __restrict b, double* __restrict x,
                                  double* __restrict y) {
        for (int i = 0; i < n; ++i) {
            x[i] = neg_mul_add(g, b[i], mul_add(f, a[i], x[i]));
            y[i] = mul_add(g, a[i], mul_add(f, b[i], y[i]));
        }
    }
    // what is below the entry `at` of another column, less that entry times this column
    void subtract(int n, const double* x, const double* y, int at) {
        const double f = -re[at], g = -im[at];
        if (f != 0 || g != 0) add(n, f, g, x, y, re.data() + at + 1, im.data() + at + 1);
    }

    int n_ = 0;
    std::vector<int> pivot_;
};

}  // namespace tarsus::TARSUS_ISA
