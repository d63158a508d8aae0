// Steps on the configuration manifold, joint by joint; loops are closed again after each step.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t configuration_bytes(const Tree& tree) {
    return tree.coupled ? bytes_of<T>(tree.joint_nq) + step_bytes<T>(tree) : 0;
}

// out := the users' configuration after their step dv; joints.v are the steps of all joints
template <class T>
TARSUS_INLINE void step_configuration(const Tree& tree, const T* table, const JointState<T>& joints,
                                      const T* dv, T* out, Scratch& scratch) {
    T* x = tree.coupled ? scratch.take<T>(tree.joint_nq) : out;
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::integrate(link, joints.q + link.q, joints.v + link.v, x + link.q);
        });
    }
    if (!tree.coupled) return;
    step_loops(tree, table, joints.q, dv, x, scratch);
    store_positions(tree, x, out);
}

// out := the users' step from q0 to q1
template <class T>
TARSUS_INLINE void configuration_difference(const Tree& tree, const T* q0, const T* q1, T* out) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (tree.user_q[i] < 0) continue;
        visit(link.kind, [&](auto joint) {
            T step[decltype(joint)::nv];
            decltype(joint)::difference(link, q0 + tree.user_q[i], q1 + tree.user_q[i], step);
            for (int k = 0; k < link.nv; ++k) {
                const int v = tree.user_v[link.v + k];
                if (v >= 0) out[v] = step[k];
            }
        });
    }
}

// w := G v, the velocities of all joints
template <class T>
TARSUS_INLINE void spread_velocities(const Tree& tree, const T* G, const T* v, T* w) {
    for (const Cluster& cluster : tree.clusters) {
        for (int k = 0; k < cluster.nw; ++k) {
            if (!cluster.coupled) {
                w[cluster.w + k] = v[cluster.v + k];
                continue;
            }
            T sum(0.0);
            const T* row = G + cluster.matrix + k * cluster.nv;
            for (int e = 0; e < cluster.nv; ++e) sum = mul_add(row[e], v[cluster.v + e], sum);
            w[cluster.w + k] = sum;
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
