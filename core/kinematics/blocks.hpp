// Linear algebra of one problem and of problems in lanes by the same lines of code.
//
// A block is a vector register: neighbouring numbers of one problem, or one number of several
// problems. All operations are on the elements of blocks, and sums run over what is not in blocks,
// in rising order: a number has the same bits in both cases.
#pragma once

#include <type_traits>

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// how many neighbouring numbers make a block
template <class T>
constexpr int kBlock = std::is_same_v<T, double> ? kLanes : 1;
template <class T>
constexpr int blocks_of(int size) {
    return (size + kBlock<T> - 1) / kBlock<T>;
}
template <class T>
constexpr int padded(int size) {
    return blocks_of<T>(size) * kBlock<T>;
}

TARSUS_INLINE Lanes get_block(const double* a) { return lanes_at(a); }
TARSUS_INLINE Lanes get_block(const Lanes* a) { return *a; }
TARSUS_INLINE void put_block(const Lanes& x, double* a) { store_lanes(x, a); }
TARSUS_INLINE void put_block(const Lanes& x, Lanes* a) { *a = x; }
TARSUS_INLINE Lanes over_block(double x) { return Lanes(x); }
TARSUS_INLINE Lanes over_block(const Lanes& x) { return x; }

template <class T>
TARSUS_INLINE T greater(const T& a, const T& b) {
    return select(a > b, a, b);
}

// zeros up to the k-th number of a block, then ones
struct AfterTable {
    double one[kLanes][kLanes];
};
constexpr AfterTable make_after() {
    AfterTable table{};
    for (int k = 0; k < kLanes; ++k) {
        for (int i = 0; i < kLanes; ++i) table.one[k][i] = i > k ? 1.0 : 0.0;
    }
    return table;
}
constexpr AfterTable kAfter = make_after();

// Σ_j a_j b_j, in four sums
template <class T>
TARSUS_INLINE T dot_of(int n, const T* a, const T* b) {
    T sum[4] = {T(0.0), T(0.0), T(0.0), T(0.0)};
    int j = 0;
    for (; j + 4 <= n; j += 4) {
        for (int i = 0; i < 4; ++i) sum[i] = mul_add(a[j + i], b[j + i], sum[i]);
    }
    for (; j < n; ++j) sum[j % 4] = mul_add(a[j], b[j], sum[j % 4]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// where a matrix lies: the distance of its blocks, and of what is summed over
template <class T>
struct Lay {
    const T* data;
    long block, step;
};

// out = Σ_k matrix(·, k) x_k over the listed k, for N neighbouring blocks that begin with `first`
template <int N, class T>
TARSUS_INLINE void sum_blocks(const Lay<T>& matrix, int first, const int* which, int count,
                              const T* x, T* out) {
    Lanes sum[N];
    for (int i = 0; i < N; ++i) sum[i] = Lanes(0.0);
    const T* own = matrix.data + first * matrix.block;
    for (int e = 0; e < count; ++e) {
        const int k = which[e];
        const Lanes factor = over_block(x[k]);
        for (int i = 0; i < N; ++i)
            sum[i] = mul_add(get_block(own + i * matrix.block + k * matrix.step), factor, sum[i]);
    }
    for (int i = 0; i < N; ++i) put_block(sum[i], out + (first + i) * kBlock<T>);
}

constexpr int kTile = 4;  // blocks whose sums run side by side

template <class T>
TARSUS_INLINE void sum_tile(const Lay<T>& matrix, int first, int blocks, const int* which,
                            int count, const T* x, T* out) {
    switch (blocks) {
        case 1:
            return sum_blocks<1>(matrix, first, which, count, x, out);
        case 2:
            return sum_blocks<2>(matrix, first, which, count, x, out);
        case 3:
            return sum_blocks<3>(matrix, first, which, count, x, out);
        default:
            return sum_blocks<4>(matrix, first, which, count, x, out);
    }
}

}  // namespace tarsus::TARSUS_ISA
