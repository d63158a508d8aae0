// The complementarity problem of one state, as plain arrays: which impulses p make V = b + A p obey
//
//   a box    low ≤ p ≤ high;  V = 0 within, V ≥ 0 at low, V ≤ 0 at high
//   a disc   |p| ≤ μ p_n + c;  V = 0 within, V opposite to p at the rim (Coulomb)
//
// Dry friction of joints, limits, motors and springs are boxes, and so are the normals of contacts:
// targets are part of b, compliances of the diagonal of A. Only friction that depends on a normal
// impulse is special: a disc of two rows where a contact slides or rolls, of one where it spins.
#pragma once

#include "constraints/laws.hpp"
#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

struct Box {
    int row;
    double low, high;  // [N s]
};
struct Disc {
    int row, size, normal;  // first row, one or two; the row of its normal impulse
    double mu, viscous;     // viscous: the part of the bound that does not depend on it [N s]

    double bound(double push) const { return mul_add(mu, push, std::min(viscous, kFade * push)); }
};

// rows of matrices start at full vectors
constexpr int padded(int n) { return (n + kLanes - 1) / kLanes * kLanes; }

constexpr double kNoGap = 1e300;

struct RowSystem {
    int n = 0, n_boxes = 0, n_discs = 0;
    double *A, *b, *p;  // A: n × padded(n), symmetric; zero beyond n, as b and p
    double* target;     // part of b: velocities without impulses are b + target
    double* bounce;     // the part of the target that a bounce asks for
    double* gap;        // of boxes that must not be entered [m, rad], else kNoGap
    Box* box;
    Disc* disc;

    RowSystem(int rows, Scratch& scratch)
        // whole vectors are read from anywhere in the last row
        : A(scratch.take<double>(size_t(rows) * padded(rows) + kLanes)),
          b(scratch.take<double>(padded(rows))),
          p(scratch.take<double>(padded(rows))),
          target(scratch.take<double>(rows)),
          bounce(scratch.take<double>(rows)),
          gap(scratch.take<double>(rows)),
          box(scratch.take<Box>(rows)),
          disc(scratch.take<Disc>(rows)) {}

    double* row(int r) const { return A + long(r) * padded(n); }
};

// y += a x, n numbers, whole vectors
TARSUS_INLINE void add_multiple(double a, const double* x, int n, double* y) {
    const Lanes factor(a);
    for (int k = 0; k < n; k += kLanes) {
        const Lanes sum = mul_add(factor, lanes_at(x + k), lanes_at(y + k));
        store_lanes(sum, y + k);
    }
}

struct SolveReport {
    int steps = 0;            // factorisations, sweeps or pivots
    double residual = 0;      // by how much a law is missed [m/s, rad/s]
    double speed = kSlowest;  // how fast rows would be without impulses
    bool failed = false;

    // of several problems: what the worst one left, and the most steps
    void join(const SolveReport& other) {
        const double left = residual * other.speed, lefts = other.residual * speed;
        if (lefts > left || (lefts == left && other.speed > speed) || std::isnan(lefts)) {
            residual = other.residual, speed = other.speed;
        }
        steps = std::max(steps, other.steps), failed = failed || other.failed;
    }
};

// C vectors of V = b + A p from number `at` on, in registers
template <int C>
TARSUS_INLINE void velocities(const RowSystem& system, int at, double* V) {
    const int n = system.n, width = padded(n);
    const double *p = system.p, *row = system.A + at;
    Lanes sum[C];
    for (int c = 0; c < C; ++c) sum[c] = lanes_at(system.b + at + c * kLanes);
    for (int k = 0; k < n; ++k, row += width) {
        if (p[k] == 0.0) continue;
        const Lanes x(p[k]);
        for (int c = 0; c < C; ++c) sum[c] = mul_add(x, lanes_at(row + c * kLanes), sum[c]);
    }
    for (int c = 0; c < C; ++c) store_lanes(sum[c], V + at + c * kLanes);
}

// V = b + A p
TARSUS_INLINE void velocities(const RowSystem& system, double* V) {
    const int width = padded(system.n);
    int at = 0;
    for (; at + 4 * kLanes <= width; at += 4 * kLanes) velocities<4>(system, at, V);
    for (; at + 2 * kLanes <= width; at += 2 * kLanes) velocities<2>(system, at, V);
    if (at < width) velocities<1>(system, at, V);
}

// The inverse inertia that each row feels, and 1 over it; rows of a disc share theirs.
TARSUS_INLINE void row_sizes(const RowSystem& system, double* size, double* inverse) {
    for (int r = 0; r < system.n; ++r) size[r] = system.row(r)[r] + 1e-30;
    for (int k = 0; k < system.n_discs; ++k) {
        const Disc& disc = system.disc[k];
        if (disc.size == 2) {
            size[disc.row] = size[disc.row + 1] = 0.5 * (size[disc.row] + size[disc.row + 1]);
        }
    }
    for (int r = 0; r < system.n; ++r) inverse[r] = 1.0 / size[r];
    for (int r = system.n; r < padded(system.n); ++r) inverse[r] = 0.0;
}

// the speed by which laws are measured
TARSUS_INLINE double speed_of(const RowSystem& system) {
    double speed = kSlowest;
    for (int r = 0; r < system.n; ++r) speed = std::max(speed, std::abs(system.b[r]));
    return speed;
}

// what each row would like its impulse to be: p − V / size
TARSUS_INLINE void wishes(const RowSystem& system, const double* V, const double* inverse_size,
                          double* wish) {
    for (int k = 0; k < padded(system.n); k += kLanes) {
        const Lanes w =
            neg_mul_add(lanes_at(V + k), lanes_at(inverse_size + k), lanes_at(system.p + k));
        store_lanes(w, wish + k);
    }
}

// The natural map: by how much p differs from what each law would make of the wishes, as a
// velocity. Zero where and only where all laws hold.
TARSUS_INLINE double natural_residual(const RowSystem& system, const double* wish,
                                      const double* size) {
    double worst = 0;
    const auto differ = [&](int r, double x) {
        const double missed = std::abs(x - system.p[r]) * size[r];
        if (!(missed <= worst)) worst = missed;  // what is not a number stays
    };
    for (int k = 0; k < system.n_boxes; ++k) {
        const Box& box = system.box[k];
        differ(box.row, std::min(std::max(wish[box.row], box.low), box.high));
    }
    for (int k = 0; k < system.n_discs; ++k) {
        const Disc& disc = system.disc[k];
        const double bound = disc.bound(std::max(wish[disc.normal], 0.0));
        const double x = wish[disc.row], y = disc.size == 2 ? wish[disc.row + 1] : 0.0;
        const double square = mul_add(x, x, y * y);
        const double back = square > bound * bound ? bound / std::sqrt(square) : 1.0;
        differ(disc.row, x * back);
        if (disc.size == 2) differ(disc.row + 1, y * back);
    }
    return worst;
}

// Solvers: p holds where to start, and receives the solution.

// Newton's method with continuation, at most so many factorisations
SolveReport solve_by_newton(RowSystem& system, double tolerance, int most, Scratch scratch);
// projected Gauss–Seidel, at most so many sweeps
SolveReport solve_by_sweeps(RowSystem& system, double tolerance, int most, Scratch scratch);
// pivoting, with a cone of so many facets instead of discs; `failed` where it gives up
SolveReport solve_by_pivots(RowSystem& system, int facets);
// as the law says, and so that bounces give no energy
SolveReport solve_rows(RowSystem& system, Law law, const LawNumbers& numbers, Scratch scratch);

// work memory of any of them
size_t solver_bytes(int rows);

}  // namespace tarsus::TARSUS_ISA
