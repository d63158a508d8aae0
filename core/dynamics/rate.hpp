// Rates by dual numbers: the positions of all joints as dual numbers whose rates are those for the
// velocity v.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t moving_joints_bytes(const Tree& tree) {
    if (tree.coupled) return moving_bytes<T>(tree);
    return bytes_of<Angle<T>>(tree.n_angles) + bytes_of<T>(tree.nq) + bytes_of<Dual<T>>(tree.nq);
}

// `table` are values of users' coupling functions, or null
template <class T>
TARSUS_INLINE JointState<Dual<T>> moving_joints(const Tree& tree, const T* table, const T* q,
                                                const T* v, Scratch& scratch) {
    if (tree.coupled) {
        JointState<T> joints;
        return move_coupled(tree, table, q, v, scratch, joints);
    }
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    T* rate = scratch.take<T>(tree.nq);
    Dual<T>* moving = scratch.take<Dual<T>>(tree.nq);
    read_angles(tree, q, angles);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::rate(state_at(link, q, angles), v + link.v, rate + link.q);
        });
    }
    for (int k = 0; k < tree.nq; ++k) moving[k] = {q[k], rate[k]};
    return {moving, nullptr, nullptr, nullptr};
}
template <class T>
TARSUS_INLINE JointState<Dual<T>> moving_joints(const Tree& tree, const Arguments<T>& arguments,
                                                const T* v) {
    return moving_joints(tree, arguments.in[kTable], arguments.in[0], v, arguments.scratch);
}

}  // namespace tarsus::TARSUS_ISA
