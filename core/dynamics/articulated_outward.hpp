// The two outward passes of the articulated-body algorithm over all clusters.
#pragma once

#include "dynamics/articulated_passes.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void ArticulatedPasses<T>::velocities(const T* external) {
    // where a symmetric rotor points matters only for wrenches on it
    const auto& listed = external ? tree.all_angles : tree.passed_angles;
    read_angles(tree, listed.data(), int(listed.size()), joints.q, angles);
    body[0].v = zero_motion<T>();
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (link.spinning) continue;
        visit(link.kind, [&](auto joint) {
            tarsus::TARSUS_ISA::velocities(joint, tree, i, at(link), joints, external, loads, body);
        });
    }
    if (!tree.spins.empty()) coupled.spin(external);
}

template <class T>
TARSUS_FLATTEN void ArticulatedPasses<T>::accelerations(const Motion<T>& world, T* out) {
    body[0].v = world;
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (link.own < 0) {
            i = coupled.accelerations(i, out);
            continue;
        }
        visit(link.kind, [&](auto joint) {
            tarsus::TARSUS_ISA::accelerations(joint, i, at(link), body, dof + link.v,
                                              out + link.own);
        });
    }
}

}  // namespace tarsus::TARSUS_ISA
