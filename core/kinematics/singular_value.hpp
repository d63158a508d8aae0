// The smallest singular value of a few rows, by inverse iteration on their products.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "kinematics/blocks.hpp"

namespace tarsus::TARSUS_ISA {

// A (rows, n) by rows. It is approached from above; where others are nearly as small it is told up
// to twice as large. Zero where the products have no factor.
inline double smallest_singular_value(const std::vector<double>& A, int rows, int n) {
    constexpr int kIterations = 4;
    constexpr double kLost = 1e-14;  // of the largest product: below it a pivot is rounding
    const bool wide = rows <= n;
    const int size = wide ? rows : n;
    if (size == 0) return INFINITY;
    // A Aᵀ or Aᵀ A, whichever is smaller, and its factor
    std::vector<double> L(size * size);
    for (int i = 0; wide && i < rows; ++i) {
        for (int j = 0; j <= i; ++j)
            L[i * size + j] = dot_of(n, A.data() + i * n, A.data() + j * n);
    }
    for (int r = 0; !wide && r < rows; ++r) {
        const double* row = A.data() + r * n;
        for (int i = 0; i < n; ++i) {
            if (row[i] == 0) continue;
            for (int j = 0; j <= i; ++j) L[i * n + j] = mul_add(row[i], row[j], L[i * n + j]);
        }
    }
    double most = 0;
    for (int i = 0; i < size; ++i) most = std::max(most, L[i * size + i]);
    for (int i = 0; i < size; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum = L[i * size + j];
            for (int k = 0; k < j; ++k) sum = neg_mul_add(L[i * size + k], L[j * size + k], sum);
            if (i == j && !(sum > kLost * most)) return 0.0;
            L[i * size + j] = i == j ? std::sqrt(sum) : sum / L[j * size + j];
        }
    }
    std::vector<double> x(size);
    for (int i = 0; i < size; ++i) x[i] = 1.0 + 0.5 * std::sin(1.0 + i);  // along no axis
    double gain = 0;
    for (int step = 0; step < kIterations; ++step) {
        double length = 0;
        for (double each : x) length += each * each;
        length = std::sqrt(length);
        for (double& each : x) each /= length;
        for (int i = 0; i < size; ++i) {
            for (int k = 0; k < i; ++k) x[i] = neg_mul_add(L[i * size + k], x[k], x[i]);
            x[i] /= L[i * size + i];
        }
        for (int i = size - 1; i >= 0; --i) {
            for (int k = i + 1; k < size; ++k) x[i] = neg_mul_add(L[k * size + i], x[k], x[i]);
            x[i] /= L[i * size + i];
        }
        gain = 0;
        for (double each : x) gain += each * each;
    }
    return 1.0 / std::sqrt(std::sqrt(gain));
}

}  // namespace tarsus::TARSUS_ISA
