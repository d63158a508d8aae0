// The ledger's works of one step. All are measured at the mean of the velocities before and after
// it: then they add up to the change of kinetic energy, whatever the impulses were.
#pragma once

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void Stepper<T>::write_works(const T* w_start, const T* w_next) {
    const T dt(world_.dt), half(0.5);
    const auto add = [&](int k, const T& x) {
        works[k] = select(alive > T(0.0), works[k] + x, works[k]);
    };
    for (int k = 0; k < tree_.nv; ++k) {
        add(world_.supplied() + k, dt * tau[k] * (half * (v[k] + next_v_[k])));
    }
    // joints that follow others count with the first velocity of their cluster
    const auto user = [&](int w) {
        const int own = tree_.user_v.empty() ? w : tree_.user_v[w];
        return own >= 0 ? own : tree_.clusters[tree_.cluster_of[tree_.body_of[w]]].v;
    };
    const auto mean = [&](int w) { return half * (w_start[w] + w_next[w]); };
    for (int w = 0; world_.passive && w < tree_.joint_nv; ++w) {
        if (tree_.damping[w] == 0.0) continue;
        add(world_.damped() + user(w), -(dt * T(tree_.damping[w]) * w_next[w] * mean(w)));
    }
    for (int k = 0; k < int(world_.friction.size()); ++k) {
        const int w = world_.friction[k].w;
        add(world_.rubbed() + user(w), kept_rows[k] * mean(w));
    }
    for (int k = 0; k < int(world_.limits.size()); ++k) {
        const Limit& limit = world_.limits[k];
        const T p = kept_rows[world_.friction.size() + k] * T(limit.sign);
        add(World::at_limits, p * mean(limit.w));
    }
    for (int k = 0; k < tree_.n_constraint_rows; ++k) {
        add(World::loops, loop_impulse_[k] * loop_mean_[k]);
    }
    for (int c = 0; c < n_contacts; ++c) contact_work(c);
}

template <class T>
TARSUS_INLINE void Stepper<T>::contact_work(int c) {
    const T zero(0.0);
    const Contact<T>& contact = contacts[c];
    const Vec3<T> start = in_frame(contact, contact.start), end = after(contact);
    const T* p = impulse + 3 * c;
    const T on = contact.on * alive, half(0.5);
    const T push = p[0] * (half * (start.x + end.x));
    const T rub = mul_add(p[1], half * (start.y + end.y), p[2] * (half * (start.z + end.z)));
    const T normal = select(on > zero, push, zero), rubbing = select(on > zero, rub, zero);
    const T hits = select(start.x < -parameters[kRestSpeed], select(p[0] > zero, on, zero), zero);
    works[World::n_impacts] += hits;
    works[World::impacts] += select(hits > zero, normal + rubbing, zero);
    works[World::contact_normal] += select(hits > zero, zero, normal);
    works[World::contact_friction] += select(hits > zero, zero, rubbing);
    works[world_.by_body() + contact.a] += normal + rubbing;
    work[c] = normal + rubbing;
}

}  // namespace tarsus::TARSUS_ISA
