// The Coriolis matrix by composite bodies (Echeandia 2020, algorithm 4; Echeandia & Wensing 2021),
// over clusters:
//
//   C = Σ_b J_bᵀ (I_b J̇_b + B(v_b, I_b) J_b)
//
// The sums over all that a body carries are made once, inwards. Then for each velocity e the
// forces F₁ = I Ṡ_e + B S_e, F₂ = I S_e and F₃ = Bᵀ S_e are projected on all that carries it:
// C_fe = S_f·F₁ and C_ef = Ṡ_f·F₂ + S_f·F₃.
#pragma once

#include "dynamics/moving_tree.hpp"
#include "spatial/factorisation.hpp"

namespace tarsus::TARSUS_ISA {

template <class T, class Factorisation>
struct CoriolisBody {
    Inertia<T> I;
    typename Factorisation::template Matrix<T> B;
};

template <class T, class Factorisation>
struct CoriolisForces {
    Force<T> F1, F2;
    typename Factorisation::template Transposed<T> F3;
};

template <class Factorisation, class T>
TARSUS_INLINE size_t coriolis_bytes(const Tree& tree) {
    return bytes_of<CoriolisBody<T, Factorisation>>(tree.n_bodies) +
           2 * bytes_of<T>(tree.most.free);
}

// inertia and factor of each body together with all that hangs on it outside its cluster
template <class Factorisation, class T>
TARSUS_INLINE CoriolisBody<T, Factorisation>* compose_factors(const Tree& tree,
                                                              const MovingTree<T>& moving,
                                                              Scratch& scratch) {
    auto* composite = scratch.take<CoriolisBody<T, Factorisation>>(tree.n_bodies);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const MovingBody<T>& body = moving.body[i + 1];
        composite[i].I = inertia_about_point(body, tree.links[i]);
        composite[i].B = Factorisation::matrix(body.v, composite[i].I);
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const int next = tree.steps[i].next;
        if (next < 0) continue;
        composite[next].I = composite[next].I + composite[i].I;
        composite[next].B = composite[next].B + composite[i].B;
    }
    return composite;
}

template <class T, class Factorisation>
TARSUS_INLINE CoriolisForces<T, Factorisation> coriolis_forces(
    const CoriolisBody<T, Factorisation>& body, const Motion<T>& S, const Motion<T>& dS) {
    return {body.I * dS + body.B * S, body.I * S, body.B.transposed_times(S)};
}

// projects the forces of velocity e on all that carries `body`, itself included
template <class T, class Factorisation, class Store>
TARSUS_INLINE void project_coriolis(const Tree& tree, const MovingTree<T>& moving, int e, int body,
                                    const CoriolisForces<T, Factorisation>& F, Store& store) {
    while (body >= 0) {
        const Step& step = tree.steps[body];
        for (int f = 0; f < step.nv; ++f) {
            const Motion<T>&S = moving.S[step.column + f], &dS = moving.dS[step.column + f];
            store(step.v + f, e, dot(S, F.F1), dot(dS, F.F2) + dot(S, F.F3));
        }
        body = step.next;
    }
}

// the block of a coupled cluster, and what it has with all that carries it; column and row are room
// for a number for each of its velocities
template <class T, class Factorisation, class Store>
TARSUS_APART void coupled_coriolis(const Tree& tree, const Cluster& cluster,
                                   const MovingTree<T>& moving,
                                   const CoriolisBody<T, Factorisation>* composite, T* column,
                                   T* row, Store& store) {
    const int nv = cluster.nv;
    for (int e = 0; e < nv; ++e) {
        for (int f = 0; f <= e; ++f) column[f] = row[f] = T(0.0);
        CoriolisForces<T, Factorisation> sum{};
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const int at = tree.steps[i].column;
            const Motion<T>*S = moving.S + at, *dS = moving.dS + at;
            const auto F = coriolis_forces(composite[i], S[e], dS[e]);
            sum = {sum.F1 + F.F1, sum.F2 + F.F2, sum.F3 + F.F3};
            for (int f = 0; f <= e; ++f) {
                column[f] += dot(S[f], F.F1);
                row[f] += dot(dS[f], F.F2) + dot(S[f], F.F3);
            }
        }
        for (int w = 0; w < cluster.nw; ++w) {
            const Dual<T>* G = moving.matrix + cluster.matrix + w * nv;
            const T armature(tree.armature[cluster.w + w]);
            const T force = G[e].rate * armature, momentum = G[e].value * armature;
            for (int f = 0; f <= e; ++f) {
                column[f] = mul_add(G[f].value, force, column[f]);
                row[f] = mul_add(G[f].rate, momentum, row[f]);
            }
        }
        for (int f = 0; f <= e; ++f) store(cluster.v + f, cluster.v + e, column[f], row[f]);
        project_coriolis(tree, moving, cluster.v + e, cluster.parent, sum, store);
    }
}

// store(f, e, C_fe, C_ef) receives each pair of related velocities once, f before or equal to e
template <class Factorisation, class T, class Store>
TARSUS_INLINE void coriolis(const Tree& tree, const MovingTree<T>& moving, Scratch& scratch,
                            Store&& store) {
    const auto* composite = compose_factors<Factorisation>(tree, moving, scratch);
    T *column = scratch.take<T>(tree.most.free), *row = scratch.take<T>(tree.most.free);
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.coupled) {
            coupled_coriolis(tree, cluster, moving, composite, column, row, store);
            continue;
        }
        const Motion<T>*S = moving.S + cluster.w, *dS = moving.dS + cluster.w;
        const auto& body = composite[cluster.body];
        for (int e = 0; e < cluster.nv; ++e) {
            const auto F = coriolis_forces(body, S[e], dS[e]);
            for (int f = 0; f <= e; ++f) {
                store(cluster.v + f, cluster.v + e, dot(S[f], F.F1),
                      dot(dS[f], F.F2) + dot(S[f], F.F3));
            }
            project_coriolis(tree, moving, cluster.v + e, cluster.parent, F, store);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
