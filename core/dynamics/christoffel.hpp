// Christoffel symbols by composite bodies (Echeandia 2020, algorithm 5), over clusters.
//
// Γ_abc = C_ab for the unit velocity c. Let k be the outermost of three related velocities, j the
// middle and i the innermost one, s their motions, and B_k = B(s_k, I) with all that k carries:
//
//   Γ_ijk = Γ_ikj = s_i·B_k s_j,   Γ_jik = Γ_jki = s_i·B_kᵀ s_j,   Γ_kij = Γ_kji = −Γ_jik
//
// The last holds because no inertia changes where the whole branch is turned as one. Velocities of
// one cluster do not commute: there the rates of its motions, the bends, enter (cluster_bends.hpp).
#pragma once

#include "dynamics/cluster_bends.hpp"
#include "spatial/factorisation.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ChristoffelWork {
    MovingTree<T> moving;
    ClusterBends<T> bends;
    const Inertia<T>* composite;  // of a body with all that hangs on it outside its cluster
    T* sums;                      // room for a number for each velocity of a cluster
};

template <class T>
TARSUS_INLINE ChristoffelWork<T> prepare_christoffel(const Tree& tree,
                                                     const Arguments<T>& arguments) {
    Scratch& scratch = arguments.scratch;
    const MovingTree<T> moving = move<T>(tree, arguments, nullptr);
    const ClusterBends<T> bends =
        bend_clusters<T>(tree, arguments.in[kTable], moving, {nullptr, nullptr}, scratch);
    Inertia<T>* composite = scratch.take<Inertia<T>>(tree.n_bodies);
    for (int i = 0; i < tree.n_bodies; ++i) {
        composite[i] = inertia_about_point(moving.body[i + 1], tree.links[i]);
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const int next = tree.steps[i].next;
        if (next >= 0) composite[next] = composite[next] + composite[i];
    }
    return {moving, bends, composite, scratch.take<T>(most_velocities(tree))};
}

// three velocities of one cluster: Γ_abc for all a, b, c of it
template <class T, class Store>
TARSUS_INLINE void within_cluster(const Tree& tree, const Cluster& cluster,
                                  const ChristoffelWork<T>& work, Store& store) {
    const MovingTree<T>& moving = work.moving;
    const int nv = cluster.nv, first = cluster.body, last = first + cluster.n_bodies;
    if (!bends(tree.steps[first])) {
        if (nv == 1) store(cluster.v, cluster.v, cluster.v, T(0.0));
        return;
    }
    for (int b = 0; b < nv; ++b) {
        for (int c = 0; c < nv; ++c) {
            for (int a = 0; a < nv; ++a) work.sums[a] = T(0.0);
            for (int i = first; i < last; ++i) {
                const Step& step = tree.steps[i];
                const Motion<T>* S = moving.S + step.column;
                const Inertia<T>& I = work.composite[i];
                const Force<T> F =
                    I * bend_of(step, moving, work.bends, b, c) + Christoffel::force(S[c], I, S[b]);
                for (int a = 0; a < nv; ++a) work.sums[a] += dot(S[a], F);
            }
            for (int w = 0; cluster.coupled && w < cluster.nw; ++w) {
                const int rates = cluster.matrix_rates + (c * cluster.nw + w) * nv;
                const T rate = work.bends.matrix[rates + b] * T(tree.armature[cluster.w + w]);
                const T* lever = moving.joints.G + cluster.matrix + w * nv;
                for (int a = 0; a < nv; ++a) work.sums[a] = mul_add(lever[a], rate, work.sums[a]);
            }
            for (int a = 0; a < nv; ++a) {
                store(cluster.v + a, cluster.v + b, cluster.v + c, work.sums[a]);
            }
        }
    }
}

// two velocities b, c of a cluster, and one of all that carry it
template <class T, class Store>
TARSUS_INLINE void pairs_of_cluster(const Tree& tree, const Cluster& cluster,
                                    const ChristoffelWork<T>& work, Store& store) {
    const MovingTree<T>& moving = work.moving;
    const bool bent = bends(tree.steps[cluster.body]);
    for (int b = 0; b < cluster.nv; ++b) {
        for (int c = 0; c < cluster.nv; ++c) {
            Force<T> F{zero_vector<T>(), zero_vector<T>()};
            Couple<T> M{zero_vector<T>()};
            for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
                const Step& step = tree.steps[i];
                const Motion<T>* S = moving.S + step.column;
                const Inertia<T>& I = work.composite[i];
                const ChristoffelMatrix<T> B = Christoffel::matrix(S[c], I);
                F = F + B * S[b];
                if (bent) F = F + I * bend_of(step, moving, work.bends, b, c);
                M = M + B.transposed_times(S[b]);
            }
            const int vb = cluster.v + b, vc = cluster.v + c;
            for (int body = cluster.parent; body >= 0; body = tree.steps[body].next) {
                const Step& step = tree.steps[body];
                for (int i = 0; i < step.nv; ++i) {
                    const Motion<T>& s = moving.S[step.column + i];
                    store(step.v + i, vb, vc, dot(s, F));
                    const T moment = dot(s, M);
                    store(vb, step.v + i, vc, moment);
                    store(vb, vc, step.v + i, moment);
                }
            }
        }
    }
}

// All that carries a cluster, from the root: for one state with the motions of several velocities
// in the lanes of a vector.
template <class T>
struct Path {
    int count;               // velocities
    int *velocity, *column;  // of each
    int* own;                // where the velocities of its cluster start
    int* body;               // whose column it is
    Lanes (*motion)[6];      // one state's, in groups of kLanes

    static size_t bytes(const Tree& tree) {
        const size_t groups = tree.nv / kLanes + 1;
        return 4 * bytes_of<int>(tree.nv) + bytes_of<Lanes>(6 * groups);
    }
    Path(const Tree& tree, Scratch& scratch)
        : count(0),
          velocity(scratch.take<int>(tree.nv)),
          column(scratch.take<int>(tree.nv)),
          own(scratch.take<int>(tree.nv)),
          body(scratch.take<int>(tree.nv)),
          motion(reinterpret_cast<Lanes (*)[6]>(
              scratch.take<Lanes>(6 * (size_t(tree.nv) / kLanes + 1)))) {}

    void follow(const Tree& tree, const Motion<T>* S, int carrier) {
        count = 0;
        for (int b = carrier; b >= 0; b = tree.steps[b].next) count += tree.steps[b].nv;
        int at = count;
        for (int b = carrier; b >= 0; b = tree.steps[b].next) {
            const Step& step = tree.steps[b];
            at -= step.nv;
            for (int k = 0; k < step.nv; ++k) {
                velocity[at + k] = step.v + k, column[at + k] = step.column + k;
                own[at + k] = at, body[at + k] = b;
            }
        }
        if constexpr (std::is_same_v<T, double>) {
            for (int p = 0; p < count; ++p) {
                const Motion<T>& s = S[column[p]];
                const double parts[6] = {s.linear.x,  s.linear.y,  s.linear.z,
                                         s.angular.x, s.angular.y, s.angular.z};
                for (int r = 0; r < 6; ++r) motion[p / kLanes][r].v[p % kLanes] = parts[r];
            }
        }
    }
    Motion<Lanes> group(int g) const {
        const Lanes* m = motion[g];
        return {{m[0], m[1], m[2]}, {m[3], m[4], m[5]}};
    }
};

template <class T>
TARSUS_INLINE size_t christoffel_bytes(const Tree& tree) {
    return moving_tree_bytes<T>(tree) + bend_bytes<T>(tree, false) +
           bytes_of<Inertia<T>>(tree.n_bodies) + bytes_of<T>(most_velocities(tree)) +
           Path<T>::bytes(tree);
}

template <class T>
TARSUS_INLINE Vec3<Lanes> in_lanes(const Vec3<T>& a) {
    return {Lanes(a.x), Lanes(a.y), Lanes(a.z)};
}

// triple(i, s_i·F1, s_i·F2) for the first `count` velocities of the path
template <class T, class Triple>
TARSUS_INLINE void project_triples(const Path<T>& path, int count, const Motion<T>* S,
                                   const Force<T>& F1, const Couple<T>& F2, Triple&& triple) {
    if constexpr (std::is_same_v<T, double>) {
        const Force<Lanes> wide1{in_lanes(F1.linear), in_lanes(F1.angular)};
        const Couple<Lanes> wide2{in_lanes(F2.moment)};
        for (int p = 0; p < count; p += kLanes) {
            const Motion<Lanes> s = path.group(p / kLanes);
            const Lanes a = dot(s, wide1), b = dot(s, wide2);
            const int lanes = count - p < kLanes ? count - p : kLanes;
            for (int l = 0; l < lanes; ++l) triple(path.velocity[p + l], a[l], b[l]);
        }
    } else {
        for (int p = 0; p < count; ++p) {
            const Motion<T>& s = S[path.column[p]];
            triple(path.velocity[p], dot(s, F1), dot(s, F2));
        }
    }
}

// one velocity k of a cluster, and two of all that carry it
template <class T, class Store>
TARSUS_INLINE void triples_of(const Tree& tree, const ChristoffelWork<T>& work, const Path<T>& path,
                              int k, const ChristoffelMatrix<T>& B, const Force<T>& F,
                              Store& store) {
    const Motion<T>* S = work.moving.S;
    for (int p = 0; p < path.count; ++p) {
        const int j = path.velocity[p], own = path.own[p];
        const Step& step = tree.steps[path.body[p]];
        const Force<T> F1 = B * S[path.column[p]];
        const Couple<T> F2 = B.transposed_times(S[path.column[p]]);
        project_triples(path, own, S, F1, F2, store.triples(j, k));
        // both in one cluster: the bends of its body enter
        for (int l = 0; l < step.nv; ++l) {
            const int i = path.velocity[own + l];
            const Motion<T>& s = S[path.column[own + l]];
            const T a = dot(s, F1);
            T b = dot(s, F2);
            if (bends(step)) {
                b = b - dot(bend_of(step, work.moving, work.bends, l, p - own), F);
            }
            store(i, j, k, a), store(i, k, j, a), store(k, i, j, -b);
        }
    }
}

// store(i, j, k, Γ_ijk) receives every triple of related velocities once, but for those of three
// clusters: store.triples(j, k) makes a function of i, Γ_ijk and Γ_jik that stores all six
template <class T, class Store>
TARSUS_INLINE void christoffel(const Tree& tree, const ChristoffelWork<T>& work, Scratch& scratch,
                               Store&& store) {
    Path<T> path(tree, scratch);
    for (const Cluster& cluster : tree.clusters) {
        within_cluster(tree, cluster, work, store);
        if (cluster.parent < 0 || cluster.nv == 0) continue;
        pairs_of_cluster(tree, cluster, work, store);
        path.follow(tree, work.moving.S, cluster.parent);
        for (int k = 0; k < cluster.nv; ++k) {
            const int last = cluster.body + cluster.n_bodies;
            const Motion<T>& S = work.moving.S[tree.steps[cluster.body].column + k];
            ChristoffelMatrix<T> B = Christoffel::matrix(S, work.composite[cluster.body]);
            Force<T> F = work.composite[cluster.body] * S;
            for (int i = cluster.body + 1; i < last; ++i) {
                const Motion<T>& more = work.moving.S[tree.steps[i].column + k];
                B = B + Christoffel::matrix(more, work.composite[i]);
                F = F + work.composite[i] * more;
            }
            triples_of(tree, work, path, cluster.v + k, B, F, store);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
