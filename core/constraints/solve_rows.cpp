// The impulses of one state by its law, and bounces that give no energy.
//
// Newton's restitution asks for a velocity; with friction, or with several contacts at once, the
// impulses that bring it about may give energy (Kane & Levinson 1985). What impulses give to an
// island of rows that feel each other is E = Σ p · (v + ½ A p), v the velocities without them.
// Where E > 0, the bounce is cut back to what energy allows: p moves from the solution with the
// bounce towards the one without, which never gives energy, until E = 0. All on the way is in the
// friction cone, which is convex.
#include <algorithm>
#include <numeric>

#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

SolveReport solve_once(RowSystem& s, Law law, const LawNumbers& numbers, Scratch scratch) {
    if (law == Law::lemke) return solve_by_pivots(s, numbers.facets);
    const auto solve = numbers.newton ? solve_by_newton : solve_by_sweeps;
    return solve(s, numbers.tolerance, numbers.iterations, scratch);
}

// for each row the first row of its island
void find_islands(const RowSystem& s, int* island) {
    std::iota(island, island + s.n, 0);
    const auto root = [&](int r) {
        while (island[r] != r) r = island[r] = island[island[r]];
        return r;
    };
    for (int r = 0; r < s.n; ++r) {
        for (int c = 0; c < r; ++c) {
            if (s.row(r)[c] == 0.0) continue;
            const int a = root(r), b = root(c);
            island[std::max(a, b)] = std::min(a, b);
        }
    }
    for (int r = 0; r < s.n; ++r) island[r] = root(r);
}

class Restraint {
   public:
    Restraint(RowSystem& s, Scratch& scratch)
        : s_(s),
          island_(scratch.take<int>(s.n)),
          V_(scratch.take<double>(padded(s.n))),
          bouncing_(scratch.take<double>(padded(s.n))),
          change_(scratch.take<double>(padded(s.n))),
          rest_(scratch.take<double>(s.n)),
          slope_(scratch.take<double>(s.n)),
          bend_(scratch.take<double>(s.n)) {
        find_islands(s_, island_);
    }
    static size_t bytes(int rows) {
        return bytes_of<int>(rows) + 3 * bytes_of<double>(padded(rows)) +
               3 * bytes_of<double>(rows);
    }

    // whether impulses give energy to some island
    bool needed() {
        energies(rest_);
        return std::any_of(rest_, rest_ + s_.n, [](double e) { return e > 0; });
    }
    void keep_bouncing() { std::copy(s_.p, s_.p + s_.n, bouncing_); }

    // p is the solution without bounces: E(x) = rest + slope x + bend x² on the way to the other
    void blend() {
        energies(rest_);
        for (int r = 0; r < s_.n; ++r) slope_[r] = bend_[r] = 0.0;
        for (int r = 0; r < padded(s_.n); ++r) change_[r] = 0.0;  // A (bouncing − p)
        for (int r = 0; r < s_.n; ++r) {
            add_multiple(bouncing_[r] - s_.p[r], s_.row(r), padded(s_.n), change_);
        }
        for (int r = 0; r < s_.n; ++r) {
            const double step = bouncing_[r] - s_.p[r];
            slope_[island_[r]] = mul_add(step, V_[r] + s_.target[r], slope_[island_[r]]);
            bend_[island_[r]] = mul_add(0.5 * step, change_[r], bend_[island_[r]]);
        }
        for (int r = 0; r < s_.n; ++r) {
            const double x = way(rest_[island_[r]], slope_[island_[r]], bend_[island_[r]]);
            s_.p[r] = mul_add(x, bouncing_[r] - s_.p[r], s_.p[r]);
        }
    }

   private:
    // how far E stays at or below zero, or does not grow
    static double way(double rest, double slope, double bend) {
        if (rest + slope + bend <= 0.0) return 1.0;
        if (rest >= 0.0 || bend <= 0.0) return 0.0;
        const double root = std::sqrt(std::max(mul_add(slope, slope, -4.0 * bend * rest), 0.0));
        return std::clamp((root - slope) / (2.0 * bend), 0.0, 1.0);
    }
    void energies(double* of_island) {
        velocities(s_, V_);
        for (int r = 0; r < s_.n; ++r) of_island[r] = 0.0;
        for (int r = 0; r < s_.n; ++r) {
            const double mean = mul_add(0.5, V_[r] + s_.b[r], s_.target[r]);
            of_island[island_[r]] = mul_add(s_.p[r], mean, of_island[island_[r]]);
        }
    }

    RowSystem& s_;
    int* island_;
    double *V_, *bouncing_, *change_, *rest_, *slope_, *bend_;
};

}  // namespace

SolveReport solve_rows(RowSystem& s, Law law, const LawNumbers& numbers, Scratch scratch) {
    SolveReport report = solve_once(s, law, numbers, scratch);
    const bool bounces = std::any_of(s.bounce, s.bounce + s.n, [](double x) { return x > 0; });
    if (!bounces || report.failed) return report;
    Restraint restraint(s, scratch);
    if (!restraint.needed()) return report;
    restraint.keep_bouncing();
    for (int r = 0; r < s.n; ++r) s.b[r] += s.bounce[r], s.target[r] -= s.bounce[r];
    const SolveReport rest = solve_once(s, law, numbers, scratch);
    report.steps += rest.steps, report.failed = rest.failed;
    report.residual = std::max(report.residual, rest.residual);
    restraint.blend();
    return report;
}

size_t newton_bytes(int rows);
size_t solver_bytes(int rows) { return newton_bytes(rows) + Restraint::bytes(rows); }

}  // namespace tarsus::TARSUS_ISA
