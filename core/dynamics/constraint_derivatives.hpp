// Derivatives of the loops outside the clusters: of their rows' accelerations by q and v, and of
// the forces Jᵀλ by q at constant multipliers.
//
// How the two bodies of a loop move with a step is known (motion_derivatives.hpp), so the rows are
// differentiated as they are, on dual numbers.
#pragma once

#include "dynamics/matrix_dynamics.hpp"
#include "dynamics/motion_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct RowDerivatives {
    T *by_q, *by_v;  // rows × nv
};

template <class T>
TARSUS_INLINE size_t constraint_derivatives_bytes(const Tree& tree) {
    return 2 * bytes_of<T>(size_t(tree.n_constraint_rows) * tree.nv) + 4 * bytes_of<int>(tree.nv);
}

// forces (nv × nv) loses the derivatives of Jᵀλ by q
template <class T>
RowDerivatives<T> differentiate_rows(const Tree& tree, const MotionDerivatives<T>& d,
                                     const T* lambda, const LaneMatrix<T>& forces,
                                     Scratch& scratch);

}  // namespace tarsus::TARSUS_ISA
