// Newton's method on the natural map, with continuation (after Alart & Curnier 1991; proximal steps
// after Rockafellar 1976).
//
// Each row says by p − V / size where it stands: at an end of its box or held; a disc sticks,
// slips, or does not touch. A step solves all that is held at once, V = 0, while slipping friction
// turns with its direction and grows with its normal impulse. Where the guess of who stands where
// is right, one step is exact; a warm start is right most of the time.
//
// Guesses can run in circles. Then the step is repeated with ε · size on the diagonal, which keeps
// p near where it was (a proximal step: its fixed points are those of the problem itself); with
// ε = 0.1 hardly anything circles, and ε falls by levels to 1e-9, where steps are as good as exact.
// Even the first attempts need that touch of ε: feet on more points than they need make A singular.
// What still circles is left to sweeps for a while: they are slow to arrive, but come near enough
// for the guess to be right.
#include "constraints/newton_step.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

enum class Start { here, warm, best, cold };

// an attempt: where it starts, ε of its first level, by how much the next one is smaller
struct Attempt {
    Start start;
    double first, ratio;
    int levels, steps;  // steps at each level
    bool half;          // late steps of a level are halved
    bool held;          // a contact that friction would pull in is held (Painlevé)
    int sweeps = 0;     // before the first step
};
constexpr Attempt kAttempts[] = {
    {Start::here, 1e-9, 1, 1, 8, false, false},
    {Start::best, 0.01, 10, 9, 4, false, false},
    {Start::cold, 1e-9, 1, 1, 8, false, false, 300},
    {Start::best, 0.1, 3, 24, 6, false, false},
    {Start::warm, 1e-9, 1, 1, 4, false, true},
    {Start::cold, 1.0, 10, 13, 8, false, false},
    {Start::warm, 1.0, 3, 28, 8, false, false},
    {Start::best, 0.1, 2, 40, 8, true, false},
    {Start::best, 0.01, 2, 30, 8, false, false},
    {Start::cold, 1e-9, 1, 1, 8, false, false, 4000},
    {Start::cold, 1.0, 3, 28, 8, false, false},
    {Start::best, 1.0, 1.5, 60, 6, true, false},
};
constexpr double kSwept = 2e7;       // entries of A that an attempt's sweeps may look at
constexpr int kHalving = 4;          // steps of a level before they are halved
constexpr double kAsBefore = 1e-2;   // of the tolerance: impulses that are as good need no step;
                                     // else what rests would creep by the tolerance
constexpr double kLevelDone = 1e-4;  // of ε: a level is left when the residual is below

class Newton {
   public:
    Newton(RowSystem& system, Scratch scratch)
        : s_(system),
          n_(system.n),
          step_(system, scratch),
          warm_(scratch.take<double>(padded(n_))),
          best_(scratch.take<double>(padded(n_))),
          scratch_(scratch) {}
    static size_t bytes(int rows) {
        return NewtonStep::bytes(rows) + 6 * bytes_of<double>(padded(rows));  // sweeps take four
    }

    SolveReport solve(double tolerance, int most) {
        report_.speed = speed_of(s_);
        enough_ = tolerance * report_.speed, most_ = most;
        std::copy(s_.p, s_.p + n_, warm_);
        report_.residual = 1e300;
        look();
        // once more from the best, as long as that gets better
        for (double before = 1e300; report_.residual < before && !done();) {
            before = report_.residual;
            for (const Attempt& attempt : kAttempts) {
                if (!done()) make(attempt);
            }
        }
        std::copy(best_, best_ + n_, s_.p);
        tidy();
        return report_;
    }

   private:
    bool done() const {
        const double enough = report_.steps > 0 ? enough_ : kAsBefore * enough_;
        return report_.residual <= enough || report_.steps >= most_;
    }

    // where p is now; keeps the best
    double look() {
        const double residual = step_.look();
        if (residual < report_.residual || report_.residual == 1e300) {
            report_.residual = residual;
            std::copy(s_.p, s_.p + n_, best_);
        }
        return residual;
    }

    void make(const Attempt& attempt) {
        if (attempt.start != Start::here) {
            const double* from = attempt.start == Start::best ? best_ : warm_;
            for (int r = 0; r < n_; ++r) s_.p[r] = attempt.start == Start::cold ? 0.0 : from[r];
            const int most = std::min(attempt.sweeps, 1 + int(kSwept / (double(n_) * n_)));
            if (attempt.sweeps > 0) solve_by_sweeps(s_, 0.0, most, scratch_);
            look();
        }
        double epsilon = attempt.first;
        for (int level = 0; level < attempt.levels; ++level, epsilon /= attempt.ratio) {
            for (int i = 0; i < attempt.steps; ++i) {
                if (done()) return;
                ++report_.steps;
                const double share = attempt.half && i >= kHalving ? 0.5 : 1.0;
                if (!step_.take(epsilon, attempt.held, share)) return;
                if (look() <= kLevelDone * epsilon) break;
            }
        }
    }

    // rounding must not leave the bounds
    void tidy() {
        for (int k = 0; k < s_.n_boxes; ++k) {
            double& p = s_.p[s_.box[k].row];
            p = std::min(std::max(p, s_.box[k].low), s_.box[k].high);
        }
        for (int k = 0; k < s_.n_discs; ++k) {
            const Disc& disc = s_.disc[k];
            double* p = s_.p + disc.row;
            const double bound = disc.bound(s_.p[disc.normal]);
            const double square = mul_add(p[0], p[0], disc.size == 2 ? p[1] * p[1] : 0.0);
            if (square <= bound * bound) continue;
            const double back = bound / std::sqrt(square);
            for (int i = 0; i < disc.size; ++i) p[i] *= back;
        }
    }

    RowSystem& s_;
    const int n_;
    NewtonStep step_;
    double *warm_, *best_;
    Scratch scratch_;
    SolveReport report_;
    double enough_ = 0;
    int most_ = 0;
};

}  // namespace

SolveReport solve_by_newton(RowSystem& system, double tolerance, int most, Scratch scratch) {
    return Newton(system, scratch).solve(tolerance, most);
}
size_t newton_bytes(int rows) { return Newton::bytes(rows); }

}  // namespace tarsus::TARSUS_ISA
