// Forward dynamics through the mass matrix, H a = τ − bias: by the branch factorisation
// ("sparse") and by an ordinary Cholesky factorisation ("dense"). For studies and as a check on
// the articulated-body algorithm; O(n d²) and O(n³).
#include "dynamics/branch_cholesky.hpp"
#include "dynamics/mass_matrix.hpp"
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// out := τ − bias(q, v) + Jᵀ f_external
template <class T>
TARSUS_INLINE void force_excess(const Tree& tree, const Arguments<T>& arguments) {
    const auto& in = arguments.in;
    newton_euler<T>(tree, arguments, in[1], nullptr, in[3], arguments.out);
    for (int k = 0; k < tree.nv; ++k) arguments.out[k] = in[2][k] - arguments.out[k];
}

struct ForwardDynamicsSparse {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree) + aligned_bytes<T>(tree) + bytes_of<T>(tree.n_compact);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* L = arguments.scratch.template take<T>(tree.n_compact);
        force_excess(tree, arguments);
        mass_matrix(tree, arguments.in[0], arguments.scratch, [&](int row, int column, const T& x) {
            L[tree.row[row] + tree.depth[column]] = x;
        });
        factor_branches(tree, L);
        solve_branches(tree, L, arguments.out);
    }
};

// H = L Lᵀ in the lower triangle, then x := H⁻¹ x
template <class T>
TARSUS_INLINE void solve_dense(int n, T* H, T* x) {
    for (int j = 0; j < n; ++j) {
        T* row = H + j * n;
        for (int k = 0; k <= j; ++k) {
            const T* other = H + k * n;
            T sum = row[k];
            for (int e = 0; e < k; ++e) sum = neg_mul_add(row[e], other[e], sum);
            row[k] = k < j ? sum / other[k] : square_root(sum);
        }
        for (int e = 0; e < j; ++e) x[j] = neg_mul_add(row[e], x[e], x[j]);
        x[j] = x[j] / row[j];
    }
    for (int j = n - 1; j >= 0; --j) {
        x[j] = x[j] / H[j * n + j];
        for (int e = 0; e < j; ++e) x[e] = neg_mul_add(H[j * n + e], x[j], x[e]);
    }
}

struct ForwardDynamicsDense {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree) + aligned_bytes<T>(tree) +
               bytes_of<T>(size_t(tree.nv) * tree.nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const int n = tree.nv;
        T* H = arguments.scratch.template take<T>(size_t(n) * n);
        force_excess(tree, arguments);
        for (int k = 0; k < n * n; ++k) H[k] = T(0.0);
        mass_matrix(tree, arguments.in[0], arguments.scratch,
                    [&](int row, int column, const T& x) { H[row * n + column] = x; });
        solve_dense(n, H, arguments.out);
    }
};

TARSUS_KERNEL(forward_dynamics_sparse, ForwardDynamicsSparse);
TARSUS_KERNEL(forward_dynamics_dense, ForwardDynamicsDense);

}  // namespace tarsus::TARSUS_ISA
