// M x = b for a small square matrix that may be singular and is not symmetric: the least squares of
// least norm, by a complete orthogonal decomposition: Householder's reflections from the left with
// pivots by columns, and from the right for what is left of the rank (G. H. Golub, C. F. Van Loan,
// "Matrix Computations", section 5.5.2).
#pragma once

#include <cmath>
#include <utility>
#include <vector>

namespace tarsus {

class PseudoInverse {
   public:
    // M (n × n) by rows; pivots below `least` of the largest are none
    void factor(int n, const double* M, double least) {
        n_ = n, rank_ = 0;
        R_.assign(M, M + size_t(n) * n), order_.resize(n), left_.assign(n, 0.0);
        for (int j = 0; j < n; ++j) order_[j] = j;
        double largest = 0;
        for (int k = 0; k < n; ++k) {
            const double size = pivot(k);
            if (k == 0) largest = size;
            if (!(size > least * largest) || size == 0) break;
            left_[k] = reflect(k);
            rank_ = k + 1;
        }
        // the rows of rank are made triangular from the right: their transpose is factored
        const int r = rank_;
        T_.assign(size_t(n) * r, 0.0), right_.assign(r, 0.0);
        for (int i = 0; i < r; ++i) {
            for (int j = i; j < n; ++j) T_[size_t(j) * r + i] = R_[size_t(i) * n + j];
        }
        for (int k = 0; k < r; ++k) right_[k] = reflect_rows(k, r);
    }
    // x := what solves b = x
    void solve(double* x) const {
        const int n = n_, r = rank_;
        for (int k = 0; k < r; ++k) {
            // the reflection has 1 at k, and what is below stands in R
            double sum = x[k];
            for (int i = k + 1; i < n; ++i) sum += R_[size_t(i) * n + k] * x[i];
            sum *= left_[k];
            x[k] -= sum;
            for (int i = k + 1; i < n; ++i) x[i] -= sum * R_[size_t(i) * n + k];
        }
        // Tᵀ y = x with the lower triangle of Tᵀ
        std::vector<double> y(n, 0.0);
        for (int i = 0; i < r; ++i) {
            double sum = x[i];
            for (int j = 0; j < i; ++j) sum -= T_[size_t(j) * r + i] * y[j];
            y[i] = sum / T_[size_t(i) * r + i];
        }
        for (int k = r - 1; k >= 0; --k) {
            double sum = y[k];
            for (int i = k + 1; i < n; ++i) sum += T_[size_t(i) * r + k] * y[i];
            sum *= right_[k];
            y[k] -= sum;
            for (int i = k + 1; i < n; ++i) y[i] -= sum * T_[size_t(i) * r + k];
        }
        for (int j = 0; j < n; ++j) x[order_[j]] = y[j];
    }

   private:
    // takes the longest of the columns that are left to place k; its length
    double pivot(int k) {
        int best = k;
        double most = -1;
        for (int j = k; j < n_; ++j) {
            double sum = 0;
            for (int i = k; i < n_; ++i) sum += R_[size_t(i) * n_ + j] * R_[size_t(i) * n_ + j];
            if (sum > most) most = sum, best = j;
        }
        if (best != k) {
            std::swap(order_[k], order_[best]);
            for (int i = 0; i < n_; ++i)
                std::swap(R_[size_t(i) * n_ + k], R_[size_t(i) * n_ + best]);
        }
        return std::sqrt(most > 0 ? most : 0.0);
    }
    double reflect(int k) { return reflect_in(R_.data(), n_, n_, k); }
    double reflect_rows(int k, int columns) { return reflect_in(T_.data(), n_, columns, k); }

    // A (rows × columns): the reflection that makes column k zero below k, its vector left there
    static double reflect_in(double* A, int rows, int columns, int k) {
        double below = 0;
        for (int i = k + 1; i < rows; ++i)
            below += A[size_t(i) * columns + k] * A[size_t(i) * columns + k];
        double& top = A[size_t(k) * columns + k];
        if (below == 0) return 0.0;
        const double size = std::sqrt(top * top + below), to = top > 0 ? -size : size;
        const double first = top - to, scale = -first / to;
        for (int i = k + 1; i < rows; ++i) A[size_t(i) * columns + k] /= first;
        top = to;
        for (int j = k + 1; j < columns; ++j) {
            double sum = A[size_t(k) * columns + j];
            for (int i = k + 1; i < rows; ++i)
                sum += A[size_t(i) * columns + k] * A[size_t(i) * columns + j];
            sum *= scale;
            A[size_t(k) * columns + j] -= sum;
            for (int i = k + 1; i < rows; ++i)
                A[size_t(i) * columns + j] -= sum * A[size_t(i) * columns + k];
        }
        return scale;
    }

    int n_ = 0, rank_ = 0;
    std::vector<double> R_, T_, left_, right_;
    std::vector<int> order_;
};

}  // namespace tarsus
