// Impulses by pivoting: a linear complementarity problem, without friction or with a polyhedral
// cone of so many facets (Stewart & Trinkle 1996; Anitescu & Potra 1997).
//
//   0 ≤ p_n ⊥ V_n ≥ 0,   0 ≤ β ⊥ λ e + Dᵀ V_t ≥ 0,   0 ≤ λ ⊥ μ p_n + c − eᵀ β ≥ 0
#include <vector>

#include "constraints/lcp.hpp"
#include "constraints/row_system.hpp"
#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// An impulse along a direction in one or two rows, or the slip speed λ of a friction.
struct Unknown {
    int row, rows, friction;  // friction: which one it belongs to, −1 for a normal
    bool slip;
    double direction[2];
};
// friction with facets: of a disc, or of a box with a bound of its own
struct Friction {
    int normal;  // row, −1 for a box
    double mu, bound;
};

class Pivoting {
   public:
    Pivoting(RowSystem& system, int facets) : s_(system) {
        for (int k = 0; k < s_.n_boxes; ++k) {
            const Box& box = s_.box[k];
            if (box.low < 0) add_friction(box.row, 1, 2, {-1, 0.0, box.high});
            else unknown_.push_back({box.row, 1, -1, false, {1.0, 0.0}});
        }
        for (int k = 0; k < s_.n_discs && facets > 0; ++k) {
            const Disc& disc = s_.disc[k];
            add_friction(disc.row, disc.size, disc.size == 2 ? facets : 2,
                         {disc.normal, disc.mu, disc.viscous});
        }
    }

    // Viscous parts of bounds that are more than the normal impulse allows are taken in proportion
    // to it; who that is about is known only from a solution.
    SolveReport solve() {
        SolveReport report = pivot();
        for (int pass = 0; pass < kPasses && !report.failed && fade(); ++pass) {
            const int before = report.steps;
            report = pivot();
            report.steps += before;
        }
        return report;
    }

   private:
    static constexpr double kGood = 1e-6;
    static constexpr int kPasses = 8;

    bool fade() {
        bool any = false;
        for (Friction& friction : friction_) {
            if (friction.normal < 0 || friction.bound <= kFade * s_.p[friction.normal]) continue;
            any = true;
            friction.mu += kFade, friction.bound = 0.0;
        }
        return any;
    }

    // Feet on more points than they need make the problem degenerate; where pivoting goes astray, a
    // touch on the diagonal tells the points apart. Only what solves the problem itself is taken.
    SolveReport pivot() {
        const int n = int(unknown_.size());
        std::vector<double> A(size_t(n) * n), touched, b(n), u(n), scale(n);
        for (int i = 0; i < n; ++i) scale[i] = size_of(unknown_[i]);
        for (int i = 0; i < n; ++i) {
            b[i] = scale[i] * constant(unknown_[i]);
            for (int j = 0; j < n; ++j) {
                A[size_t(i) * n + j] = scale[i] * coefficient(unknown_[i], unknown_[j]) * scale[j];
            }
        }
        SolveReport report;
        report.speed = speed_of(s_), report.failed = true;
        for (double touch : {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6}) {
            touched = A;
            for (int i = 0; i < n; ++i) touched[size_t(i) * n + i] *= 1 + touch;
            const LcpReport pivots = solve_lcp(n, touched.data(), b.data(), u.data());
            report.steps += pivots.pivots;
            report.residual = residual(A, b, u, scale);
            report.failed = pivots.end != LcpEnd::solved || report.residual > kGood * report.speed;
            if (!report.failed || report.steps >= patience(n)) break;
        }
        for (int r = 0; r < s_.n; ++r) s_.p[r] = 0.0;
        for (int i = 0; i < n && !report.failed; ++i) {
            const Unknown& x = unknown_[i];
            for (int c = 0; c < x.rows && !x.slip; ++c) {
                s_.p[x.row + c] += x.direction[c] * scale[i] * u[i];
            }
        }
        return report;
    }

    void add_friction(int row, int rows, int facets, const Friction& friction) {
        const int own = int(friction_.size());
        friction_.push_back(friction);
        for (int f = 0; f < facets; ++f) {
            const double angle = 2 * kHalfTurn * f / facets;
            const double x = rows == 2 ? std::cos(angle) : (f ? -1.0 : 1.0);
            unknown_.push_back({row, rows, own, false, {x, rows == 2 ? std::sin(angle) : 0.0}});
        }
        unknown_.push_back({row, rows, own, true, {1.0, 0.0}});
    }

    // by how much the conditions are missed, as a velocity
    double residual(const std::vector<double>& A, const std::vector<double>& b,
                    const std::vector<double>& u, const std::vector<double>& scale) const {
        const size_t n = u.size();
        double worst = 0;
        for (size_t i = 0; i < n; ++i) {
            double w = b[i];
            for (size_t j = 0; j < n; ++j) w += A[i * n + j] * u[j];
            const double size = unknown_[i].slip ? scale[i] : 1 / scale[i];
            worst = std::max(worst, std::abs(std::min(u[i], w)) * size);
        }
        return worst;
    }

    // unknowns are measured so that all entries are of the size of one
    double size_of(const Unknown& x) const {
        const double own = std::sqrt(product(x, x) + 1e-30);
        return x.slip ? own : 1 / own;
    }
    double product(const Unknown& x, const Unknown& y) const {
        double sum = 0;
        for (int c = 0; c < x.rows; ++c) {
            for (int d = 0; d < y.rows; ++d) {
                sum += x.direction[c] * y.direction[d] * s_.row(x.row + c)[y.row + d];
            }
        }
        return sum;
    }
    double constant(const Unknown& x) const {
        if (x.slip) return friction_[x.friction].bound;
        double sum = 0;
        for (int c = 0; c < x.rows; ++c) sum += x.direction[c] * s_.b[x.row + c];
        return sum;
    }
    double coefficient(const Unknown& x, const Unknown& y) const {
        if (!x.slip && !y.slip) return product(x, y);
        if (x.slip && y.slip) return 0.0;
        const Friction& friction = friction_[x.slip ? x.friction : y.friction];
        if (y.slip) return x.friction == y.friction ? 1.0 : 0.0;
        if (y.friction == x.friction) return -1.0;
        return y.friction < 0 && y.row == friction.normal ? friction.mu : 0.0;
    }

    RowSystem& s_;
    std::vector<Unknown> unknown_;
    std::vector<Friction> friction_;
};

}  // namespace

SolveReport solve_by_pivots(RowSystem& system, int facets) {
    return Pivoting(system, facets).solve();
}

}  // namespace tarsus::TARSUS_ISA
