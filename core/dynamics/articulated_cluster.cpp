#include "dynamics/articulated_cluster.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void ArticulatedCluster<T>::spin(const T* external) {
    for (const Spin& spin : tree_.spins) {
        if (spin.parent < 0) continue;
        ArticulatedBody<T>& parent = body_[spin.parent + 1];
        const Vec3<T> momentum =
            vector_at(spin.axis) * (loads_.spin_inertia(spin) * joints_.v[spin.w]);
        parent.p.angular = cross_add(parent.v.angular, momentum, parent.p.angular);
    }
    for (size_t k = 0; loads_.mass_scale && k < tree_.rotors.size(); ++k) {
        const CarriedRotor& rotor = tree_.rotors[k];
        ArticulatedBody<T>& carrier = body_[rotor.carrier + 1];
        const Force<T> moved = cross(carrier.v, inertia_of(rotor.inertia) * carrier.v);
        carrier.p = carrier.p + moved * loads_.beyond_carrier(rotor);
    }
    external_ = external != nullptr;
    if (!external) return;
    for (const Spin& spin : tree_.spins) {
        const Force<T> wrench = wrench_in_core(tree_, spin.body, external);
        body_[spin.body + 1].p = wrench;
        if (spin.parent < 0) continue;
        const At<T> at = state_at(tree_.links[spin.body], joints_.q, angles_);
        Force<T>& p = body_[spin.parent + 1].p;
        p = p - Revolute::transform(at).to_parent(wrench);
    }
}

template <class T>
TARSUS_FLATTEN int ArticulatedCluster<T>::accelerations(int i, T* out) {
    const Cluster& cluster = tree_.clusters[tree_.cluster_of[i]];
    const Motion<T>& parent = body_[cluster.parent + 1].v;
    const int nv = cluster.nv, last = cluster.body + cluster.n_bodies - 1;
    if (cluster.geared) {
        const Link& link = tree_.links[cluster.moving];
        visit(link.kind, [&](auto joint) {
            if constexpr (decltype(joint)::nv == 1) {
                tarsus::TARSUS_ISA::accelerations(joint, cluster.moving,
                                                  state_at(link, joints_.q, angles_), body_,
                                                  dof_ + cluster.w, out + cluster.v);
            }
        });
        return last;
    }
    const ArticulatedDof<T>* dof = dof_ + cluster.w;
    const T* inverse = inverse_ + cluster.inverse;
    for (int e = 0; e < nv; ++e) row_[e] = dof[e].u - dot(parent, dof[e].U);
    for (int e = 0; e < nv; ++e) {
        T sum(0.0);
        for (int f = 0; f < nv; ++f) sum = mul_add(inverse[e * nv + f], row_[f], sum);
        out[cluster.v + e] = sum;
    }
    const T* G = joints_.G + cluster.matrix;
    for (int w = 0; w < cluster.nw; ++w) {
        T sum(0.0);
        for (int e = 0; e < nv; ++e) sum = mul_add(G[w * nv + e], out[cluster.v + e], sum);
        row_[w] = sum;
    }
    for (int j = cluster.body; j <= last; ++j) {
        const Link& link = tree_.links[j];
        if (link.spinning) continue;
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, joints_.q, angles_);
            const Motion<T> given =
                Joint::transform(at).to_child(body_[link.parent + 1].v) + body_[j + 1].c;
            body_[j + 1].v = Joint::subspace(at).add(given, row_ + (link.v - cluster.w));
        });
    }
    return last;
}

// What rotors add to their joint is known beforehand, unless ratios vary; and what dampers of all
// joints add that act at the end of a step.
template <class T>
TARSUS_INLINE T ArticulatedCluster<T>::geared_armature(const Cluster& cluster,
                                                       const GearConstants& constants) const {
    T sum(cluster.constant ? constants.armature : tree_.armature[tree_.links[cluster.moving].v]);
    for (int w = 0; loads_.diagonal && w < cluster.nw; ++w) {
        const T& ratio = joints_.G[cluster.matrix + w];
        sum = mul_add(ratio * ratio, loads_.diagonal[cluster.w + w], sum);
    }
    return sum;
}

// What factors of masses add to that: nothing where they are one, so that they leave no trace.
template <class T>
TARSUS_APART typename ArticulatedCluster<T>::GearedMasses ArticulatedCluster<T>::added_masses(
    const Cluster& cluster) const {
    GearedMasses sum{T(0.0), zero_vector<T>()};
    for (int k = cluster.spin; k < cluster.spin + cluster.n_spins; ++k) {
        const Spin& spin = tree_.spins[k];
        const T ratio = joints_.G[cluster.matrix + spin.w - cluster.w];
        const T more = T(spin.inertia) * (loads_.mass_scale[spin.body] - T(1.0));
        sum.armature = mul_add(ratio * ratio, more, sum.armature);
        sum.couple = mul_add(vector_at(spin.axis), ratio * more, sum.couple);
    }
    return sum;
}

// A joint with rotors on its own parent: they add inertia about the joint, and a moment that
// couples it with the parent's turning.
template <class T>
template <bool hybrid>
TARSUS_FLATTEN void ArticulatedCluster<T>::gear(const Cluster& cluster, const T* tau) {
    const int i = cluster.moving;
    const Link& link = tree_.links[i];
    const GearConstants& constants = tree_.gears[tree_.cluster_of[i]];
    T armature = geared_armature(cluster, constants), torque = tau[cluster.v];
    const bool known = cluster.constant;
    Vec3<T> couple = known ? constant_vector<T>(constants.couple) : zero_vector<T>();
    for (int k = cluster.spin; k < cluster.spin + cluster.n_spins; ++k) {
        if (known && !external_ && !hybrid) break;
        const Spin& spin = tree_.spins[k];
        const T ratio = joints_.G[cluster.matrix + spin.w - cluster.w];
        torque = neg_mul_add(ratio, spin_bias(spin), torque);
        if (hybrid || !known) push_carrier(spin);
        if (known) continue;
        const T inertia = loads_.spin_inertia(spin);
        armature = mul_add(ratio * ratio, inertia + T(tree_.armature[spin.w]), armature);
        couple = mul_add(vector_at(spin.axis), ratio * inertia, couple);
    }
    if (known && loads_.mass_scale) {
        const GearedMasses added = added_masses(cluster);
        armature += added.armature, couple = couple + added.couple;
    }
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        if constexpr (Joint::nv == 1) {
            const At<T> at = state_at(link, joints_.q, angles_);
            const auto S = Joint::subspace(at);
            const auto X = Joint::transform(at);
            ArticulatedBody<T>& me = body_[i + 1];
            const Articulated<T> I = whole_inertia(tree_, i, me, loads_);
            Force<T> p = me.p;
            ArticulatedDof<T>& dof = dof_[cluster.w];
            T D, bias;
            S.times(I, &dof.U);
            S.project(dof.U, &D);
            S.project(p, &bias);
            const Vec3<T> felt = X.axes_in(couple);
            dof.inverse[0] = hybrid && loads_.held[cluster.v] ? T(0.0) : T(1.0) / (D + armature);
            dof.u = torque - bias + dot(felt, me.c.angular);
            dof.U.angular += felt;
            if (link.parent < 0) return;
            const Articulated<T> left = yield_through<Joint>(&dof, me.c, I, p);
            hand_down(link, X, left, p, body_);
        }
    });
}

#define TARSUS_ARTICULATED_CLUSTER(T)                                           \
    template void ArticulatedCluster<T>::spin(const T*);                        \
    template int ArticulatedCluster<T>::accelerations(int, T*);                 \
    template void ArticulatedCluster<T>::gear<false>(const Cluster&, const T*); \
    template void ArticulatedCluster<T>::gear<true>(const Cluster&, const T*);
TARSUS_ARTICULATED_CLUSTER(double)
TARSUS_ARTICULATED_CLUSTER(Lanes)

}  // namespace tarsus::TARSUS_ISA
