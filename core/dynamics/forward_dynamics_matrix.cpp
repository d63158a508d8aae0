// Forward dynamics through the mass matrix, H a = τ − bias: by the branch factorisation
// ("sparse") and by an ordinary Cholesky factorisation ("dense"). For studies and as a check on
// the articulated-body algorithm; O(n d²) and O(n³).
#include "dynamics/matrix_dynamics.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct ForwardDynamicsSparse {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return matrix_dynamics_bytes<T>(tree) + bytes_of<T>(tree.n_compact);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* L = arguments.scratch.template take<T>(tree.n_compact);
        sparse_dynamics(tree, arguments, L, arguments.out);
    }
};

// H = L Lᵀ in the lower triangle
template <class T>
TARSUS_INLINE void factor_dense(int n, T* H) {
    for (int j = 0; j < n; ++j) {
        T* row = H + j * n;
        for (int k = 0; k <= j; ++k) {
            const T* other = H + k * n;
            T sum = row[k];
            for (int e = 0; e < k; ++e) sum = neg_mul_add(row[e], other[e], sum);
            row[k] = k < j ? sum / other[k] : square_root(sum);
        }
    }
}

// x := H⁻¹ x
template <class T>
TARSUS_INLINE void solve_dense(int n, const T* H, T* x) {
    for (int j = 0; j < n; ++j) {
        for (int e = 0; e < j; ++e) x[j] = neg_mul_add(H[j * n + e], x[e], x[j]);
        x[j] = x[j] / H[j * n + j];
    }
    for (int j = n - 1; j >= 0; --j) {
        x[j] = x[j] / H[j * n + j];
        for (int e = 0; e < j; ++e) x[e] = neg_mul_add(H[j * n + e], x[j], x[e]);
    }
}

struct ForwardDynamicsDense {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return matrix_dynamics_bytes<T>(tree) + bytes_of<T>(size_t(tree.nv) * tree.nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const int n = tree.nv;
        T* H = arguments.scratch.template take<T>(size_t(n) * n);
        for (int k = 0; k < n * n; ++k) H[k] = T(0.0);
        matrix_dynamics(
            tree, arguments, arguments.out,
            [&](int row, int column, const T& x) { H[row * n + column] = x; },
            [&] { factor_dense(n, H); }, [&](T* x) { solve_dense(n, H, x); });
    }
};

TARSUS_KERNEL(forward_dynamics_sparse, ForwardDynamicsSparse);
TARSUS_KERNEL(forward_dynamics_dense, ForwardDynamicsDense);

}  // namespace tarsus::TARSUS_ISA
