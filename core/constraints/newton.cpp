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
#include "constraints/elimination.hpp"

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
constexpr double kLevelDone = 1e-4;  // of ε: a level is left when the residual is below

class Newton {
   public:
    Newton(RowSystem& system, Scratch scratch)
        : s_(system),
          n_(system.n),
          elimination_(n_, scratch),
          V_(scratch.take<double>(padded(n_))),
          warm_(scratch.take<double>(padded(n_))),
          best_(scratch.take<double>(padded(n_))),
          next_(scratch.take<double>(padded(n_))),
          given_(scratch.take<double>(padded(n_))),
          line_(scratch.take<double>(padded(n_))),
          size_(scratch.take<double>(padded(n_))),
          inverse_(scratch.take<double>(padded(n_))),
          wish_(scratch.take<double>(padded(n_))),
          unknown_(scratch.take<Unknown>(n_)),
          late_(scratch.take<Unknown>(n_)),
          slip_(scratch.take<Slip>(system.n_discs)),
          scratch_(scratch) {
        std::copy(s_.p, s_.p + padded(n_), next_);  // zero beyond n
    }
    static size_t bytes(int rows) {
        return Elimination::bytes(rows) + 13 * bytes_of<double>(padded(rows)) +
               2 * bytes_of<Unknown>(rows) + bytes_of<Slip>(rows);
    }

    SolveReport solve(double tolerance, int most) {
        report_.speed = speed_of(s_);
        enough_ = tolerance * report_.speed, most_ = most;
        row_sizes(s_, size_, inverse_);
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
    // friction at its bound: its direction d, and the bound m p_n + c as it changes
    struct Slip {
        int row, size, normal;  // normal: where its normal impulse is among the unknowns
        int across;             // … and its impulse across d, which `turn` holds back
        double d[2], m, c, turn;
    };
    // a row of the system, or the row across a slip
    struct Unknown {
        int row, slip;
    };

    bool done() const { return report_.residual <= enough_ || report_.steps >= most_; }

    // where p is now
    double look() {
        velocities(s_, V_);
        wishes(s_, V_, inverse_, wish_);
        const double residual = natural_residual(s_, wish_, size_);
        if (residual < report_.residual || report_.residual == 1e300) {
            report_.residual = residual;
            std::copy(s_.p, s_.p + n_, best_);
        }
        return residual;
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
                if (done() || !step(epsilon, attempt, i)) return;
                if (look() <= kLevelDone * epsilon) break;
            }
        }
    }

    bool step(double epsilon, const Attempt& attempt, int i) {
        ++report_.steps;
        guess(attempt.held);
        if (n_unknowns_ > 0 && !solve_unknowns(epsilon)) return false;
        const double share = attempt.half && i >= kHalving ? 0.5 : 1.0;
        for (int r = 0; r < n_; ++r) {
            s_.p[r] = share == 1.0 ? next_[r] : mul_add(share, next_[r] - s_.p[r], s_.p[r]);
        }
        return true;
    }

    // Who stands where: lists what is unknown, and sets next to what is given. First come rows that
    // are held, whose equations are symmetric, then those of slips.
    void guess(bool held) {
        n_unknowns_ = n_slips_ = n_late_ = 0;
        for (int r = 0; r < n_; ++r) next_[r] = 0.0;
        int k = 0;  // discs stand in the order of their normals
        for (int j = 0; j < s_.n_boxes; ++j) {
            const Box& box = s_.box[j];
            const double w = wish_[box.row];
            const bool inside = w > box.low && w < box.high;
            if (!inside) next_[box.row] = w <= box.low ? box.low : box.high;
            const int slips = n_slips_;
            for (; k < s_.n_discs && s_.disc[k].normal == box.row; ++k) {
                if (inside) guess_disc(s_.disc[k], held);
            }
            if (!inside) continue;
            if (slips == n_slips_) unknown_[n_unknowns_++] = {box.row, -1};
            for (int i = slips; i < n_slips_; ++i) slip_[i].normal = n_late_;
            if (slips < n_slips_) late_[n_late_++] = {box.row, -1};
        }
        n_held_ = n_unknowns_;
        for (int i = 0; i < n_slips_; ++i) slip_[i].normal += n_held_, slip_[i].across += n_held_;
        for (int i = 0; i < n_late_; ++i) unknown_[n_unknowns_++] = late_[i];
    }
    void guess_disc(const Disc& disc, bool held) {
        const double push = wish_[disc.normal], bound = disc.bound(push);
        const double x = wish_[disc.row], y = disc.size == 2 ? wish_[disc.row + 1] : 0.0;
        const double square = mul_add(x, x, y * y);
        if (square > bound * bound) {
            const double length = std::sqrt(square), inverse = 1.0 / length;
            Slip slip{disc.row, disc.size, 0, 0, {x * inverse, y * inverse}, disc.mu, 0, 0};
            slip.c = disc.viscous;
            if (disc.viscous > kFade * push) slip.m += kFade, slip.c = 0.0;
            slip.turn = size_[disc.row] * (length - bound) / std::max(bound, 1e-3 * length);
            if (!held || gives_way(disc.normal, slip)) return let_slip(slip);
        }
        for (int i = 0; i < disc.size; ++i) unknown_[n_unknowns_++] = {disc.row + i, -1};
    }
    void let_slip(Slip& slip) {
        for (int i = 0; i < slip.size; ++i) next_[slip.row + i] = slip.c * slip.d[i];
        if (slip.size == 2) {
            slip.across = n_late_;
            late_[n_late_++] = {slip.row, n_slips_};
        }
        slip_[n_slips_++] = slip;
    }
    // whether pushing harder opens a contact, in spite of the friction that grows with it
    bool gives_way(int normal, const Slip& slip) const {
        const double* a = s_.row(normal);
        return mul_add(slip.m, along(slip, a), a[normal]) > 0;
    }
    // of numbers in rows: the part along the direction of a slip, and across it
    static double along(const Slip& slip, const double* a) {
        const double first = slip.d[0] * a[slip.row];
        return slip.size == 2 ? mul_add(slip.d[1], a[slip.row + 1], first) : first;
    }
    static double across(const Slip& slip, const double* a) {
        return neg_mul_add(slip.d[1], a[slip.row], slip.d[0] * a[slip.row + 1]);
    }

    // V = 0 in all unknown rows; next receives what solves it
    bool solve_unknowns(double epsilon) {
        const int m = n_unknowns_, width = padded(n_);
        std::copy(s_.b, s_.b + width, given_);
        for (int r = 0; r < n_; ++r) {
            if (next_[r] != 0.0) add_multiple(next_[r], s_.row(r), width, given_);
        }
        elimination_.begin(m);
        for (int i = 0; i < m; ++i) fill(i, epsilon);
        const double* x = elimination_.solve(n_held_);
        if (!x) return false;
        for (int i = 0; i < m; ++i) {
            if (unknown_[i].slip < 0) next_[unknown_[i].row] = x[i];
        }
        for (int k = 0; k < n_slips_; ++k) {
            const Slip& slip = slip_[k];
            const double push = mul_add(slip.m, x[slip.normal], slip.c);
            const double aside = slip.size == 2 ? x[slip.across] : 0.0;
            next_[slip.row] = neg_mul_add(slip.d[1], aside, slip.d[0] * push);
            if (slip.size == 2) {
                next_[slip.row + 1] = mul_add(slip.d[0], aside, slip.d[1] * push);
            }
        }
        return true;
    }
    // an equation; of those that are symmetric only from the diagonal on
    void fill(int i, double epsilon) {
        const Unknown& at = unknown_[i];
        const int m = n_unknowns_;
        const double* a = s_.row(at.row);
        double centre = s_.p[at.row], rest = given_[at.row], hold = epsilon * size_[at.row];
        double* to = elimination_.row(i);
        if (at.slip >= 0) {
            const Slip& slip = slip_[at.slip];
            for (int c = 0; c < padded(n_); ++c) line_[c] = 0.0;
            add_multiple(-slip.d[1], s_.row(at.row), padded(n_), line_);
            add_multiple(slip.d[0], s_.row(at.row + 1), padded(n_), line_);
            a = line_, centre = across(slip, s_.p), rest = across(slip, given_);
        }
        for (int j = i < n_held_ ? i : 0; j < m; ++j) to[j] = a[unknown_[j].row];
        for (int k = 0; k < n_slips_; ++k) {
            const Slip& slip = slip_[k];
            to[slip.normal] = mul_add(slip.m, along(slip, a), to[slip.normal]);
            if (slip.size == 2) to[slip.across] = across(slip, a);
        }
        to[i] += hold + (at.slip >= 0 ? slip_[at.slip].turn : 0.0);
        to[m] = mul_add(hold, centre, -rest);
    }

    RowSystem& s_;
    const int n_;
    Elimination elimination_;
    double *V_, *warm_, *best_, *next_, *given_, *line_, *size_, *inverse_, *wish_;
    Unknown *unknown_, *late_;
    Slip* slip_;
    Scratch scratch_;
    SolveReport report_;
    double enough_ = 0;
    int most_ = 0, n_unknowns_ = 0, n_slips_ = 0, n_late_ = 0, n_held_ = 0;
};

}  // namespace

SolveReport solve_by_newton(RowSystem& system, double tolerance, int most, Scratch scratch) {
    return Newton(system, scratch).solve(tolerance, most);
}
size_t newton_bytes(int rows) { return Newton::bytes(rows); }

}  // namespace tarsus::TARSUS_ISA
