// Forward dynamics through the mass matrix: H a = τ − bias + Jᵀ λ.
#pragma once

#include "dynamics/branch_cholesky.hpp"
#include "dynamics/constraint_jacobian.hpp"
#include "dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

// What keeps the loops outside the clusters closed.
template <class T>
struct Constrained {
    const T* J;              // rows × nv
    T* Y;                    // H⁻¹ Jᵀ, by rows like J
    MultiplierWork<T> work;  // J H⁻¹ Jᵀ, and the multipliers
};

// a := a + H⁻¹ Jᵀ λ with the multipliers λ that keep the loops outside the clusters closed.
// body has moved with the velocities and without accelerations.
template <class T, class Solve>
TARSUS_INLINE Constrained<T> constrain(const Tree& tree, const Arguments<T>& arguments,
                                       const JointState<T>& joints, const NewtonEulerBody<T>* body,
                                       Solve&& solve, T* a) {
    const int n = tree.n_constraint_rows, nv = tree.nv;
    Scratch& scratch = arguments.scratch;
    MultiplierWork<T> work(tree, scratch);
    if (n == 0) return {nullptr, nullptr, work};
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
    work.factor();
    work.solve();
    for (int r = 0; r < n; ++r) {
        for (int k = 0; k < nv; ++k) a[k] = mul_add(Y[r * nv + k], work.rate[r], a[k]);
    }
    return {J, Y, work};
}

template <class T>
TARSUS_INLINE size_t matrix_dynamics_bytes(const Tree& tree) {
    return newton_euler_bytes<T>(tree) + mass_matrix_bytes<T>(tree) + multiplier_bytes<T>(tree) +
           constraint_jacobian_bytes<T>(tree) +
           bytes_of<T>(size_t(tree.n_constraint_rows) * tree.nv);
}

// out := accelerations; store(row, column, x) receives the mass matrix, which solve(x) then inverts
template <class T, class Store, class Factor, class Solve>
TARSUS_INLINE Constrained<T> matrix_dynamics(const Tree& tree, const Arguments<T>& arguments,
                                             T* out, Store&& store, Factor&& factor,
                                             Solve&& solve) {
    const auto& in = arguments.in;
    const auto* body = newton_euler<T>(tree, arguments, in[1], nullptr, in[3], out);
    for (int k = 0; k < tree.nv; ++k) out[k] = in[2][k] - out[k];
    const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
    mass_matrix(tree, joints, arguments.scratch, store);
    factor();
    solve(out);
    return constrain(tree, arguments, joints, body, solve, out);
}

// the same with the branch factorisation, which is left in L
template <class T>
TARSUS_INLINE Constrained<T> sparse_dynamics(const Tree& tree, const Arguments<T>& arguments, T* L,
                                             T* out) {
    return matrix_dynamics(
        tree, arguments, out,
        [&](int row, int column, const T& x) { L[tree.row[row] + tree.depth[column]] = x; },
        [&] { factor_branches(tree, L); }, [&](T* x) { solve_branches(tree, L, x); });
}

}  // namespace tarsus::TARSUS_ISA
