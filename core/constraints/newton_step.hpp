// One step of Newton's method on the natural map: guesses who stands where, and solves all that is
// held at once (see newton.cpp).
#pragma once

#include "constraints/elimination.hpp"

namespace tarsus::TARSUS_ISA {

class NewtonStep {
   public:
    NewtonStep(RowSystem& system, Scratch& scratch)
        : s_(system),
          n_(system.n),
          elimination_(n_, scratch),
          V_(scratch.take<double>(padded(n_))),
          next_(scratch.take<double>(padded(n_))),
          given_(scratch.take<double>(padded(n_))),
          along_(scratch.take<double>(padded(n_))),
          across_(scratch.take<double>(padded(n_) + kLanes)),
          size_(scratch.take<double>(padded(n_))),
          inverse_(scratch.take<double>(padded(n_))),
          wish_(scratch.take<double>(padded(n_))),
          unknown_(scratch.take<Unknown>(n_)),
          late_(scratch.take<Unknown>(n_)),
          slip_(scratch.take<Slip>(system.n_discs)),
          run_(scratch.take<Run>(n_)) {
        row_sizes(s_, size_, inverse_);
    }
    static size_t bytes(int rows) {
        return Elimination::bytes(rows) + 8 * bytes_of<double>(padded(rows) + kLanes) +
               2 * bytes_of<Unknown>(rows) + bytes_of<Slip>(rows) + bytes_of<Run>(rows);
    }

    // the residual where p is now
    double look() {
        velocities(s_, V_);
        wishes(s_, V_, inverse_, wish_);
        return natural_residual(s_, wish_, size_);
    }
    // From there a step, or a share of it; false where it fails. `held`: a contact that friction
    // would pull in is held.
    bool take(double epsilon, bool held, double share) {
        guess(held);
        if (n_unknowns_ > 0 && !solve_unknowns(epsilon)) return false;
        for (int r = 0; r < n_; ++r) {
            s_.p[r] = share == 1.0 ? next_[r] : mul_add(share, next_[r] - s_.p[r], s_.p[r]);
        }
        return true;
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

    // rows from … of the system are unknowns to …
    struct Run {
        int from, to, count;
    };

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
            const int slips = n_slips_, place = n_unknowns_;
            if (inside) unknown_[n_unknowns_++] = {box.row, -1};
            else next_[box.row] = w <= box.low ? box.low : box.high;
            for (; k < s_.n_discs && s_.disc[k].normal == box.row; ++k) {
                if (inside) guess_disc(s_.disc[k], held);
            }
            if (slips == n_slips_) continue;
            --n_unknowns_;
            for (int i = place; i < n_unknowns_; ++i) unknown_[i] = unknown_[i + 1];
            for (int i = slips; i < n_slips_; ++i) slip_[i].normal = n_late_;
            late_[n_late_++] = {box.row, -1};
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
        find_runs();
        for (int i = 0; i < m; ++i) {
            if (unknown_[i].slip < 0) fill(i, epsilon);
        }
        for (int k = 0; k < n_slips_; ++k) fill_slip(k, epsilon);
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

    // neighbours among the rows that are unknown
    void find_runs() {
        n_runs_ = 0;
        for (int i = 0; i < n_unknowns_; ++i) {
            if (unknown_[i].slip >= 0) continue;
            const int row = unknown_[i].row, last = n_runs_ - 1;
            if (last >= 0 && run_[last].to + run_[last].count == i &&
                run_[last].from + run_[last].count == row) {
                ++run_[last].count;
            } else {
                run_[n_runs_++] = {row, i, 1};
            }
        }
    }
    // Numbers of a whole row as an equation, from number `from` on. A run may write past its end,
    // the next one is there.
    TARSUS_INLINE void pick(const double* a, int from, double* to) const {
        for (const Run *run = run_, *end = run_ + n_runs_; run < end; ++run) {
            const int last = run->to + run->count, shift = run->from - run->to;
            for (int k = std::max(run->to, from); k < last; k += kLanes) {
                store_lanes(lanes_at(a + shift + k), to + k);
            }
        }
    }
    // the equation of a row; what slips is added later
    TARSUS_INLINE void fill(int i, double epsilon) {
        const int r = unknown_[i].row;
        double* to = elimination_.row(i);
        pick(s_.row(r), i < n_held_ ? i : 0, to);
        const double hold = epsilon * size_[r];
        to[i] += hold;
        to[n_unknowns_] = mul_add(hold, s_.p[r], -given_[r]);
    }
    // The columns of a slip: its normal impulse pushes along d, too. Then the equation across d.
    void fill_slip(int k, double epsilon) {
        const Slip& slip = slip_[k];
        const bool turns = slip.size == 2;
        const int width = padded(n_), m = n_unknowns_;
        for (int c = 0; c < width; ++c) along_[c] = across_[c] = 0.0;
        for (int i = 0; i < slip.size; ++i) {
            add_multiple(slip.m * slip.d[i], s_.row(slip.row + i), width, along_);
        }
        if (turns) {
            add_multiple(-slip.d[1], s_.row(slip.row), width, across_);
            add_multiple(slip.d[0], s_.row(slip.row + 1), width, across_);
        }
        for (int i = 0; i < m; ++i) {
            const int r = unknown_[i].row;
            if (unknown_[i].slip >= 0) continue;
            elimination_.row(i)[slip.normal] += along_[r];
            if (turns) elimination_.row(i)[slip.across] = across_[r];
        }
        if (!turns) return;
        double* to = elimination_.row(slip.across);
        pick(across_, 0, to);
        for (int j = 0; j < n_slips_; ++j) {
            const Slip& other = slip_[j];
            to[other.normal] = mul_add(other.m, along(other, across_), to[other.normal]);
            if (other.size == 2) to[other.across] = across(other, across_);
        }
        const double hold = epsilon * size_[slip.row];
        to[slip.across] += hold + slip.turn;
        to[m] = mul_add(hold, across(slip, s_.p), -across(slip, given_));
    }

    RowSystem& s_;
    const int n_;
    Elimination elimination_;
    double *V_, *next_, *given_, *along_, *across_, *size_, *inverse_, *wish_;
    Unknown *unknown_, *late_;
    Slip* slip_;
    Run* run_;
    int n_unknowns_ = 0, n_slips_ = 0, n_late_ = 0, n_held_ = 0, n_runs_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
