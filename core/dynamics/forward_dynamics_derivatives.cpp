// Derivatives of forward dynamics from those of inverse dynamics at the accelerations that it
// gives: H ∂a = ∂τ − ∂ID, with the branch factorisation of H. Loops outside the clusters add H ∂a =
// … + ∂(Jᵀλ), and ∂λ such that their rows' accelerations stay zero.
#include "dynamics/constraint_derivatives.hpp"
#include "dynamics/inverse_dynamics_derivatives.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct KeepDerivatives {
    const LaneMatrix<T>&by_q, &by_v;

    TARSUS_INLINE void q(int row, int column, const T& x) { by_q(row, column) = x; }
    TARSUS_INLINE void v(int row, int column, const T& x) { by_v(row, column) = x; }
    TARSUS_INLINE void a(int, int, const T&) {}
};

// ∂a := ∂a + Y ∂λ, so that J ∂a + rate = 0; rate (rows × nv) may be null for zero
template <class T>
TARSUS_APART void keep_closed(const Tree& tree, Constrained<T>& loops, const T* rate,
                              const LaneMatrix<T>& X) {
    const int n = tree.nv, rows = tree.n_constraint_rows;
    for (int c = 0; c < n; ++c) {
        for (int r = 0; r < rows; ++r) {
            T sum = rate ? rate[r * n + c] : T(0.0);
            for (int k = 0; k < n; ++k) sum = mul_add(loops.J[r * n + k], X(k, c), sum);
            loops.work.rate[r] = sum;
        }
        loops.work.solve();
        for (int r = 0; r < rows; ++r) {
            for (int k = 0; k < n; ++k) {
                X(k, c) = mul_add(loops.Y[r * n + k], loops.work.rate[r], X(k, c));
            }
        }
    }
}

struct ForwardDynamicsDerivatives {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return matrix_dynamics_bytes<T>(tree) + bytes_of<T>(tree.n_compact) + bytes_of<T>(tree.nv) +
               3 * LaneMatrix<T>::bytes(tree.nv) + motion_derivatives_bytes<T>(tree) +
               constraint_derivatives_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        Scratch& scratch = arguments.scratch;
        const auto& in = arguments.in;
        const int n = tree.nv;
        T *L = scratch.take<T>(tree.n_compact), *a = scratch.take<T>(n);
        T* out = arguments.out;
        const LaneMatrix<T> by_q(n, out, scratch), by_v(n, out + n * n, scratch);
        Constrained<T> loops = sparse_dynamics(tree, arguments, L, a);
        const auto d = differentiate_motion<T>(tree, arguments, in[1], a, in[3]);
        inverse_dynamics_derivatives(tree, d, KeepDerivatives<T>{by_q, by_v});
        RowDerivatives<T> rows{};
        if (tree.n_constraint_rows > 0) {
            rows = differentiate_rows(tree, d, loops.work.rate, by_q, scratch);
        }
        solve_columns(tree, L, by_q);
        solve_columns(tree, L, by_v);
        const LaneMatrix<T> by_tau = inverse_of_branches(tree, L, out + 2 * n * n, scratch);
        if (tree.n_constraint_rows > 0) {
            keep_closed(tree, loops, rows.by_q, by_q);
            keep_closed(tree, loops, rows.by_v, by_v);
            keep_closed<T>(tree, loops, nullptr, by_tau);
        }
        by_q.copy_out(), by_v.copy_out(), by_tau.copy_out();
    }
};

TARSUS_KERNEL(forward_dynamics_derivatives, ForwardDynamicsDerivatives);

}  // namespace tarsus::TARSUS_ISA
