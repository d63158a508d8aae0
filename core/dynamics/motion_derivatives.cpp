#include "dynamics/motion_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// accelerations of all joints for those that users state
template <class T>
TARSUS_INLINE const T* spread_accelerations(const Tree& tree, const MovingTree<T>& moving,
                                            const T* a, Scratch& scratch) {
    if (!tree.coupled) return a;
    T* out = scratch.take<T>(tree.joint_nv);
    for (const Cluster& cluster : tree.clusters) {
        for (int w = 0; w < cluster.nw; ++w) {
            T sum = moving.joints.a[cluster.w + w];
            for (int e = 0; cluster.coupled && e < cluster.nv; ++e) {
                const T& ratio = moving.joints.G[cluster.matrix + w * cluster.nv + e];
                sum = mul_add(ratio, a[cluster.v + e], sum);
            }
            out[cluster.w + w] = cluster.coupled ? sum : a[cluster.v + w];
        }
    }
    return out;
}

// accelerations outwards, forces inwards
template <class T>
TARSUS_INLINE void move_bodies(const Tree& tree, const MotionDerivatives<T>& d, const T* a,
                               const T* external) {
    const MovingTree<T>& moving = d.moving;
    const T* w = moving.joints.v;
    d.body[0].a = world_at_rest<T>(tree).a;
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const MovingBody<T>& at = moving.body[i + 1];
        DerivativeBody<T>& me = d.body[i + 1];
        me.a = d.body[link.parent + 1].a;
        for (int k = link.v; k < link.v + link.nv; ++k) {
            me.a = mul_add(moving.S[k], a[k], me.a);
            me.a = mul_add(moving.dS[k], w[k], me.a);
        }
        me.I = inertia_about_point(at, link);
        me.B = Christoffel::matrix(at.v, me.I);
        me.F = me.I * me.a + cross(at.v, me.I * at.v);
        if (external) me.F = me.F - about_point(at, wrench_in_core(tree, i, external));
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const int next = tree.steps[i].next;
        if (next < 0) continue;
        DerivativeBody<T>&carrier = d.body[next + 1], &me = d.body[i + 1];
        carrier.I = carrier.I + me.I, carrier.B = carrier.B + me.B, carrier.F = carrier.F + me.F;
    }
}

// Ψ̇, Ψ̈ and Ṡ + Ψ̇ of a body whose columns have bends, from their definition
template <class T>
TARSUS_APART void differentiate_bends(const Tree& tree, const MotionDerivatives<T>& d, int body,
                                      const T* v) {
    const Step& step = tree.steps[body];
    const Motion<T>&v_carrier = d.moving.body[step.next + 1].v, &v_body = d.moving.body[body + 1].v;
    const Motion<T>& a_body = d.body[body + 1].a;
    for (int g = 0; g < step.nv; ++g) {
        const int at = step.column + g;
        const Motion<T>&S = d.moving.S[at], &dv = d.bends.velocity[at];
        const Motion<T> da = d.bends.acceleration[at] + cross(v_carrier, dv);
        Motion<T> rate = cross(v_carrier, S);
        for (int h = 0; h < step.nv; ++h) {
            rate = mul_add(bend_of(step, d.moving, d.bends, g, h), v[step.v + h], rate);
        }
        d.first[at] = dv - cross(S, v_body);
        d.second[at] = da - cross(S, a_body) - cross(d.first[at], v_body);
        d.mixed[at] = rate + d.first[at];
    }
}

}  // namespace

template <class T>
TARSUS_APART MotionDerivatives<T> differentiate_motion(const Tree& tree,
                                                       const Arguments<T>& arguments, const T* v,
                                                       const T* a, const T* external) {
    Scratch& scratch = arguments.scratch;
    MotionDerivatives<T> d{};
    d.moving = move(tree, arguments, v);
    const T* joint_a = spread_accelerations(tree, d.moving, a, scratch);
    d.bends = bend_clusters<T>(tree, arguments.in[kTable], d.moving, {v, a}, scratch);
    d.body = scratch.take<DerivativeBody<T>>(tree.n_bodies + 1);
    d.first = scratch.take<Motion<T>>(tree.n_columns);
    d.second = scratch.take<Motion<T>>(tree.n_columns);
    d.mixed = scratch.take<Motion<T>>(tree.n_columns);
    for (T** room : {&d.by_q, &d.by_v, &d.by_a}) *room = scratch.take<T>(most_velocities(tree));
    move_bodies(tree, d, joint_a, external);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Step& step = tree.steps[i];
        if (step.bend >= 0) {
            differentiate_bends(tree, d, i, v);
            continue;
        }
        const Motion<T>&v_carrier = d.moving.body[step.next + 1].v,
              &a_carrier = d.body[step.next + 1].a;
        for (int at = step.column; at < step.column + step.nv; ++at) {
            const Motion<T>& S = d.moving.S[at];
            d.first[at] = cross(v_carrier, S);
            d.second[at] = cross(a_carrier, S) + cross(v_carrier, d.first[at]);
            d.mixed[at] = d.moving.dS[at] + d.first[at];
        }
    }
    return d;
}

#define TARSUS_DERIVATIVES(T)                                                                      \
    template MotionDerivatives<T> differentiate_motion(const Tree&, const Arguments<T>&, const T*, \
                                                       const T*, const T*);
TARSUS_DERIVATIVES(double)
TARSUS_DERIVATIVES(Lanes)

}  // namespace tarsus::TARSUS_ISA
