// The inverse of a small symmetric positive definite matrix, by L D Lᵀ: that of a joint, whose size
// is known when it is compiled, and that of a cluster.
#pragma once

#include "scalar/pack.hpp"

namespace tarsus::TARSUS_ISA {

// a is n × n by rows, its lower triangle is read and overwritten
template <class T>
TARSUS_INLINE void invert_symmetric(int n, T* a, T* inverse) {
    // a = L D Lᵀ in place, 1/D on the diagonal
    for (int j = 0; j < n; ++j) {
        a[j * n + j] = T(1.0) / a[j * n + j];
        for (int i = j + 1; i < n; ++i) {
            const T l = a[i * n + j] * a[j * n + j];
            for (int k = j + 1; k <= i; ++k) {
                a[i * n + k] = neg_mul_add(l, a[k * n + j], a[i * n + k]);
            }
        }
        for (int i = j + 1; i < n; ++i) a[i * n + j] = a[i * n + j] * a[j * n + j];
    }
    // columns of L⁻ᵀ D⁻¹ L⁻¹ from the diagonal down, mirrored
    for (int c = 0; c < n; ++c) {
        T* x = inverse + c * n;
        x[c] = T(1.0);
        for (int i = c + 1; i < n; ++i) {
            x[i] = T(0.0);
            for (int k = c; k < i; ++k) x[i] = neg_mul_add(a[i * n + k], x[k], x[i]);
        }
        for (int i = n - 1; i >= c; --i) {
            x[i] = x[i] * a[i * n + i];
            for (int k = i + 1; k < n; ++k) x[i] = neg_mul_add(a[k * n + i], x[k], x[i]);
            inverse[i * n + c] = x[i];
        }
    }
}

// the inverse for the coordinates that are not held, with zeros for those that are
template <class T>
TARSUS_INLINE void invert_free(int n, const bool* held, T* a, T* inverse) {
    for (int k = 0; k < n; ++k) {
        for (int l = 0; held[k] && l < n; ++l) (l < k ? a[k * n + l] : a[l * n + k]) = T(l == k);
    }
    invert_symmetric(n, a, inverse);
    for (int k = 0; k < n; ++k) {
        if (held[k]) inverse[k * n + k] = T(0.0);
    }
}

}  // namespace tarsus::TARSUS_ISA
