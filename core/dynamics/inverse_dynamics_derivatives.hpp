// Derivatives of inverse dynamics by composite bodies, over clusters: ∂τ/∂q, ∂τ/∂v and ∂τ/∂a = H.
//
// A step along g changes the force of a composite body by S_g ×* F + 2 B Ψ̇_g + I Ψ̈_g. Whatever
// carries g feels all of it; what g carries is displaced as a whole and feels only the last two.
#pragma once

#include "dynamics/motion_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct VelocityForces {
    Force<T> momentum;     // I S
    Couple<T> gyroscopic;  // 2 Bᵀ S
    Force<T> by_q, by_v;   // how the composite force changes with a step, and with the velocity
};

template <class T>
TARSUS_INLINE VelocityForces<T> operator+(const VelocityForces<T>& a, const VelocityForces<T>& b) {
    return {a.momentum + b.momentum, a.gyroscopic + b.gyroscopic, a.by_q + b.by_q, a.by_v + b.by_v};
}

template <class T>
TARSUS_INLINE Motion<T> twice(const Motion<T>& m) {
    return {m.linear + m.linear, m.angular + m.angular};
}

// by_q still without S ×* F
template <class T>
TARSUS_INLINE VelocityForces<T> velocity_forces(const MotionDerivatives<T>& d, int body,
                                                int column) {
    const DerivativeBody<T>& me = d.body[body + 1];
    const Motion<T> S = d.moving.S[column], S2 = twice(S);
    return {me.I * S, me.B.transposed_times(S2),
            me.I * d.second[column] + me.B * twice(d.first[column]),
            me.I * d.mixed[column] + me.B * S2};
}

// store.pair(f, e, …) for velocities f that carry e: derivatives of τ_f by e, and of τ_e by f
template <class T, class Store>
TARSUS_INLINE void project_derivatives(const Tree& tree, const MotionDerivatives<T>& d, int e,
                                       int body, const VelocityForces<T>& F, Store& store) {
    while (body >= 0) {
        const Step& step = tree.steps[body];
        for (int f = 0; f < step.nv; ++f) {
            const int at = step.column + f;
            const Motion<T>& S = d.moving.S[at];
            store.q(step.v + f, e, dot(S, F.by_q));
            store.v(step.v + f, e, dot(S, F.by_v));
            store.q(e, step.v + f, dot(d.second[at], F.momentum) + dot(d.first[at], F.gyroscopic));
            store.v(e, step.v + f, dot(d.mixed[at], F.momentum) + dot(S, F.gyroscopic));
            store.a(step.v + f, e, dot(S, F.momentum));
        }
        body = step.next;
    }
}

// what armatures add to column g of a bent cluster's own block
template <class T>
TARSUS_INLINE void add_armatures(const Tree& tree, const Cluster& cluster,
                                 const MotionDerivatives<T>& d, int g) {
    const int nv = cluster.nv, at = tree.steps[cluster.body].bend + g * nv;
    for (int e = 0; e < nv; ++e) {
        d.by_q[e] = d.bends.armature_q[at + e];
        d.by_v[e] = d.bends.armature_v[at + e];
        d.by_a[e] = T(cluster.coupled || e != g ? 0.0 : tree.armature[cluster.w + g]);
        for (int w = 0; cluster.coupled && w < cluster.nw; ++w) {
            const T* row = d.moving.joints.G + cluster.matrix + w * nv;
            d.by_a[e] = mul_add(row[e] * row[g], T(tree.armature[cluster.w + w]), d.by_a[e]);
        }
    }
}

// a cluster whose bodies have bends: its own block, and what it has with all that carries it
template <class T, class Store>
TARSUS_APART void bent_derivatives(const Tree& tree, const Cluster& cluster,
                                   const MotionDerivatives<T>& d, Store& store) {
    const int nv = cluster.nv;
    for (int g = 0; g < nv; ++g) {
        add_armatures(tree, cluster, d, g);
        VelocityForces<T> sum{};
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const Step& step = tree.steps[i];
            const Motion<T>* S = d.moving.S + step.column;
            const Force<T>& force = d.body[i + 1].F;
            VelocityForces<T> F = velocity_forces(d, i, step.column + g);
            F.by_q = F.by_q + cross(S[g], force);
            sum = sum + F;
            for (int e = 0; e < nv; ++e) {
                const Motion<T> bend = bend_of(step, d.moving, d.bends, e, g);
                d.by_q[e] += dot(S[e], F.by_q) + dot(bend, force);
                d.by_v[e] += dot(S[e], F.by_v);
                d.by_a[e] += dot(S[e], F.momentum);
            }
        }
        for (int e = 0; e < nv; ++e) {
            store.q(cluster.v + e, cluster.v + g, d.by_q[e]);
            store.v(cluster.v + e, cluster.v + g, d.by_v[e]);
            if (e <= g) store.a(cluster.v + e, cluster.v + g, d.by_a[e]);
        }
        project_derivatives(tree, d, cluster.v + g, cluster.parent, sum, store);
    }
}

// store.q, .v, .a (row, column, x) receive the related entries; a only where row ≤ column
template <class T, class Store>
TARSUS_INLINE void inverse_dynamics_derivatives(const Tree& tree, const MotionDerivatives<T>& d,
                                                Store&& store) {
    for (const Cluster& cluster : tree.clusters) {
        if (tree.steps[cluster.body].bend >= 0) {
            bent_derivatives(tree, cluster, d, store);
            continue;
        }
        // the columns of a constant subspace turn with the body: no force of its own enters
        const Motion<T>* S = d.moving.S + cluster.w;
        for (int g = 0; g < cluster.nv; ++g) {
            VelocityForces<T> F = velocity_forces(d, cluster.body, cluster.w + g);
            for (int e = 0; e < cluster.nv; ++e) {
                store.q(cluster.v + e, cluster.v + g, dot(S[e], F.by_q));
                store.v(cluster.v + e, cluster.v + g, dot(S[e], F.by_v));
                if (e > g) continue;
                const T H = dot(S[e], F.momentum);
                const T armature(e == g ? tree.armature[cluster.w + g] : 0.0);
                store.a(cluster.v + e, cluster.v + g, H + armature);
            }
            F.by_q = F.by_q + cross(S[g], d.body[cluster.body + 1].F);
            project_derivatives(tree, d, cluster.v + g, cluster.parent, F, store);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
