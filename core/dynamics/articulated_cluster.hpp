// The passes of the articulated-body algorithm for clusters of several bodies (Schwienbacher 2013,
// section 2.7, with the signs put right).
//
// The members of a cluster form a small tree. With composite inertias I of the members, each of its
// joints needs a force F on the cluster's parent and a row H of a mass matrix. The cluster's own
// velocities combine them by w = G v, and the parent feels what is left when those yield:
//
//   D = Gᵀ H G,   U = F G,   I_parent += Σ Xᵀ I X − U D⁻¹ Uᵀ
//
// A rotor about its axis of symmetry is not a member: its inertia is its parent's, and its spin w
// adds the moment J w along the axis. A joint with such rotors on its own parent (a gear) needs
// only that moment beside what an ordinary joint does.
#pragma once

#include "dynamics/articulated_joint.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class ArticulatedCluster {
   public:
    ArticulatedCluster(const Tree& tree, const JointState<T>& joints, const Angle<T>* angles,
                       const Loads<T>& loads, ArticulatedBody<T>* body, ArticulatedDof<T>* dof,
                       Scratch& scratch)
        : tree_(tree),
          joints_(joints),
          loads_(loads),
          angles_(angles),
          body_(body),
          dof_(dof),
          F_(scratch.take<Force<T>>(tree.most.w)),
          H_(scratch.take<T>(size_t(tree.most.w) * tree.most.w)),
          row_(scratch.take<T>(tree.most.w)),
          bias_(scratch.take<T>(tree.most.w)),
          D_(scratch.take<T>(size_t(tree.most.free) * tree.most.free)),
          inverse_(scratch.take<T>(tree.n_inverse)) {}

    static size_t bytes(const Tree& tree) {
        const size_t w = tree.most.w, free = tree.most.free;
        return bytes_of<Force<T>>(w) + bytes_of<T>(w * w) + 2 * bytes_of<T>(w) +
               bytes_of<T>(free * free) + bytes_of<T>(tree.n_inverse);
    }

    // After the first pass: what rotors do to their carriers, ω × (axis J w), and external wrenches
    // on them, kept in their own slots.
    TARSUS_APART void spin(const T* external) {
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

    // Second pass for the cluster whose last body is i; returns its first body.
    TARSUS_INLINE int inertias(int i, const T* tau) {
        const Cluster& cluster = tree_.clusters[tree_.cluster_of[i]];
        if (cluster.geared) gear(cluster, tau);
        else members(cluster, tau);
        return cluster.body;
    }

    // Third pass for the cluster whose first body is i; returns its last body.
    TARSUS_APART int accelerations(int i, T* out) {
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

    const T* inverse(const Cluster& cluster) const { return inverse_ + cluster.inverse; }

   private:
    // torque on a rotor about its axis that does not depend on the accelerations asked for
    TARSUS_INLINE T spin_bias(const Spin& spin) const {
        const T inertia = loads_.spin_inertia(spin) + T(tree_.armature[spin.w]);
        const T bias = inertia * joints_.a[spin.w];
        return external_ ? bias - body_[spin.body + 1].p.angular.z : bias;
    }
    TARSUS_INLINE void push_carrier(const Spin& spin) {
        if (spin.parent < 0) return;
        Force<T>& p = body_[spin.parent + 1].p;
        p.angular =
            mul_add(vector_at(spin.axis), loads_.spin_inertia(spin) * joints_.a[spin.w], p.angular);
    }

    // What rotors add to their joint is known beforehand, unless ratios vary; and what dampers of
    // all joints add that act at the end of a step.
    TARSUS_INLINE T geared_armature(const Cluster& cluster, const GearConstants& constants) const {
        T sum(cluster.constant ? constants.armature
                               : tree_.armature[tree_.links[cluster.moving].v]);
        for (int w = 0; loads_.diagonal && w < cluster.nw; ++w) {
            const T& ratio = joints_.G[cluster.matrix + w];
            sum = mul_add(ratio * ratio, loads_.diagonal[cluster.w + w], sum);
        }
        return sum;
    }

    // What factors of masses add to that: nothing where they are one, so that they leave no trace.
    struct GearedMasses {
        T armature;
        Vec3<T> couple;
    };
    TARSUS_APART GearedMasses added_masses(const Cluster& cluster) const {
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
    TARSUS_APART void gear(const Cluster& cluster, const T* tau) {
        const int i = cluster.moving;
        const Link& link = tree_.links[i];
        const GearConstants& constants = tree_.gears[tree_.cluster_of[i]];
        T armature = geared_armature(cluster, constants), torque = tau[cluster.v];
        const bool known = cluster.constant;
        Vec3<T> couple = known ? constant_vector<T>(constants.couple) : zero_vector<T>();
        for (int k = cluster.spin; k < cluster.spin + cluster.n_spins; ++k) {
            if (known && !external_) break;
            const Spin& spin = tree_.spins[k];
            const T ratio = joints_.G[cluster.matrix + spin.w - cluster.w];
            torque = neg_mul_add(ratio, spin_bias(spin), torque);
            if (known) continue;
            const T inertia = loads_.spin_inertia(spin);
            armature = mul_add(ratio * ratio, inertia + T(tree_.armature[spin.w]), armature);
            couple = mul_add(vector_at(spin.axis), ratio * inertia, couple);
            push_carrier(spin);
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
                dof.inverse[0] = T(1.0) / (D + armature);
                dof.u = torque - bias + dot(felt, me.c.angular);
                dof.U.angular += felt;
                if (link.parent < 0) return;
                const Articulated<T> left = yield_through<Joint>(&dof, me.c, I, p);
                hand_down(link, X, left, p, body_);
            }
        });
    }

    TARSUS_APART void members(const Cluster& cluster, const T* tau) {
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
        invert_symmetric(nv, D_, inverse);
        if (cluster.parent < 0) return;
        ArticulatedBody<T>& parent = body_[cluster.parent + 1];
        for (int e = 0; e < nv; ++e) {
            Force<T> W{zero_vector<T>(), zero_vector<T>()};
            for (int f = 0; f < nv; ++f) W = add_scaled(dof[f].U, inverse[e * nv + f], W);
            parent.I = minus_outer(parent.I, dof[e].U, W);
            parent.p = add_scaled(W, dof[e].u, parent.p);
        }
    }

    TARSUS_INLINE void rotor(const Cluster& cluster, int k) {
        const Spin& spin = tree_.spins[k];
        const int w = spin.w - cluster.w;
        push_carrier(spin);
        H_[w * cluster.nw + w] = loads_.spin_inertia(spin) + loads_.armature(tree_, spin.w);
        bias_[w] = spin_bias(spin);
        const Vec3<T> moment = vector_at(spin.axis) * loads_.spin_inertia(spin);
        walk(cluster, w, spin.parent, {zero_vector<T>(), moment});
    }

    TARSUS_INLINE void member(const Cluster& cluster, int i) {
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
    TARSUS_INLINE void walk(const Cluster& cluster, int w, int body, Force<T> F) {
        while (body != cluster.parent) {
            const Link& link = tree_.links[body];
            bias_[w] += dot(body_[body + 1].c, F);
            visit(link.kind, [&](auto joint) {
                using Joint = decltype(joint);
                const At<T> at = state_at(link, joints_.q, angles_);
                T row[Joint::nv];
                Joint::subspace(at).project(F, row);
                for (int l = 0; l < Joint::nv; ++l)
                    entry(cluster, w, link.v - cluster.w + l) = row[l];
                F = Joint::transform(at).to_parent(F);
            });
            body = link.parent;
        }
        F_[w] = F;
    }
    TARSUS_INLINE T& entry(const Cluster& cluster, int w, int l) {
        return l <= w ? H_[w * cluster.nw + l] : H_[l * cluster.nw + w];
    }

    const Tree& tree_;
    const JointState<T>& joints_;
    const Loads<T> loads_;
    const Angle<T>* angles_;
    ArticulatedBody<T>* body_;
    ArticulatedDof<T>* dof_;
    Force<T>* F_;
    T *H_, *row_, *bias_, *D_, *inverse_;
    bool external_ = false;
};

}  // namespace tarsus::TARSUS_ISA
