// Rows that hold whatever else happens, loops outside the clusters and constraints, are eliminated
// from a state's problem before it is solved. A and b of the other rows become what they are if
// these give way as they must; what it takes to find their own impulses is kept.
//
// Rows may repeat or contradict each other. Constraints then share their impulses: the smallest
// ones that leave the smallest velocities, both at the size of each row's own inertia.
#pragma once

#include "constraints/row_system.hpp"
#include "dynamics/rank_revealing.hpp"

namespace tarsus::TARSUS_ISA {

// How far a position moves by a unit impulse, as a part of what the whole mechanism would if it
// were one body: so little is a direction in which the mechanism hardly moves, as an arm or a chain
// that is stretched. It would be pulled with forces beyond any bound; so positions are softened by
// as much, sooner while a gap is open, perhaps for good.
constexpr double kOutOfReach = 0.1, kStretched = 1e-4;
// part of its own mobility by which another row yields, where constraints hold
constexpr double kYields = 1e-7;

class HeldRows {
   public:
    double* whole;  // the operator of these rows, then of the others: N × padded(N)

    // most of them, and of all rows
    HeldRows(int held, int rows, Scratch& scratch)
        : L_(scratch.take<double>(size_t(held) * held)),
          scale_(scratch.take<double>(held)),
          work_(scratch.take<double>(held)),
          x_(scratch.take<double>(held)),
          y_(scratch.take<double>(held)),
          missed_(scratch.take<double>(held)),
          gram_(scratch.take<double>(size_t(held) * held)),
          X_(scratch.take<double>(size_t(held) * rows)),
          order_(scratch.take<int>(held)) {
        whole = scratch.take<double>(held ? size_t(rows) * padded(rows) : 0);
    }

    // `lose`: velocities that these rows must lose. The first ones are loops; constraints that
    // repeat others share with them. `mobility` of the whole mechanism as one body; `open`: there
    // are gaps; `reach`: positions, which may be out of reach.
    TARSUS_APART void reduce(int held, int loops, double mobility, bool open, const bool* reach,
                             const double* lose, RowSystem& s) {
        n_ = held;
        const bool share = held > loops;
        const int m = m_ = s.n, width = padded(n_ + m);
        const auto factor = [&](double softness) {
            for (int i = 0; i < n_; ++i) {
                for (int j = 0; j < n_; ++j) L_[i * n_ + j] = whole[long(i) * width + j];
                if (reach[i]) L_[i * n_ + i] += softness;
            }
            rank_ = factor_semidefinite(n_, L_, order_, scale_, kHeldAlready * mobility);
        };
        factor(0.0);
        const double least = (open ? kOutOfReach : kStretched) * mobility;
        const bool soft = stiffest(reach) < least;
        if (soft) factor(least);
        shares_ = share && rank_ < n_;
        if (shares_) factor_gram();
        for (int i = 0; i < n_; ++i) x_[i] = -lose[i];
        solve();
        for (int i = 0; i < n_; ++i) y_[i] = x_[i], missed_[i] = 0.0;
        for (int i = 0; (shares_ || soft) && i < n_; ++i) {
            double left = lose[i];
            for (int j = 0; j < n_; ++j) left = mul_add(whole[long(i) * width + j], y_[j], left);
            missed_[i] = left;
        }
        for (int c = 0; c < m; ++c) {
            for (int i = 0; i < n_; ++i) x_[i] = -whole[long(i) * width + n_ + c];
            solve();
            for (int i = 0; i < n_; ++i) X_[long(i) * m + c] = x_[i];
        }
        for (int r = 0; r < m; ++r) {
            const double* across = whole + long(n_ + r) * width;  // A of this row with the loops
            for (int i = 0; i < n_; ++i) s.b[r] = mul_add(across[i], y_[i], s.b[r]);
            double* to = s.row(r);
            for (int c = 0; c < padded(m); ++c) to[c] = c < m ? across[n_ + c] : 0.0;
            for (int i = 0; i < n_; ++i) {
                for (int c = 0; c < m; ++c) to[c] = mul_add(across[i], X_[long(i) * m + c], to[c]);
            }
            // what cannot move any more, but for round-off, would push beyond any bound
            if (share) to[r] = mul_add(kYields, across[n_ + r], to[r]);
        }
    }
    // impulse of a loop's row, given those of some other rows; `closing`: with what it needs anyway
    double impulse(int row, const double* p, const int* place, int n, bool closing) const {
        double sum = closing ? y_[row] : 0.0;
        for (int c = 0; c < n; ++c) sum = mul_add(X_[long(row) * m_ + place[c]], p[c], sum);
        return sum;
    }

    // by what velocity a row is not held, because others contradict it
    double missed(int row) const { return missed_[row]; }

   private:
    // the least that a position moves when the rows before it are held
    double stiffest(const bool* reach) const {
        double least = 1e300;
        for (int k = 0; k < rank_; ++k) {
            if (!reach[order_[k]]) continue;
            const double pivot = L_[k * n_ + k] / scale_[order_[k]];
            least = std::min(least, pivot * pivot);
        }
        return least;
    }
    void solve() {
        if (shares_) solve_least();
        else solve_semidefinite(n_, rank_, L_, order_, scale_, x_, work_);
    }
    // With Λ = L Lᵀ, L of full column rank, the least-squares solution of least norm is
    // L (LᵀL)⁻² Lᵀ b, at the size of the rows' diagonals.
    void factor_gram() {
        for (int i = 0; i < rank_; ++i) {
            for (int j = 0; j <= i; ++j) {
                double sum = 0;
                for (int k = i; k < n_; ++k) sum = mul_add(L_[k * n_ + i], L_[k * n_ + j], sum);
                gram_[i * rank_ + j] = sum;
            }
        }
        for (int j = 0; j < rank_; ++j) {
            for (int i = j; i < rank_; ++i) {
                double sum = gram_[i * rank_ + j];
                for (int k = 0; k < j; ++k) {
                    sum = neg_mul_add(gram_[i * rank_ + k], gram_[j * rank_ + k], sum);
                }
                gram_[i * rank_ + j] = i == j ? std::sqrt(sum) : sum / gram_[j * rank_ + j];
            }
        }
    }
    void solve_gram(double* x) const {
        for (int i = 0; i < rank_; ++i) {
            for (int k = 0; k < i; ++k) x[i] = neg_mul_add(gram_[i * rank_ + k], x[k], x[i]);
            x[i] /= gram_[i * rank_ + i];
        }
        for (int i = rank_ - 1; i >= 0; --i) {
            for (int k = i + 1; k < rank_; ++k)
                x[i] = neg_mul_add(gram_[k * rank_ + i], x[k], x[i]);
            x[i] /= gram_[i * rank_ + i];
        }
    }
    void solve_least() {
        for (int j = 0; j < rank_; ++j) {
            double sum = 0;
            for (int k = j; k < n_; ++k) {
                sum = mul_add(L_[k * n_ + j], x_[order_[k]] * scale_[order_[k]], sum);
            }
            work_[j] = sum;
        }
        solve_gram(work_), solve_gram(work_);
        for (int k = 0; k < n_; ++k) {
            double sum = 0;
            for (int j = 0; j < std::min(k + 1, rank_); ++j) {
                sum = mul_add(L_[k * n_ + j], work_[j], sum);
            }
            x_[order_[k]] = sum * scale_[order_[k]];
        }
    }

    int n_ = 0, m_ = 0, rank_ = 0;
    bool shares_ = false;
    double *L_, *scale_, *work_, *x_, *y_, *missed_, *gram_, *X_;
    int* order_;
};

}  // namespace tarsus::TARSUS_ISA
