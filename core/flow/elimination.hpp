// Small dense systems, real and complex, by elimination with row pivots. Complex matrices are two
// real ones, so that rows are swept as vectors.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace tarsus::TARSUS_ISA {

class RealSystem {
   public:
    std::vector<double> A;  // n × n by rows; its factors after `factor`

    // false if it is singular, or not a number
    bool factor(int n) {
        n_ = n, pivot_.resize(n);
        double* a = A.data();
        for (int k = 0; k < n; ++k) {
            int p = k;
            for (int i = k + 1; i < n; ++i) {
                if (std::abs(a[i * n + k]) > std::abs(a[p * n + k])) p = i;
            }
            pivot_[k] = p;
            if (!(std::abs(a[p * n + k]) > 0)) return false;
            if (p != k) std::swap_ranges(a + p * n, a + p * n + n, a + k * n);
            const double inverse = 1 / a[k * n + k];
            const double* from = a + k * n;
            for (int i = k + 1; i < n; ++i) {
                double* row = a + i * n;
                const double factor = row[k] *= inverse;
                if (factor == 0) continue;
                for (int j = k + 1; j < n; ++j) row[j] -= factor * from[j];
            }
        }
        return true;
    }
    void solve(double* x) const {
        const int n = n_;
        const double* a = A.data();
        for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]);
        for (int i = 1; i < n; ++i) {
            for (int j = 0; j < i; ++j) x[i] -= a[i * n + j] * x[j];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int j = i + 1; j < n; ++j) x[i] -= a[i * n + j] * x[j];
            x[i] /= a[i * n + i];
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
            int p = k;
            for (int i = k + 1; i < n; ++i) {
                if (size(i * n + k) > size(p * n + k)) p = i;
            }
            pivot_[k] = p;
            const double square = size(p * n + k);
            if (!(square > 0)) return false;
            if (p != k) {
                std::swap_ranges(a + p * n, a + p * n + n, a + k * n);
                std::swap_ranges(b + p * n, b + p * n + n, b + k * n);
            }
            const double u = a[k * n + k] / square, w = -b[k * n + k] / square;
            const double *from_re = a + k * n, *from_im = b + k * n;
            for (int i = k + 1; i < n; ++i) {
                double *row_re = a + i * n, *row_im = b + i * n;
                const double f = row_re[k] * u - row_im[k] * w, g = row_re[k] * w + row_im[k] * u;
                row_re[k] = f, row_im[k] = g;
                if (f == 0 && g == 0) continue;
                for (int j = k + 1; j < n; ++j) {
                    row_re[j] -= f * from_re[j] - g * from_im[j];
                    row_im[j] -= f * from_im[j] + g * from_re[j];
                }
            }
        }
        return true;
    }
    void solve(double* x, double* y) const {
        const int n = n_;
        const double *a = re.data(), *b = im.data();
        const auto subtract = [&](int i, int j) {
            x[i] -= a[i * n + j] * x[j] - b[i * n + j] * y[j];
            y[i] -= a[i * n + j] * y[j] + b[i * n + j] * x[j];
        };
        for (int k = 0; k < n; ++k) std::swap(x[k], x[pivot_[k]]), std::swap(y[k], y[pivot_[k]]);
        for (int i = 1; i < n; ++i) {
            for (int j = 0; j < i; ++j) subtract(i, j);
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int j = i + 1; j < n; ++j) subtract(i, j);
            const double u = a[i * n + i], w = b[i * n + i], square = u * u + w * w;
            const double real = (x[i] * u + y[i] * w) / square;
            y[i] = (y[i] * u - x[i] * w) / square, x[i] = real;
        }
    }

   private:
    int n_ = 0;
    std::vector<int> pivot_;
};

}  // namespace tarsus::TARSUS_ISA
