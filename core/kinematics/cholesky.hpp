// Cholesky's factors of small matrices of lanes, by rows, lower triangles in place.
#pragma once

#include "scalar/pack.hpp"

namespace tarsus::TARSUS_ISA {

// x := A⁻¹ x for a positive definite A (n, n), which is lost; on its diagonal are inverse roots
template <class T>
TARSUS_INLINE void cholesky_solve(int n, T* a, T* x) {
    for (int j = 0; j < n; ++j) {
        T* row = a + j * n;
        T pivot = row[j];
        for (int k = 0; k < j; ++k) pivot = neg_mul_add(row[k], row[k], pivot);
        row[j] = T(1.0) / square_root(pivot);
        for (int i = j + 1; i < n; ++i) {
            T* below = a + i * n;
            T sum = below[j];
            for (int k = 0; k < j; ++k) sum = neg_mul_add(below[k], row[k], sum);
            below[j] = sum * row[j];
        }
    }
    for (int j = 0; j < n; ++j) {
        T sum = x[j];
        for (int k = 0; k < j; ++k) sum = neg_mul_add(a[j * n + k], x[k], sum);
        x[j] = sum * a[j * n + j];
    }
    for (int j = n - 1; j >= 0; --j) {
        T sum = x[j];
        for (int k = j + 1; k < n; ++k) sum = neg_mul_add(a[k * n + j], x[k], sum);
        x[j] = sum * a[j * n + j];
    }
}

}  // namespace tarsus::TARSUS_ISA
