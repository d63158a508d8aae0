// The composite-rigid-body algorithm (Walker & Orin 1982; Featherstone 2008, table 6.2) in world
// axes: the force that moves a composite body is walked down its branch and projected there.
//
// In a coupled cluster the forces of its joints are first brought to the cluster's parent and
// summed for each of the cluster's own velocities.
#pragma once

#include "dynamics/composite.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t mass_matrix_bytes(const Tree& tree) {
    const size_t w = tree.most.w;
    return spanning_bytes<T>(tree) + aligned_bytes<T>(tree) + bytes_of<Force<T>>(w) +
           bytes_of<T>(w * w) + 2 * bytes_of<T>(w);
}

template <class T>
struct ClusterForces {
    Force<T>* F;  // for each joint velocity, at the cluster's parent
    T* H;         // nw × nw, lower triangle by rows
    T *row, *projected;
};

// F as felt at the origin of the parent
template <class T>
TARSUS_INLINE void walk_down(const AlignedTree<T>& world, int body, Force<T>& F) {
    F.angular = cross_add(world.body[body + 1].r, F.linear, F.angular);
}

// projects a force at the origin of `body` on the coupled cluster that the body is in; returns the
// cluster's parent, where F is brought to
template <class T, class Store>
TARSUS_APART int project_on_cluster(const Tree& tree, const AlignedTree<T>& world, const T* G,
                                    T* projected, int row, int body, Force<T>& F, Store& store) {
    const Cluster& cluster = tree.clusters[tree.cluster_of[body]];
    for (int w = 0; w < cluster.nw; ++w) projected[w] = T(0.0);
    for (; body != cluster.parent; body = tree.links[body].parent) {
        const Link& member = tree.links[body];
        for (int w = member.v; w < member.v + member.nv; ++w) {
            projected[w - cluster.w] = dot(world.S[w], F);
        }
        walk_down(world, body, F);
    }
    for (int e = 0; e < cluster.nv; ++e) {
        T sum(0.0);
        for (int w = 0; w < cluster.nw; ++w) {
            sum = mul_add(G[cluster.matrix + w * cluster.nv + e], projected[w], sum);
        }
        store(row, cluster.v + e, sum);
    }
    return body;
}

// projects a force at the origin of `body` on it and on all that carries it
template <class T, class Store>
TARSUS_INLINE void project_down(const Tree& tree, const AlignedTree<T>& world, const T* G,
                                T* projected, int row, int body, Force<T> F, Store& store) {
    while (body >= 0) {
        const Link& link = tree.links[body];
        if (link.own >= 0) [[likely]] {
            for (int l = 0; l < link.nv; ++l) store(row, link.own + l, dot(world.S[link.v + l], F));
            walk_down(world, body, F);
            body = link.parent;
        } else {
            Force<T> felt = F;  // a copy, so that F itself may stay in registers
            body = project_on_cluster(tree, world, G, projected, row, body, felt, store);
            F = felt;
        }
    }
}

// forces and mass matrix of a coupled cluster's joints
template <class T>
TARSUS_INLINE void cluster_forces(const Tree& tree, const AlignedTree<T>& world,
                                  const Cluster& cluster, ClusterForces<T>& at) {
    const int nw = cluster.nw;
    for (int k = 0; k < nw * nw; ++k) at.H[k] = T(0.0);
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        for (int k = link.v; k < link.v + link.nv; ++k) {
            Force<T> F = world.body[i + 1].composite * world.S[k];
            T* row = at.H + (k - cluster.w) * nw;
            for (int j = i; j != cluster.parent; j = tree.links[j].parent) {
                const Link& member = tree.links[j];
                const int end = j == i ? k + 1 : member.v + member.nv;
                for (int l = member.v; l < end; ++l) row[l - cluster.w] = dot(world.S[l], F);
                walk_down(world, j, F);
            }
            row[k - cluster.w] += T(tree.armature[k]);
            at.F[k - cluster.w] = F;
        }
    }
}

// the rows of a coupled cluster's own velocities
template <class T, class Store>
TARSUS_APART void coupled_rows(const Tree& tree, const AlignedTree<T>& world,
                               const Cluster& cluster, const T* all, ClusterForces<T>& at,
                               Store& store) {
    cluster_forces(tree, world, cluster, at);
    const T* G = all + cluster.matrix;
    const int nw = cluster.nw, nv = cluster.nv;
    for (int e = 0; e < nv; ++e) {
        Force<T> F{zero_vector<T>(), zero_vector<T>()};
        for (int w = 0; w < nw; ++w) {
            const T& ratio = G[w * nv + e];
            F = {mul_add(at.F[w].linear, ratio, F.linear),
                 mul_add(at.F[w].angular, ratio, F.angular)};
            T sum(0.0);
            for (int l = 0; l < nw; ++l) {
                const T& entry = l <= w ? at.H[w * nw + l] : at.H[l * nw + w];
                sum = mul_add(entry, G[l * nv + e], sum);
            }
            at.row[w] = sum;
        }
        for (int f = 0; f <= e; ++f) {
            T sum(0.0);
            for (int w = 0; w < nw; ++w) sum = mul_add(G[w * nv + f], at.row[w], sum);
            store(cluster.v + e, cluster.v + f, sum);
        }
        project_down(tree, world, all, at.projected, cluster.v + e, cluster.parent, F, store);
    }
}

// store(row, column, value) receives the lower triangle, where the two coordinates are related
template <class T, class Store>
TARSUS_INLINE void mass_matrix(const Tree& tree, const JointState<T>& joints, Scratch& scratch,
                               Store&& store) {
    const AlignedTree<T> world = align(tree, joints.q, scratch);
    const size_t most = tree.most.w;
    ClusterForces<T> at{scratch.take<Force<T>>(most), scratch.take<T>(most * most),
                        scratch.take<T>(most), scratch.take<T>(most)};
    compose_inertias(tree, world);
    for (const Cluster& cluster : tree.clusters) {
        if (!cluster.coupled) {
            const int j = cluster.body;
            for (int k = 0; k < cluster.nv; ++k) {
                const Motion<T>* S = world.S + cluster.w;
                Force<T> F = world.body[j + 1].composite * S[k];
                const int row = cluster.v + k;
                for (int l = 0; l < k; ++l) store(row, cluster.v + l, dot(S[l], F));
                store(row, row, dot(S[k], F) + T(tree.armature[cluster.w + k]));
                walk_down(world, j, F);
                project_down(tree, world, joints.G, at.projected, row, cluster.parent, F, store);
            }
            continue;
        }
        coupled_rows(tree, world, cluster, joints.G, at, store);
    }
}

}  // namespace tarsus::TARSUS_ISA
