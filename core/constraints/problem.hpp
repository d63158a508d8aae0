// The complementarity problem of one step: which impulses p make the velocities after it,
//
//   V = b + A p,   A = J H⁻¹ Jᵀ,   b = J v*,
//
// obey every law at once (Ayit 2015, section 4.4; Moreau 1988; Stewart & Trinkle 1996). Rows come
// in blocks: a contact has three (normal, two tangents), dry friction of a joint and a joint's
// limit one each. Loops outside the clusters hold always; they are eliminated before.
#pragma once

#include "constraints/contact_set.hpp"

namespace tarsus::TARSUS_ISA {

enum class BlockKind : int { contact, friction, limit };

template <class T>
struct Block {
    BlockKind kind;
    int row, index;  // first row; number of the contact, the frictional joint or the limit
    T on;
    T target;  // least velocity along the normal or away from a limit
    T bound;   // friction that does not depend on the normal impulse [N s]
    T mu;
};

template <class T>
struct Problem {
    int n_blocks = 0, n_rows = 0;
    Block<T>* block;
    T *A, *b, *p;

    T* row(int r) const { return A + long(r) * n_rows; }
    // velocity of a row after the impulses
    TARSUS_INLINE T velocity(int r) const {
        // from +0, so that rows of other lanes, which add ±0, leave no trace
        T sum = b[r] + T(0.0);
        const T* a = row(r);
        for (int k = 0; k < n_rows; ++k) sum = mul_add(a[k], p[k], sum);
        return sum;
    }
    // of all rows
    TARSUS_INLINE void velocities(T* out) const {
        for (int r = 0; r < n_rows; ++r) out[r] = b[r] + T(0.0);
        for (int k = 0; k < n_rows; ++k) {
            const T* a = row(k);  // A is symmetric
            for (int r = 0; r < n_rows; ++r) out[r] = mul_add(a[r], p[k], out[r]);
        }
    }
};

constexpr double kTouching = 1e-10;  // [m] gaps below are none: round-off must not part feet

// the least velocity that closes a gap within the step
template <class T>
TARSUS_INLINE T ahead_target(const T& gap, const T& dt) {
    return select(gap > T(kTouching), -(gap / dt), T(0.0));
}

// the target of a contact's normal velocity
template <class T>
TARSUS_INLINE T normal_target(const World& world, const T& gap, const T& approach,
                              const T* parameters) {
    const T zero(0.0), dt(world.dt);
    // what lies ahead may be closed but not entered; what was entered is not pushed out: that would
    // add energy
    const T reach = world.numbers.ahead ? ahead_target(gap, dt) : zero;
    const T bounces = select(approach < -parameters[kRestSpeed], parameters[kRestitution], zero);
    return select(bounces > zero, -(bounces * approach), reach);
}

// Loops first: A and b of the other rows as if the loops gave way as they must; keeps what it takes
// to find the loops' own impulses.
template <class T>
class LoopElimination {
   public:
    LoopElimination(const Tree& tree, int capacity, Scratch& scratch)
        : n_(tree.n_constraint_rows),
          work_(tree, scratch),
          X_(scratch.take<T>(size_t(n_) * capacity)),
          y_(scratch.take<T>(n_)) {}

    static size_t bytes(const Tree& tree, int capacity) {
        return multiplier_bytes<T>(tree) + bytes_of<T>(size_t(tree.n_constraint_rows) * capacity) +
               bytes_of<T>(tree.n_constraint_rows);
    }

    // the whole operator (loops first, N × N) and velocities of the loops' rows that they must
    // lose; writes the reduced problem
    TARSUS_APART void reduce(const T* whole, int N, const T* lose, Problem<T>& problem) {
        const int m = N - n_;
        for (int i = 0; i < n_; ++i) {
            for (int j = 0; j < n_; ++j) work_.operator_matrix[i * n_ + j] = whole[i * N + j];
        }
        work_.factor();
        const auto solve = [&](auto&& column, auto&& store) {
            for (int i = 0; i < n_; ++i) work_.rate[i] = column(i);
            work_.solve();  // −Λ⁻¹ column
            for (int i = 0; i < n_; ++i) store(i, work_.rate[i]);
        };
        solve([&](int i) { return lose[i]; }, [&](int i, const T& x) { y_[i] = x; });
        for (int c = 0; c < m; ++c) {
            solve([&](int i) { return whole[i * N + n_ + c]; },
                  [&](int i, const T& x) { X_[i * m + c] = x; });
        }
        for (int r = 0; r < m; ++r) {
            const T* across = whole + (n_ + r) * N;  // A of this row with the loops
            for (int i = 0; i < n_; ++i) problem.b[r] = mul_add(across[i], y_[i], problem.b[r]);
            for (int c = 0; c < m; ++c) {
                T sum = across[n_ + c];
                for (int i = 0; i < n_; ++i) sum = mul_add(across[i], X_[i * m + c], sum);
                problem.A[r * m + c] = sum;
            }
        }
    }
    // the loops' impulses, given those of the other rows
    TARSUS_APART void impulses(const T* p, int m, T* out) const {
        for (int i = 0; i < n_; ++i) {
            T sum = y_[i];
            for (int c = 0; c < m; ++c) sum = mul_add(X_[i * m + c], p[c], sum);
            out[i] = sum;
        }
    }

   private:
    int n_;
    MultiplierWork<T> work_;
    T *X_, *y_;
};

}  // namespace tarsus::TARSUS_ISA
