// The complementarity problem of one state, as plain arrays: which impulses p make V = b + A p obey
//
//   a box    low ≤ p ≤ high;  V = 0 within, V ≥ 0 at low, V ≤ 0 at high
//   a cone   0 ≤ p_n ⊥ V_n ≥ 0;  |p_t| ≤ μ p_n + c, opposite to V_t where it slips (Coulomb)
//
// Joint friction, limits, motors and springs are boxes: targets are part of b, compliances of the
// diagonal of A. Only the cone of a contact is special. Boxes come first, then three rows (normal,
// two tangents) for each cone.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// rows of matrices start at full vectors
constexpr int padded(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

struct RowSystem {
    int n_boxes = 0, n_cones = 0, stride = 0;
    double *A, *b, *p;     // A: rows × stride, symmetric, zero beyond its columns
    double *low, *high;    // of boxes [N s]
    double *mu, *viscous;  // of cones: friction, and the part of the bound without it [N s]

    RowSystem(int rows, Scratch& scratch)
        : A(scratch.take<double>(size_t(rows) * padded(rows))),
          b(scratch.take<double>(padded(rows))),
          p(scratch.take<double>(padded(rows))),
          low(scratch.take<double>(rows)),
          high(scratch.take<double>(rows)),
          mu(scratch.take<double>(rows)),
          viscous(scratch.take<double>(rows)) {}

    int rows() const { return n_boxes + 3 * n_cones; }
    int cone(int k) const { return n_boxes + 3 * k; }
    double* row(int r) const { return A + long(r) * stride; }
    double entry(int r, int c) const { return row(r)[c]; }

    // the viscous part goes out with the normal impulse, without a jump
    double friction_bound(int k, double normal) const {
        return mul_add(mu[k], normal, std::min(viscous[k], normal));
    }
};

// y += a x for whole vectors
TARSUS_INLINE void add_multiple(double a, const double* x, int n, double* y) {
    const Lanes factor(a);
    for (int k = 0; k < n; k += kLanes) {
        const Lanes sum = mul_add(factor, lanes_at(x + k), lanes_at(y + k));
        std::memcpy(y + k, &sum, sizeof sum);
    }
}

struct SolveReport {
    int steps = 0;          // factorisations
    double residual = 0;    // by how much the laws are missed [m/s, rad/s]
    double speed = 0;       // how fast the rows would be without impulses
    bool solved() const { return residual <= kSolved * speed; }
    static constexpr double kSolved = 1e-8;
};

// p holds where to start, and receives the solution; b stays
SolveReport solve_rows(RowSystem& system, double tolerance, int steps, Scratch scratch);
size_t solve_rows_bytes(int rows);

}  // namespace tarsus::TARSUS_ISA
