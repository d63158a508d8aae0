#include "dynamics/newton_euler.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void newton_euler(const Tree& tree, const JointState<T>& joints, const T* external,
                                 const Angle<T>* angles, NewtonEulerBody<T>* body, T* tau,
                                 const Force<T>* internal) {
    const T *q = joints.q, *v = joints.v, *a = joints.a;
    body[0] = world_at_rest<T>(tree);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const auto X = Joint::transform(at);
            const auto S = Joint::subspace(at);
            const NewtonEulerBody<T>& parent = body[link.parent + 1];
            NewtonEulerBody<T>& me = body[i + 1];
            const Inertia<double> inertia = inertia_of(link);

            Motion<T> acceleration = X.to_child(parent.a);
            if (a) acceleration = S.add(acceleration, a + link.v);
            if (v) {
                me.v = S.add(X.to_child(parent.v), v + link.v);
                acceleration = acceleration + S.cross(me.v, v + link.v);
                if constexpr (!Joint::kConstantSubspace) {
                    acceleration = acceleration + Joint::bias(at, v + link.v);
                }
            }
            me.a = acceleration;
            me.f = inertia * acceleration;
            if (v) me.f = me.f + cross(me.v, inertia * me.v);
            if (external) me.f = me.f - wrench_in_core(tree, i, external);
            if (internal) me.f = me.f - internal[i];
        });
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const Force<T>& f = body[i + 1].f;
            if (tau) {
                Joint::subspace(at).project(f, tau + link.v);
                for (int k = link.v; a && k < link.v + Joint::nv; ++k) {
                    tau[k] = mul_add(T(tree.armature[k]), a[k], tau[k]);
                }
            }
            if (link.parent >= 0) {
                Force<T>& parent = body[link.parent + 1].f;
                parent = parent + Joint::transform(at).to_parent(f);
            }
        });
    }
}

#define TARSUS_NEWTON_EULER(T)                                                               \
    template void newton_euler(const Tree&, const JointState<T>&, const T*, const Angle<T>*, \
                               NewtonEulerBody<T>*, T*, const Force<T>*);
TARSUS_NEWTON_EULER(double)
TARSUS_NEWTON_EULER(Lanes)

}  // namespace tarsus::TARSUS_ISA
