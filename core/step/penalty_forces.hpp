// Contacts as springs and dampers: forces on the bodies, before anything accelerates.
#pragma once

#include "constraints/penalty.hpp"
#include "step/impulses.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_APART void push_by_penalty(const World& world, const Moment<T>& at, const T* parameters,
                                  Impulses<T>& impulses, ArticulatedPasses<T>& passes) {
    impulses.forget_open();
    for (int c = 0; c < impulses.n_contacts; ++c) {
        const Contact<T>& contact = impulses.contacts[c];
        T* way = impulses.kept + 3 * contact.candidate;
        Vec3<T> bristle{way[0], way[1], way[2]};
        T* f = impulses.impulse + kContactRows * c;
        penalty_force(world, contact, parameters, bristle, f);
        for (int i = 0; i < 3; ++i) {
            way[i] = select(contact.on > T(0.0), part(bristle, i), T(0.0));
        }
        impulses.keep_candidate(contact.candidate);
        const Force<T> push{from_frame(contact, f), zero_vector<T>()};
        Force<T>& on_a = passes.body[contact.a + 1].p;
        on_a = on_a - force_on(at.pose[contact.a + 1], contact.touch.point, push);
        if (contact.b >= 0) {
            Force<T>& on_b = passes.body[contact.b + 1].p;
            on_b = on_b + force_on(at.pose[contact.b + 1], contact.touch.point, push);
        }
        for (int i = 0; i < 3; ++i) f[i] = f[i] * at.dt, f[3 + i] = T(0.0);
    }
}

}  // namespace tarsus::TARSUS_ISA
