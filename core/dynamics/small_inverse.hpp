// The inverse of a joint's small symmetric positive definite matrix, N ≤ 6, by L D Lᵀ.
#pragma once

#include "scalar/pack.hpp"

namespace tarsus::TARSUS_ISA {

template <int N, class T>
TARSUS_INLINE void invert_symmetric(T (&a)[N][N], T (&inverse)[N][N]) {
    // a = L D Lᵀ in place, 1/D on the diagonal
    for (int j = 0; j < N; ++j) {
        a[j][j] = T(1.0) / a[j][j];
        for (int i = j + 1; i < N; ++i) {
            const T l = a[i][j] * a[j][j];
            for (int k = j + 1; k <= i; ++k) a[i][k] = neg_mul_add(l, a[k][j], a[i][k]);
        }
        for (int i = j + 1; i < N; ++i) a[i][j] = a[i][j] * a[j][j];
    }
    // columns of L⁻ᵀ D⁻¹ L⁻¹, lower triangle mirrored
    for (int c = 0; c < N; ++c) {
        T x[N];
        for (int i = 0; i < N; ++i) x[i] = T(i == c ? 1.0 : 0.0);
        for (int i = c + 1; i < N; ++i) {
            for (int k = c; k < i; ++k) x[i] = neg_mul_add(a[i][k], x[k], x[i]);
        }
        for (int i = N - 1; i >= c; --i) {
            x[i] = x[i] * a[i][i];
            for (int k = i + 1; k < N; ++k) x[i] = neg_mul_add(a[k][i], x[k], x[i]);
            inverse[i][c] = inverse[c][i] = x[i];
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
