// The Jacobian J of the loops outside the clusters: rates of their rows = J v.
#pragma once

#include "dynamics/mass_matrix.hpp"
#include "dynamics/multipliers.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t constraint_jacobian_bytes(const Tree& tree) {
    return aligned_bytes<T>(tree) + bytes_of<T>(tree.most.w) +
           bytes_of<T>(size_t(tree.n_constraint_rows) * tree.nv);
}

// J by rows; leaves the poses of the bodies in `world`
template <class T>
TARSUS_INLINE const T* constraint_jacobian(const Tree& tree, const JointState<T>& joints,
                                           const AlignedTree<T>& world, Scratch& scratch) {
    T* projected = scratch.take<T>(tree.most.w);
    T* J = scratch.take<T>(size_t(tree.n_constraint_rows) * tree.nv);
    for (int k = 0; k < tree.n_constraint_rows * tree.nv; ++k) J[k] = T(0.0);
    LoopAt<T> at;
    for_each_constraint(tree, [&](const Loop& loop, int first) {
        loop_at(tree, loop, world.body[loop.a.body + 1].pose, world.body[loop.b.body + 1].pose, at);
        for (int r = 0; r < loop.n_rows; ++r) {
            const auto push = [&](int body, double sign) {
                const Vec3<T> arm = at.point - world.body[body + 1].pose.position;
                const Force<T>& row = at.row[r];
                const Force<T> F{row.linear * T(sign),
                                 cross_add(arm, row.linear, row.angular) * T(sign)};
                const auto add = [&](int i, int k, const T& x) { J[i * tree.nv + k] += x; };
                project_down(tree, world, joints.G, projected, first + r, body, F, add);
            };
            push(loop.b.body, 1.0);
            push(loop.a.body, -1.0);
        }
    });
    return J;
}

}  // namespace tarsus::TARSUS_ISA
