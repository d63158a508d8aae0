// How the joints of one cluster move with its own coordinates.
//
// The free velocities of a cluster are its own and those that its loops give. Couplings express
// all joints by the free ones, w = E [v; u]. Loops add rows Φ w = 0, solved for u. Together
//
//   w = G v,   ẇ = G v̇ + g
#pragma once

#include "dynamics/follow.hpp"
#include "dynamics/householder.hpp"
#include "dynamics/loop_rows.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ClosureWork {
    Angle<T>* angle;
    Pose<T>* pose;  // of the members, in the frame of the cluster's parent
    Motion<T>* S;   // of each velocity, in the same axes at its body's origin
    T *E, *Phi, *A, *residual, *diagonal, *scale, *slope, *curvature;

    explicit ClosureWork(const Tree& tree, Scratch& scratch)
        : angle(scratch.take<Angle<T>>(tree.most_varying.w)),
          pose(scratch.take<Pose<T>>(tree.most_varying.bodies)),
          S(scratch.take<Motion<T>>(tree.most_varying.w)),
          E(scratch.take<T>(size_t(tree.most_varying.w) * tree.most_varying.free)),
          Phi(scratch.take<T>(size_t(tree.most_varying.rows) * tree.most_varying.w)),
          A(scratch.take<T>(size_t(tree.most_varying.rows) * tree.most_varying.free)),
          residual(scratch.take<T>(tree.most_varying.rows)),
          diagonal(scratch.take<T>(tree.most_varying.free)),
          scale(scratch.take<T>(tree.most_varying.free)),
          slope(scratch.take<T>(tree.most_slopes)),
          curvature(scratch.take<T>(tree.most_slopes)) {}

    static size_t bytes(const Tree& tree) {
        const size_t w = tree.most_varying.w, rows = tree.most_varying.rows,
                     free = tree.most_varying.free;
        return bytes_of<Angle<T>>(w) + bytes_of<Pose<T>>(tree.most_varying.bodies) +
               bytes_of<Motion<T>>(w) + bytes_of<T>(w * free) + bytes_of<T>(rows * w) +
               bytes_of<T>(rows * free) + bytes_of<T>(rows) + 2 * bytes_of<T>(free) +
               2 * bytes_of<T>(tree.most_slopes);
    }
};

// E: own and dependent joints are themselves, followers follow
template <class T>
void free_motions(const Tree& tree, const Cluster& cluster, const Base<T>* table, const T* x,
                  ClosureWork<T>& work);

// poses and motions of the members, seen from the cluster's parent
template <class T>
void place_members(const Tree& tree, const Cluster& cluster, const T* x, ClosureWork<T>& work);

// put(row, w, rate): the rows of Φ, where a loop depends on a joint
template <class T, class Put>
TARSUS_INLINE void loop_rates(const Tree& tree, const Cluster& cluster, ClosureWork<T>& work,
                              Put&& put) {
    const Pose<T> fixed{identity_matrix<T>(), zero_vector<T>()};
    const auto pose_of = [&](int body) -> const Pose<T>& {
        return body == cluster.parent ? fixed : work.pose[body - cluster.body];
    };
    LoopAt<T> at;
    for (int l = 0; l < cluster.n_loops; ++l) {
        const Loop& loop = tree.loops[tree.cluster_loops[cluster.loop + l]];
        const int first = loop.first_row;
        loop_at(tree, loop, pose_of(loop.a.body), pose_of(loop.b.body), at);
        const LoopRow* row = &tree.rows[loop.row];
        for (int r = 0; r < loop.n_rows; ++r) {
            work.residual[first + r] = row[r].kept ? at.residual[r] : T(0.0);
        }
        const auto along = [&](int body, double sign) {
            for (; body != cluster.parent; body = tree.links[body].parent) {
                const Link& link = tree.links[body];
                for (int w = link.v - cluster.w; w < link.v - cluster.w + link.nv; ++w) {
                    for (int r = 0; r < loop.n_rows; ++r) {
                        if (!row[r].kept) continue;
                        const T rate =
                            row_rate(at.row[r], at.point, pose_of(body).position, work.S[w]);
                        put(first + r, w, rate * T(sign));
                    }
                }
            }
        };
        along(loop.b.body, 1.0);
        along(loop.a.body, -1.0);
    }
}

// Φ and A = Φ E at the positions x
template <class T>
void loop_matrices(const Tree& tree, const Cluster& cluster, const T* x, ClosureWork<T>& work);

template <class T>
TARSUS_INLINE Reflections<T> dependents(const Cluster& cluster, const ClosureWork<T>& work) {
    return {work.A,     cluster.n_rows,      cluster.nv + cluster.n_dependent,
            cluster.nv, cluster.n_dependent, work.diagonal,
            work.scale};
}

// G (nw × nv), after close_cluster or, at positions that are closed, after the two calls below
template <class T>
TARSUS_INLINE void solve_matrix(const Cluster& cluster, ClosureWork<T>& work, T* G) {
    const int nv = cluster.nv, free = nv + cluster.n_dependent;
    if (cluster.n_loops > 0) {
        for (int e = 0; e < nv; ++e) solve(dependents(cluster, work), work.A + e, free);
    }
    for (int w = 0; w < cluster.nw; ++w) {
        for (int e = 0; e < nv; ++e) {
            T sum = work.E[w * free + e];
            for (int d = 0; d < cluster.n_dependent; ++d) {
                sum = neg_mul_add(work.E[w * free + nv + d], work.A[d * free + e], sum);
            }
            G[w * nv + e] = sum;
        }
    }
}

template <class T>
TARSUS_INLINE void matrix_at_closed(const Tree& tree, const Cluster& cluster, const Base<T>* table,
                                    const T* x, ClosureWork<T>& work, T* G) {
    free_motions(tree, cluster, table, x, work);
    if (cluster.n_loops > 0) {
        loop_matrices(tree, cluster, x, work);
        factor(dependents(cluster, work));
    }
    solve_matrix(cluster, work, G);
}

// g = Ġ v, for velocities w of the joints; `work` still holds E, Φ and factors from G.
// moving is room for all positions as dual numbers.
template <class T>
void cluster_bias(const Tree& tree, const Cluster& cluster, const Base<T>* table, const T* x,
                  const T* w, ClosureWork<T>& work, ClosureWork<Dual<T>>& dual, Dual<T>* moving,
                  T* g);

}  // namespace tarsus::TARSUS_ISA
