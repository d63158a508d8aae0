// From the users' coordinates to the joints of the spanning tree, and from forces on those joints
// back. A tree without couplings and loops passes straight through.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// What all joints do; null where it was not asked for.
template <class T>
struct JointState {
    const T *q, *v, *a;
    const T* G;  // the clusters' matrices, each nw × nv
};

template <class T>
size_t coupled_bytes(const Tree& tree);
template <class T>
JointState<T> span_coupled(const Tree& tree, const T* table, const T* q, const T* v, const T* a,
                           Scratch& scratch);
template <class T>
size_t moving_bytes(const Tree& tree);
// positions as dual numbers that move with v, and the clusters' matrices on them; `joints` receives
// what span_coupled gives
template <class T>
JointState<Dual<T>> move_coupled(const Tree& tree, const T* table, const T* q, const T* v,
                                 Scratch& scratch, JointState<T>& joints);

// positions of all joints as users state them, loops as open as they are
template <class T>
void stated_positions(const Tree& tree, const T* table, const T* q, T* x);
// closes the loops at positions x of all joints; NaN where that fails
template <class T>
void close_positions(const Tree& tree, const T* table, T* x, Scratch& scratch);
// positions x of the joints in clusters with loops, after the users' step dv from closed ones
template <class T>
size_t step_bytes(const Tree& tree);
template <class T>
void step_loops(const Tree& tree, const T* table, const T* start, const T* dv, T* x,
                Scratch& scratch);
// walks each cluster with loops from its neutral configuration towards q, as far as the loops go
size_t reach_bytes(const Tree& tree);
void reach_loops(const Tree& tree, double* q, Scratch scratch);

// The forces that loop joints exert, given the forces on all joints that the motion asks for: on
// the bodies (in their frames), and on frame b of each loop (in that frame). Dependent joints
// transmit no force along their motion; of redundant forces the smallest are taken.
template <class T>
struct LoopForces {
    Force<T>*on_body, *on_frame;
};
template <class T>
size_t loop_forces_bytes(const Tree& tree);
template <class T>
LoopForces<T> loop_forces(const Tree& tree, const T* table, const T* x, const T* forces,
                          Scratch& scratch);

template <class T>
TARSUS_INLINE size_t spanning_bytes(const Tree& tree) {
    return tree.coupled ? coupled_bytes<T>(tree) : 0;
}

// v and a may be null
template <class T>
TARSUS_INLINE JointState<T> span(const Tree& tree, const Arguments<T>& arguments, const T* v,
                                 const T* a) {
    const T* q = arguments.in[0];
    if (!tree.coupled) return {q, v, a, nullptr};
    return span_coupled(tree, arguments.in[kTable], q, v, a, arguments.scratch);
}

// what users state of the positions x of all joints
template <class T>
TARSUS_INLINE void store_positions(const Tree& tree, const T* x, T* q) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const int nq = tree.user_q[i] < 0 ? 0 : kKindInfo[int(link.kind)].nq;
        for (int k = 0; k < nq; ++k) q[tree.user_q[i] + k] = x[link.q + k];
    }
}

// out := Gᵀ forces
template <class T>
TARSUS_INLINE void gather_forces(const Tree& tree, const T* G, const T* forces, T* out) {
    for (const Cluster& cluster : tree.clusters) {
        for (int e = 0; e < cluster.nv; ++e) {
            if (!cluster.coupled) {
                out[cluster.v + e] = forces[cluster.w + e];
                continue;
            }
            T sum(0.0);
            const T* column = G + cluster.matrix + e;
            for (int w = 0; w < cluster.nw; ++w) {
                sum = mul_add(column[w * cluster.nv], forces[cluster.w + w], sum);
            }
            out[cluster.v + e] = sum;
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
