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
          inverse_(scratch.take<T>(tree.n_inverse)),
          kept_(scratch.take<T>(loads.held ? tree.n_inverse : 0)) {}

    // and bytes_of<T>(n_inverse) more, where coordinates are prescribed
    static size_t bytes(const Tree& tree) {
        const size_t w = tree.most.w, free = tree.most.free;
        return bytes_of<Force<T>>(w) + bytes_of<T>(w * w) + 2 * bytes_of<T>(w) +
               bytes_of<T>(free * free) + bytes_of<T>(tree.n_inverse);
    }

    // After the first pass: what rotors do to their carriers, ω × (axis J w), and external wrenches
    // on them, kept in their own slots.
    void spin(const T* external);

    // Second pass for the cluster whose last body is i; returns its first body.
    template <bool hybrid>
    TARSUS_INLINE int inertias(int i, const T* tau) {
        const Cluster& cluster = tree_.clusters[tree_.cluster_of[i]];
        if (cluster.geared) gear<hybrid>(cluster, tau);
        else members<hybrid>(cluster, tau);
        return cluster.body;
    }

    // Third pass for the cluster whose first body is i; returns its last body.
    int accelerations(int i, T* out);

    const T* inverse(const Cluster& cluster) const { return inverse_ + cluster.inverse; }
    // D of a cluster of members where coordinates are prescribed, its lower triangle by rows
    const T* kept(const Cluster& cluster) const { return kept_ + cluster.inverse; }

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
    T geared_armature(const Cluster& cluster, const GearConstants& constants) const;
    struct GearedMasses {
        T armature;
        Vec3<T> couple;
    };
    GearedMasses added_masses(const Cluster& cluster) const;
    template <bool hybrid>
    void gear(const Cluster& cluster, const T* tau);
    template <bool hybrid>
    void members(const Cluster& cluster, const T* tau);
    void rotor(const Cluster& cluster, int k);
    void member(const Cluster& cluster, int i);
    void walk(const Cluster& cluster, int w, int body, Force<T> F);
    void step(const Cluster& cluster, int w, int body, Force<T>& F);
    T& entry(const Cluster& cluster, int w, int l);

    const Tree& tree_;
    const JointState<T>& joints_;
    const Loads<T> loads_;
    const Angle<T>* angles_;
    ArticulatedBody<T>* body_;
    ArticulatedDof<T>* dof_;
    Force<T>* F_;
    T *H_, *row_, *bias_, *D_, *inverse_, *kept_;
    bool external_ = false;
};

}  // namespace tarsus::TARSUS_ISA
