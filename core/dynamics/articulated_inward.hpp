// The inward pass of the articulated-body algorithm over all clusters. Where accelerations may be
// prescribed it is compiled in another file than where not: the compiler inlines less of what is
// large, and forward dynamics would be slower.
#pragma once

#include "dynamics/articulated_passes.hpp"

namespace tarsus::TARSUS_ISA {

// of a joint whose motion is prescribed: it hands all down, and yields to nothing
template <class T>
TARSUS_APART void held_inertias(const ArticulatedPasses<T>& passes, int i, const T* tau) {
    const Tree& tree = passes.tree;
    const Link& link = tree.links[i];
    const ArticulatedBody<T>& me = passes.body[i + 1];
    const Articulated<T> I = whole_inertia(tree, i, me, passes.loads);
    const Force<T> p = me.p + I * me.c;
    ArticulatedDof<T>* dof = passes.dof + link.v;
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        constexpr int n = Joint::nv;
        const At<T> at = passes.at(link);
        const auto S = Joint::subspace(at);
        Force<T> U[n];
        T bias[n];
        S.times(I, U);
        S.project(me.p, bias);
        for (int k = 0; k < n; ++k) {
            dof[k].U = U[k];
            dof[k].u = tau[k] - bias[k];
            for (int l = 0; l < n; ++l) dof[k].inverse[l] = T(0.0);
        }
        hand_down(link, Joint::transform(at), I, p, passes.body);
    });
}

template <class T>
template <bool hybrid>
TARSUS_FLATTEN void ArticulatedPasses<T>::inertias(const T* tau) {
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        if (link.own < 0) {
            i = coupled.template inertias<hybrid>(i, tau);
            continue;
        }
        if (hybrid && loads.all_held(link.own, link.nv)) {
            held_inertias(*this, i, tau + link.own);
            continue;
        }
        visit(link.kind, [&](auto joint) {
            tarsus::TARSUS_ISA::inertias<hybrid>(joint, tree, i, at(link), tau + link.own, loads,
                                                 body, dof + link.v);
        });
    }
}

}  // namespace tarsus::TARSUS_ISA
