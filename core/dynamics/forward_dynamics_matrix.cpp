// Forward dynamics through the mass matrix, H a = τ − bias: by the branch factorisation
// ("sparse") and by an ordinary Cholesky factorisation ("dense"). For studies and as a check on
// the articulated-body algorithm; O(n d²) and O(n³).
#include "dynamics/branch_cholesky.hpp"
#include "dynamics/constraint_jacobian.hpp"
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// a := a + H⁻¹ Jᵀ λ with the multipliers λ that keep the loops outside the clusters closed.
// body has moved with the velocities and without accelerations.
template <class T, class Solve>
TARSUS_INLINE void constrain(const Tree& tree, const Arguments<T>& arguments,
                             const JointState<T>& joints, const NewtonEulerBody<T>* body,
                             Solve&& solve, T* a) {
    const int n = tree.n_constraint_rows, nv = tree.nv;
    if (n == 0) return;
    Scratch& scratch = arguments.scratch;
    MultiplierWork<T> work(tree, scratch);
    const AlignedTree<T> world = align(tree, joints.q, scratch);
    const T* J = constraint_jacobian(tree, joints, world, scratch);
    T* Y = scratch.take<T>(size_t(n) * nv);
    const auto motion_of = [&](int i) {
        return body_motion(world.body[i + 1].pose, body[i + 1].v, body[i + 1].a);
    };
    for_each_constraint(tree, [&](const Loop& loop, int first) {
        loop_accelerations(tree, loop, motion_of(loop.a.body), motion_of(loop.b.body),
                           work.rate + first);
    });
    for (int r = 0; r < n; ++r) {
        const T* row = J + r * nv;
        T* response = Y + r * nv;
        for (int k = 0; k < nv; ++k) {
            response[k] = row[k];
            work.rate[r] = mul_add(row[k], a[k], work.rate[r]);
        }
        solve(response);
        for (int s = 0; s <= r; ++s) {
            T sum(0.0);
            for (int k = 0; k < nv; ++k) sum = mul_add(J[s * nv + k], response[k], sum);
            work.operator_matrix[r * n + s] = sum;
        }
    }
    work.solve();
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < nv; ++k) a[k] = mul_add(Y[r * nv + k], work.rate[r], a[k]);
    }
}

template <class T>
TARSUS_INLINE size_t matrix_dynamics_bytes(const Tree& tree) {
    return newton_euler_bytes<T>(tree) + mass_matrix_bytes<T>(tree) + multiplier_bytes<T>(tree) +
           constraint_jacobian_bytes<T>(tree) +
           bytes_of<T>(size_t(tree.n_constraint_rows) * tree.nv);
}

// store(row, column, x) receives the mass matrix, which solve(x) then inverts
template <class T, class Store, class Factor, class Solve>
TARSUS_INLINE void matrix_dynamics(const Tree& tree, const Arguments<T>& arguments, Store&& store,
                                   Factor&& factor, Solve&& solve) {
    const auto& in = arguments.in;
    T* out = arguments.out;
    const auto* body = newton_euler<T>(tree, arguments, in[1], nullptr, in[3], out);
    for (int k = 0; k < tree.nv; ++k) out[k] = in[2][k] - out[k];
    const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
    mass_matrix(tree, joints, arguments.scratch, store);
    factor();
    solve(out);
    constrain(tree, arguments, joints, body, solve, out);
}

struct ForwardDynamicsSparse {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return matrix_dynamics_bytes<T>(tree) + bytes_of<T>(tree.n_compact);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* L = arguments.scratch.template take<T>(tree.n_compact);
        matrix_dynamics(
            tree, arguments,
            [&](int row, int column, const T& x) { L[tree.row[row] + tree.depth[column]] = x; },
            [&] { factor_branches(tree, L); }, [&](T* x) { solve_branches(tree, L, x); });
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
            tree, arguments, [&](int row, int column, const T& x) { H[row * n + column] = x; },
            [&] { factor_dense(n, H); }, [&](T* x) { solve_dense(n, H, x); });
    }
};

TARSUS_KERNEL(forward_dynamics_sparse, ForwardDynamicsSparse);
TARSUS_KERNEL(forward_dynamics_dense, ForwardDynamicsDense);

}  // namespace tarsus::TARSUS_ISA
