// A second motion of the bodies beside the real one: reference velocities w_b and accelerations
// that follow from users' v_r and a_r along the real motion (Slotine & Li 1987, in the recursive
// form of Niemeyer & Slotine 1991).
#pragma once

#include "dynamics/moving_tree.hpp"
#include "dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ReferenceBody {
    Motion<T> v, a;
};

template <class T>
TARSUS_INLINE size_t reference_bytes(const Tree& tree) {
    return bytes_of<ReferenceBody<T>>(tree.n_bodies + 1) + 2 * bytes_of<T>(tree.joint_nv);
}

template <class T>
struct ReferenceMotion {
    const ReferenceBody<T>* body;  // the world first
    const T* joint_a;              // accelerations of all joints
};

// bodies moved by v_r along v: ẇ_b = ẇ_p + S a_r + Ṡ v_r
template <class T>
TARSUS_INLINE ReferenceMotion<T> move_by_reference(const Tree& tree, const MovingTree<T>& moving,
                                                   const T* v_r, const T* a_r, Scratch& scratch) {
    T *v = scratch.take<T>(tree.joint_nv), *a = scratch.take<T>(tree.joint_nv);
    auto* body = scratch.take<ReferenceBody<T>>(tree.n_bodies + 1);
    for (const Cluster& cluster : tree.clusters) {
        for (int w = 0; w < cluster.nw; ++w) {
            if (!cluster.coupled) {
                v[cluster.w + w] = v_r[cluster.v + w], a[cluster.w + w] = a_r[cluster.v + w];
                continue;
            }
            T velocity(0.0), acceleration(0.0);
            for (int e = 0; e < cluster.nv; ++e) {
                const Dual<T>& entry = moving.matrix[cluster.matrix + w * cluster.nv + e];
                velocity = mul_add(entry.value, v_r[cluster.v + e], velocity);
                acceleration = mul_add(entry.value, a_r[cluster.v + e], acceleration);
                acceleration = mul_add(entry.rate, v_r[cluster.v + e], acceleration);
            }
            v[cluster.w + w] = velocity, a[cluster.w + w] = acceleration;
        }
    }
    body[0] = {zero_motion<T>(), world_at_rest<T>(tree).a};
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        ReferenceBody<T> me = body[link.parent + 1];
        for (int k = link.v; k < link.v + link.nv; ++k) {
            me.v = mul_add(moving.S[k], v[k], me.v);
            me.a = mul_add(moving.dS[k], v[k], mul_add(moving.S[k], a[k], me.a));
        }
        body[i + 1] = me;
    }
    return {body, a};
}

}  // namespace tarsus::TARSUS_ISA
