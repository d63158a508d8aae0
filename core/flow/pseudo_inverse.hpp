// M x = b for a small square matrix that may be singular and is not symmetric: the least squares of
// least norm, by the singular values that one-sided rotations find (M. R. Hestenes, "Inversion of
// matrices by biorthogonalization and related results", 1958).
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace tarsus {

class PseudoInverse {
   public:
    // M (n × n) by rows; singular values below `least` of the largest are none
    void factor(int n, const double* M, double least) {
        n_ = n, U_.assign(n * n, 0.0), V_.assign(n * n, 0.0), size_.assign(n, 0.0);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) U_[j * n + i] = M[i * n + j];  // columns side by side
            V_[i * n + i] = 1;
        }
        for (int sweep = 0; sweep < kSweeps && rotate(); ++sweep) {
        }
        double largest = 0;
        for (int j = 0; j < n; ++j) {
            size_[j] = std::sqrt(product(&U_[j * n], &U_[j * n]));
            largest = std::max(largest, size_[j]);
        }
        for (double& size : size_) size = size > least * largest ? 1 / (size * size) : 0.0;
    }
    // x := what solves b = x
    void solve(double* x) const {
        std::vector<double> out(n_, 0.0);
        for (int j = 0; j < n_; ++j) {
            const double part = product(&U_[j * n_], x) * size_[j];
            for (int i = 0; i < n_; ++i) out[i] += part * V_[j * n_ + i];
        }
        std::copy(out.begin(), out.end(), x);
    }

   private:
    static constexpr int kSweeps = 30;

    double product(const double* a, const double* b) const {
        double sum = 0;
        for (int i = 0; i < n_; ++i) sum += a[i] * b[i];
        return sum;
    }
    // makes all pairs of columns orthogonal, one after the other; false if they were
    bool rotate() {
        bool turned = false;
        for (int p = 0; p < n_; ++p) {
            for (int q = p + 1; q < n_; ++q) {
                double *a = &U_[p * n_], *b = &U_[q * n_];
                const double aa = product(a, a), bb = product(b, b), ab = product(a, b);
                if (std::abs(ab) <= 1e-16 * std::sqrt(aa * bb)) continue;
                turned = true;
                const double zeta = (bb - aa) / (2 * ab);
                const double t =
                    (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
                const double c = 1 / std::sqrt(1 + t * t), s = c * t;
                for (double* each : {U_.data(), V_.data()}) {
                    double *x = each + p * n_, *y = each + q * n_;
                    for (int i = 0; i < n_; ++i) {
                        const double before = x[i];
                        x[i] = c * before - s * y[i];
                        y[i] = s * before + c * y[i];
                    }
                }
            }
        }
        return turned;
    }

    int n_ = 0;
    std::vector<double> U_, V_, size_;
};

}  // namespace tarsus
