// Λ λ = b for a symmetric, positive semi-definite Λ that may be singular, because constraints
// repeat each other: Cholesky with full pivoting, which stops where nothing is left. The
// multipliers of redundant rows are zero; where the rows agree, as for velocities that keep them,
// accelerations do not depend on how they share.
#pragma once

#include <algorithm>
#include <utility>

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// what counts as nothing: of what is left of a row, relative to its own diagonal entry; and of a
// diagonal entry relative to the largest, where a row vanishes but for round-off
constexpr double kRedundant = 1e-11, kVanishing = 1e-20, kClearly = 1.5;

// How far a row moves by a unit force, as a part of what the whole mechanism would if it were one
// body; so little is round-off: the row is held already.
constexpr double kHeldAlready = 1e-13;

// what the mechanism moves by a unit force, if it is one body
inline double mobility_of(const Tree& tree) {
    double mass = 0;
    for (const Link& link : tree.links) mass += link.mass;
    return mass > 0 ? 1 / mass : 1.0;
}

// L (n × n, lower triangle of Λ on entry) receives the factor of rows and columns in this order, at
// the size of their diagonals; returns the rank. Diagonals below `least` are nothing.
inline int factor_semidefinite(int n, double* L, int* order, double* scale, double least) {
    double largest = 0.0;
    for (int i = 0; i < n; ++i) largest = std::max(largest, L[i * n + i]);
    for (int i = 0; i < n; ++i) {
        order[i] = i;
        // rows of different units are compared at the size of their diagonals
        const double size = L[i * n + i];
        scale[i] = size > std::max(kVanishing * largest, least) ? 1 / std::sqrt(size) : 0.0;
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) L[i * n + j] *= scale[i] * scale[j];
    }
    const auto swap_rows = [&](int a, int b) {  // a < b, in a lower triangle
        std::swap(order[a], order[b]);
        std::swap(L[a * n + a], L[b * n + b]);
        for (int j = 0; j < a; ++j) std::swap(L[a * n + j], L[b * n + j]);
        for (int j = a + 1; j < b; ++j) std::swap(L[j * n + a], L[b * n + j]);
        for (int j = b + 1; j < n; ++j) std::swap(L[j * n + a], L[j * n + b]);
    };
    int rank = 0;
    for (; rank < n; ++rank) {
        // only a row that is clearly larger comes before an earlier one: round-off must not choose
        int pivot = rank;
        for (int i = rank + 1; i < n; ++i) {
            const double least = std::max(kClearly * L[pivot * n + pivot], kRedundant);
            if (L[i * n + i] > least) pivot = i;
        }
        if (!(L[pivot * n + pivot] > kRedundant)) break;
        if (pivot != rank) swap_rows(rank, pivot);
        const double root = std::sqrt(L[rank * n + rank]);
        L[rank * n + rank] = root;
        for (int i = rank + 1; i < n; ++i) L[i * n + rank] /= root;
        for (int i = rank + 1; i < n; ++i) {
            for (int j = rank + 1; j <= i; ++j) {
                L[i * n + j] = neg_mul_add(L[i * n + rank], L[j * n + rank], L[i * n + j]);
            }
        }
    }
    return rank;
}

// x := λ for b = x, with room for n numbers in y
inline void solve_semidefinite(int n, int rank, const double* L, const int* order,
                               const double* scale, double* x, double* y) {
    for (int i = 0; i < n; ++i) y[i] = x[order[i]] * scale[order[i]];
    for (int r = 0; r < rank; ++r) {
        y[r] /= L[r * n + r];
        for (int i = r + 1; i < rank; ++i) y[i] = neg_mul_add(L[i * n + r], y[r], y[i]);
    }
    for (int i = rank; i < n; ++i) y[i] = 0.0;
    for (int i = rank - 1; i >= 0; --i) {
        y[i] /= L[i * n + i];
        for (int j = 0; j < i; ++j) y[j] = neg_mul_add(L[i * n + j], y[i], y[j]);
    }
    // back into the order and units of the rows
    for (int i = 0; i < n; ++i) x[order[i]] = y[i] * scale[order[i]];
}

}  // namespace tarsus::TARSUS_ISA
