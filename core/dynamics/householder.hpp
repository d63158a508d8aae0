// Least squares with more rows than unknowns, by Householder reflections (Golub & Van Loan, 5.2).
//
// Rows that repeat others, as a planar loop in space has them, do no harm. Without pivoting no lane
// takes another way than its neighbours.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// smallest ratio of diagonal entries of R at which a loop still counts as regular
constexpr double kSingular = 1e-9;

template <class T>
struct Reflections {
    T* A;  // rows × stride; the unknowns' columns start at `first` and hold the reflectors
    int rows, stride, first, count;
    T *diagonal, *scale;
};

TARSUS_INLINE double refuse_singular(double smallest, double largest, double a) {
    return smallest > kSingular * largest ? a : std::numeric_limits<double>::quiet_NaN();
}
template <int W>
TARSUS_INLINE Pack<W> refuse_singular(Pack<W> smallest, Pack<W> largest, Pack<W> a) {
    return select(smallest > Pack<W>(kSingular) * largest, a,
                  Pack<W>(std::numeric_limits<double>::quiet_NaN()));
}

TARSUS_INLINE double with_sign_of(double sign, double a) { return sign < 0.0 ? -a : a; }
template <int W>
TARSUS_INLINE Pack<W> with_sign_of(Pack<W> sign, Pack<W> a) {
    return select(sign < Pack<W>(0.0), -a, a);
}
template <class T>
TARSUS_INLINE Dual<T> with_sign_of(const Dual<T>& sign, const Dual<T>& a) {
    return {with_sign_of(sign.value, a.value), with_sign_of(sign.value, a.rate)};
}

template <class T>
TARSUS_INLINE void reflect(const Reflections<T>& q, int k, T* column, int stride) {
    T sum(0.0);
    for (int r = k; r < q.rows; ++r) {
        sum = mul_add(q.A[r * q.stride + q.first + k], column[r * stride], sum);
    }
    sum = sum * q.scale[k];
    for (int r = k; r < q.rows; ++r) {
        T& entry = column[r * stride];
        entry = neg_mul_add(q.A[r * q.stride + q.first + k], sum, entry);
    }
}

// NaN on the diagonal where the columns are (nearly) dependent
template <class T>
TARSUS_INLINE void factor(const Reflections<T>& q) {
    for (int k = 0; k < q.count; ++k) {
        T square(0.0);
        for (int r = k; r < q.rows; ++r) {
            const T& entry = q.A[r * q.stride + q.first + k];
            square = mul_add(entry, entry, square);
        }
        T& pivot = q.A[k * q.stride + q.first + k];
        const T norm = with_sign_of(pivot, square_root(square));
        q.diagonal[k] = -norm;
        pivot = pivot + norm;
        q.scale[k] = T(1.0) / (norm * pivot);
        for (int c = k + 1; c < q.count; ++c) reflect(q, k, q.A + q.first + c, q.stride);
    }
    if constexpr (!kIsDual<T>) {
        T smallest = absolute(q.diagonal[0]), largest = smallest;
        for (int k = 1; k < q.count; ++k) {
            const T size = absolute(q.diagonal[k]);
            smallest = select(size < smallest, size, smallest);
            largest = select(size > largest, size, largest);
        }
        q.diagonal[q.count - 1] = refuse_singular(smallest, largest, q.diagonal[q.count - 1]);
    }
}

// the unknowns for a right-hand side, left in its first entries
template <class T>
TARSUS_INLINE void solve(const Reflections<T>& q, T* b, int stride) {
    for (int k = 0; k < q.count; ++k) reflect(q, k, b, stride);
    for (int k = q.count - 1; k >= 0; --k) {
        T sum = b[k * stride];
        for (int c = k + 1; c < q.count; ++c) {
            sum = neg_mul_add(q.A[k * q.stride + q.first + c], b[c * stride], sum);
        }
        b[k * stride] = sum / q.diagonal[k];
    }
}

// the smallest x with Aᵀ x = b for the factored columns; b has `count` entries, x has `rows`
template <class T>
TARSUS_INLINE void solve_transposed(const Reflections<T>& q, const T* b, T* x) {
    for (int k = 0; k < q.count; ++k) {
        T sum = b[k];
        for (int j = 0; j < k; ++j) sum = neg_mul_add(q.A[j * q.stride + q.first + k], x[j], sum);
        x[k] = sum / q.diagonal[k];
    }
    for (int r = q.count; r < q.rows; ++r) x[r] = T(0.0);
    for (int k = q.count - 1; k >= 0; --k) reflect(q, k, x, 1);
}

}  // namespace tarsus::TARSUS_ISA
