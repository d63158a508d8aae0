// The inward pass for clusters of several bodies.
#include <algorithm>

#include "dynamics/articulated_cluster.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
template <bool hybrid>
TARSUS_FLATTEN void ArticulatedCluster<T>::members(const Cluster& cluster, const T* tau) {
    const int nw = cluster.nw, nv = cluster.nv;
    for (int k = 0; k < nw * nw; ++k) H_[k] = T(0.0);
    for (int k = cluster.spin; k < cluster.spin + cluster.n_spins; ++k) rotor(cluster, k);
    for (int i = cluster.body + cluster.n_bodies - 1; i >= cluster.body; --i) {
        if (!tree_.links[i].spinning) member(cluster, i);
    }
    const T* G = joints_.G + cluster.matrix;
    ArticulatedDof<T>* dof = dof_ + cluster.w;
    for (int e = 0; e < nv; ++e) {
        Force<T> U{zero_vector<T>(), zero_vector<T>()};
        T bias(0.0);
        for (int w = 0; w < nw; ++w) {
            const T& ratio = G[w * nv + e];
            U = add_scaled(F_[w], ratio, U);
            bias = mul_add(bias_[w], ratio, bias);
            T sum(0.0);
            for (int l = 0; l < nw; ++l) {
                const T& entry = l <= w ? H_[w * nw + l] : H_[l * nw + w];
                sum = mul_add(entry, G[l * nv + e], sum);
            }
            row_[w] = sum;
        }
        for (int f = 0; f <= e; ++f) {
            T sum(0.0);
            for (int w = 0; w < nw; ++w) sum = mul_add(G[w * nv + f], row_[w], sum);
            D_[e * nv + f] = sum;
        }
        dof[e].U = U, dof[e].u = tau[cluster.v + e] - bias;
    }
    T* inverse = inverse_ + cluster.inverse;
    if constexpr (hybrid) {
        std::copy_n(D_, nv * nv, kept_ + cluster.inverse);
        invert_free(nv, loads_.held + cluster.v, D_, inverse);
    } else {
        invert_symmetric(nv, D_, inverse);
    }
    if (cluster.parent < 0) return;
    ArticulatedBody<T>& parent = body_[cluster.parent + 1];
    for (int e = 0; e < nv; ++e) {
        Force<T> W{zero_vector<T>(), zero_vector<T>()};
        for (int f = 0; f < nv; ++f) W = add_scaled(dof[f].U, inverse[e * nv + f], W);
        parent.I = minus_outer(parent.I, dof[e].U, W);
        parent.p = add_scaled(W, dof[e].u, parent.p);
    }
}

template <class T>
TARSUS_INLINE void ArticulatedCluster<T>::rotor(const Cluster& cluster, int k) {
    const Spin& spin = tree_.spins[k];
    const int w = spin.w - cluster.w;
    push_carrier(spin);
    H_[w * cluster.nw + w] = loads_.spin_inertia(spin) + loads_.armature(tree_, spin.w);
    bias_[w] = spin_bias(spin);
    const Vec3<T> moment = vector_at(spin.axis) * loads_.spin_inertia(spin);
    walk(cluster, w, spin.parent, {zero_vector<T>(), moment});
}

// A function of its own, as `step`: inlined into each other, the joint kinds of both would multiply
// to 17 × 17 cases.
template <class T>
TARSUS_APART void ArticulatedCluster<T>::member(const Cluster& cluster, int i) {
    const Link& link = tree_.links[i];
    ArticulatedBody<T>& me = body_[i + 1];
    const Articulated<T> I = whole_inertia(tree_, i, me, loads_);
    const Force<T> p = me.p + I * me.c;
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        constexpr int n = Joint::nv;
        const At<T> at = state_at(link, joints_.q, angles_);
        const auto S = Joint::subspace(at);
        const auto X = Joint::transform(at);
        Force<T> U[n];
        S.times(I, U);
        S.project(p, bias_ + (link.v - cluster.w));
        for (int k = 0; k < n; ++k) {
            const int w = link.v - cluster.w + k;
            T row[n];
            S.project(U[k], row);
            for (int l = 0; l <= k; ++l) H_[w * cluster.nw + w - k + l] = row[l];
            const T armature(tree_.armature[link.v + k]);
            H_[w * cluster.nw + w] += loads_.armature(tree_, link.v + k);
            bias_[w] = mul_add(armature, joints_.a[link.v + k], bias_[w]);
            walk(cluster, w, link.parent, X.to_parent(U[k]));
        }
        hand_down(link, X, I, p, body_);
    });
}

// a force that belongs to joint velocity w, from body to body to the cluster's parent
template <class T>
TARSUS_INLINE void ArticulatedCluster<T>::walk(const Cluster& cluster, int w, int body,
                                               Force<T> F) {
    for (; body != cluster.parent; body = tree_.links[body].parent) step(cluster, w, body, F);
    F_[w] = F;
}
template <class T>
TARSUS_APART void ArticulatedCluster<T>::step(const Cluster& cluster, int w, int body,
                                              Force<T>& F) {
    const Link& link = tree_.links[body];
    bias_[w] += dot(body_[body + 1].c, F);
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        const At<T> at = state_at(link, joints_.q, angles_);
        T row[Joint::nv];
        Joint::subspace(at).project(F, row);
        for (int l = 0; l < Joint::nv; ++l) entry(cluster, w, link.v - cluster.w + l) = row[l];
        F = Joint::transform(at).to_parent(F);
    });
}
template <class T>
TARSUS_INLINE T& ArticulatedCluster<T>::entry(const Cluster& cluster, int w, int l) {
    return l <= w ? H_[w * cluster.nw + l] : H_[l * cluster.nw + w];
}

#define TARSUS_ARTICULATED_MEMBERS(T)                                              \
    template void ArticulatedCluster<T>::members<false>(const Cluster&, const T*); \
    template void ArticulatedCluster<T>::members<true>(const Cluster&, const T*);
TARSUS_ARTICULATED_MEMBERS(double)
TARSUS_ARTICULATED_MEMBERS(Lanes)

}  // namespace tarsus::TARSUS_ISA
