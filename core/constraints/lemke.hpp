// Contact by pivoting: a linear complementarity problem for each lane, without friction or with a
// polyhedral cone of so many facets (Stewart & Trinkle 1996; Anitescu & Potra 1997).
//
//   0 ≤ p_n ⊥ V_n − target ≥ 0,   0 ≤ β ⊥ λ e + Dᵀ V_t ≥ 0,   0 ≤ λ ⊥ μ p_n + bound − eᵀ β ≥ 0
#pragma once

#include <vector>

#include "constraints/exact.hpp"
#include "constraints/lcp.hpp"

namespace tarsus::TARSUS_ISA {

// One unknown: an impulse along a direction in the rows of its block, or the slip speed λ of a
// block.
struct PivotUnknown {
    int block, row;
    double direction[2];  // of the tangential rows row, row + 1; a normal has row alone
    bool slip, tangential;
};

template <class T>
class LaneLcp {
   public:
    LaneLcp(const World& world, const Problem<T>& problem, int lane)
        : problem_(problem), lane_(lane) {
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            if (!(number(block.on) > 0)) continue;
            const int facets = block.kind == BlockKind::contact ? world.numbers.facets : 2;
            if (block.kind != BlockKind::friction) {
                unknown_.push_back({k, block.row, {1.0, 0.0}, false, false});
            }
            if (block.kind == BlockKind::limit || facets == 0) continue;
            const int row = block.kind == BlockKind::contact ? block.row + 1 : block.row;
            for (int f = 0; f < facets; ++f) {
                const double angle = 2 * kHalfTurn * f / facets;
                const bool joint = block.kind == BlockKind::friction;
                unknown_.push_back(
                    {k,
                     row,
                     {joint ? (f ? -1.0 : 1.0) : std::cos(angle), joint ? 0.0 : std::sin(angle)},
                     false,
                     true});
            }
            unknown_.push_back({k, row, {0.0, 0.0}, true, true});
        }
    }

    // Writes this lane's impulses. Feet on more points than they need make the problem degenerate;
    // where pivoting goes astray, a touch on the diagonal tells the points apart. Only what solves
    // the problem itself is taken.
    LcpReport solve() {
        const int n = int(unknown_.size());
        std::vector<double> A(size_t(n) * n), touched, b(n), u(n), scale(n);
        for (int i = 0; i < n; ++i) scale[i] = size_of(unknown_[i]);
        for (int i = 0; i < n; ++i) {
            b[i] = scale[i] * constant(unknown_[i]);
            for (int j = 0; j < n; ++j) {
                A[size_t(i) * n + j] = scale[i] * coefficient(unknown_[i], unknown_[j]) * scale[j];
            }
        }
        LcpReport report{};
        for (double touch : {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}) {
            touched = A;
            for (int i = 0; i < n; ++i) touched[size_t(i) * n + i] *= 1 + touch;
            report = solve_lcp(n, touched.data(), b.data(), u.data());
            if (report.end == LcpEnd::solved && solves(n, A, b, u)) break;
            report.end = LcpEnd::tired;
        }
        for (int r = 0; r < problem_.n_rows; ++r) set_lane(problem_.p[r], lane_, 0.0);
        for (int i = 0; i < n && report.end == LcpEnd::solved; ++i) {
            const PivotUnknown& x = unknown_[i];
            for (int c = 0; c < rows_of(x) && !x.slip; ++c) {
                T& p = problem_.p[x.row + c];
                set_lane(p, lane_, lane_of(p, lane_) + x.direction[c] * scale[i] * u[i]);
            }
        }
        return report;
    }

   private:
    static bool solves(int n, const std::vector<double>& A, const std::vector<double>& b,
                       const std::vector<double>& u) {
        double largest = 1e-12;
        for (double x : b) largest = std::max(largest, std::abs(x));
        for (int i = 0; i < n; ++i) {
            double w = b[i];
            for (int j = 0; j < n; ++j) w += A[size_t(i) * n + j] * u[j];
            if (!(std::abs(std::min(u[i], w)) <= kPrecise * largest)) return false;
        }
        return true;
    }
    static constexpr double kPrecise = 1e-6;

    double number(const T& x) const { return lane_of(x, lane_); }
    const Block<T>& block(const PivotUnknown& x) const { return problem_.block[x.block]; }
    int rows_of(const PivotUnknown& x) const {
        return x.tangential && block(x).kind == BlockKind::contact ? 2 : 1;
    }
    // unknowns are measured so that all entries are of the size of one
    double size_of(const PivotUnknown& x) const {
        PivotUnknown along = x;
        along.slip = false;
        if (x.slip) along.direction[0] = 1.0;
        const double own = std::sqrt(coefficient(along, along) + 1e-30);
        return x.slip ? own : 1 / own;
    }
    double constant(const PivotUnknown& x) const {
        if (x.slip) return number(block(x).bound);
        double sum = x.tangential ? 0.0 : -number(block(x).target);
        for (int c = 0; c < rows_of(x); ++c) sum += x.direction[c] * number(problem_.b[x.row + c]);
        return sum;
    }
    double coefficient(const PivotUnknown& x, const PivotUnknown& y) const {
        if (x.slip || y.slip) {
            if (x.block != y.block || (x.slip && y.slip)) return 0.0;
            if (y.slip) return x.tangential ? 1.0 : 0.0;
            return y.tangential ? -1.0 : number(block(x).mu);
        }
        double sum = 0;
        for (int c = 0; c < rows_of(x); ++c) {
            const T* row = problem_.row(x.row + c);
            for (int d = 0; d < rows_of(y); ++d) {
                sum += x.direction[c] * y.direction[d] * number(row[y.row + d]);
            }
        }
        return sum;
    }

    const Problem<T>& problem_;
    const int lane_;
    std::vector<PivotUnknown> unknown_;
};

template <class T>
__attribute__((noinline)) SolverReport<T> solve_by_lemke(const World& world,
                                                         const Problem<T>& problem) {
    SolverReport<T> report{T(0.0), T(0.0), T(0.0)};
    for (int l = 0; l < kLaneCount<T>; ++l) {
        const LcpReport lane = LaneLcp<T>(world, problem, l).solve();
        set_lane(report.iterations, l, lane.pivots);
        set_lane(report.failed, l, lane.end == LcpEnd::solved ? 0.0 : 1.0);
    }
    return report;
}

}  // namespace tarsus::TARSUS_ISA
