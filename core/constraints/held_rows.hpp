// After a sweep: rows that stick or press are held at their velocity, all at once, while the others
// keep their impulse (subspace minimisation, after Silcowitz, Niebe & Erleben 2010). One
// factorisation of the held rows does what many sweeps would do slowly, for feet that stand on more
// points than they need, and for brakes on joints of little inertia.
//
// Rows that repeat each other leave the factors singular; a touch on the diagonal keeps them apart.
#pragma once

#include "constraints/problem.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE T larger(const T& a, const T& b) {
    return select(a < b, b, a);
}

template <class T>
class HeldRows {
    static constexpr double kTouch = 1e-8;
    static constexpr int kPanel = 4;

   public:
    HeldRows(int rows, Scratch& scratch)
        : L_(scratch.take<T>(size_t(rows) * rows)),
          held_(scratch.take<T>(rows)),
          step_(scratch.take<T>(rows)),
          column_(scratch.take<T>(size_t(rows) * kPanel)),
          inverse_(scratch.take<T>(rows)) {}
    static size_t bytes(int rows) {
        return bytes_of<T>(size_t(rows) * rows) + 3 * bytes_of<T>(rows) +
               bytes_of<T>(size_t(rows) * kPanel);
    }

    // what a block did in the sweep: opened, or slipped (its friction is given), or neither
    TARSUS_INLINE void hold(const Block<T>& block, const T& opens, const T& slips) {
        const T zero(0.0), one(1.0);
        const bool contact = block.kind == BlockKind::contact;
        for (int i = 0; i < (contact ? 3 : 1); ++i) {
            const bool rubs = i > 0 || block.kind == BlockKind::friction;
            const T loose = rubs ? larger(opens, slips) : opens;
            held_[block.row + i] = select(block.on > zero, one - loose, zero);
        }
    }

    // moves the impulses towards those that hold all held rows, as far as none of them pulls and no
    // brake exceeds its bound
    TARSUS_INLINE void correct(const Problem<T>& problem, const T& running) {
        const int n = problem.n_rows;
        const T zero(0.0);
        problem.velocities(step_);
        for (int k = 0; k < problem.n_blocks; ++k)
            step_[problem.block[k].row] -= problem.block[k].target;
        for (int r = 0; r < n; ++r) step_[r] = select(held_[r] > zero, -step_[r], zero);
        factor(problem);
        substitute(n);
        T far(1.0);
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            const T &step = step_[block.row], &p = problem.p[block.row];
            const T high = block.kind == BlockKind::friction ? block.bound : T(1e300);
            const T low = block.kind == BlockKind::friction ? -block.bound : zero;
            const T room = select(step > zero, high, low) - p;
            const T part = room / select(absolute(step) > zero, step, T(1.0));
            const T limit = select(absolute(step) > zero, part, T(1.0));
            far = select(limit < far, limit, far);
        }
        far = running * larger(far, zero);
        for (int r = 0; r < n; ++r) problem.p[r] = mul_add(far, step_[r], problem.p[r]);
    }

   private:
    // L D Lᵀ of the held rows; another row is one of the unit matrix
    TARSUS_INLINE void factor(const Problem<T>& problem) {
        const int n = problem.n_rows;
        const T zero(0.0), one(1.0);
        for (int i = 0; i < n; ++i) {
            const T* a = problem.row(i);
            T* to = L_ + long(i) * n;
            for (int j = 0; j < i; ++j) to[j] = a[j] * (held_[i] * held_[j]);
            to[i] = select(held_[i] > zero, mul_add(a[i], T(kTouch), a[i]) + T(1e-30), one);
        }
        // several columns at a time: then the matrix is read and written less often
        for (int j = 0; j < n; j += kPanel) {
            const int end = j + kPanel < n ? j + kPanel : n;
            for (int c = j; c < end; ++c) eliminate(c, end, n);
            for (int i = end; i < n; ++i) {
                T* row = L_ + long(i) * n;
                for (int k = end; k <= i; ++k) {
                    T left = row[k];
                    for (int c = j; c < end; ++c) {
                        left = neg_mul_add(row[c], column(c - j, n)[k], left);
                    }
                    row[k] = left;
                }
            }
        }
    }
    // a column of the panel, and what it does to those after it in the panel
    TARSUS_INLINE void eliminate(int c, int end, int n) {
        T* column_c = column(c % kPanel, n);
        inverse_[c] = T(1.0) / L_[long(c) * n + c];
        for (int i = c + 1; i < n; ++i) column_c[i] = L_[long(i) * n + c];
        for (int i = c + 1; i < n; ++i) {
            T* row = L_ + long(i) * n;
            row[c] = column_c[i] * inverse_[c];
            for (int k = c + 1; k < end && k <= i; ++k) {
                row[k] = neg_mul_add(row[c], column_c[k], row[k]);
            }
        }
    }
    T* column(int c, int n) const { return column_ + long(c) * n; }

    TARSUS_INLINE void substitute(int n) {
        T* y = step_;
        for (int j = 0; j < n; ++j) {
            for (int i = j + 1; i < n; ++i) y[i] = neg_mul_add(L_[long(i) * n + j], y[j], y[i]);
        }
        for (int j = n - 1; j >= 0; --j) {
            y[j] = y[j] * inverse_[j];
            for (int i = j + 1; i < n; ++i) y[j] = neg_mul_add(L_[long(i) * n + j], y[i], y[j]);
        }
    }

    T *L_, *held_, *step_, *column_, *inverse_;
};

}  // namespace tarsus::TARSUS_ISA
