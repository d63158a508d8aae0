// How the motion of all bodies, and the forces that it asks for, depend on q and v: what the
// derivatives of inverse dynamics are made of.
//
// A step along velocity g displaces all that g carries by the motion S_g, and with it, in world
// axes, velocities and accelerations of a body x change by
//
//   δv_x = S_g × v_x + Ψ̇_g,   δa_x = S_g × a_x + Ψ̇_g × v_x + Ψ̈_g
//
// with Ψ̇, Ψ̈ that do not depend on x: for a joint with a constant subspace on a parent p they are
// v_p × S and a_p × S + v_p × Ψ̇ (Singh, Russell & Wensing 2022). A change of the velocity g itself
// changes them by S_g and S_g × v_x + (Ṡ_g + Ψ̇_g).
#pragma once

#include "dynamics/cluster_bends.hpp"
#include "dynamics/newton_euler.hpp"
#include "spatial/factorisation.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct DerivativeBody {
    Motion<T> a;
    Inertia<T> I;  // these three with all that hangs on the body outside its cluster
    ChristoffelMatrix<T> B;
    Force<T> F;
};

template <class T>
struct MotionDerivatives {
    MovingTree<T> moving;
    DerivativeBody<T>* body;  // the world first
    ClusterBends<T> bends;
    Motion<T>*first, *second, *mixed;  // for each column: Ψ̇, Ψ̈, and Ṡ + Ψ̇
    T *by_q, *by_v, *by_a;             // room for a number for each velocity of a cluster
};

template <class T>
TARSUS_INLINE size_t motion_derivatives_bytes(const Tree& tree) {
    return moving_tree_bytes<T>(tree) + bytes_of<T>(tree.joint_nv) + bend_bytes<T>(tree, true) +
           bytes_of<DerivativeBody<T>>(tree.n_bodies + 1) +
           3 * bytes_of<Motion<T>>(tree.n_columns) + 3 * bytes_of<T>(most_velocities(tree));
}

template <class T>
MotionDerivatives<T> differentiate_motion(const Tree& tree, const Arguments<T>& arguments,
                                          const T* v, const T* a, const T* external);

}  // namespace tarsus::TARSUS_ISA
