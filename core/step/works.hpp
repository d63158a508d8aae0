// The ledger's works of one step. All are measured at the mean of the velocities before and after
// it: then they add up to the change of kinetic energy, whatever the impulses were.
#pragma once

#include "step/impulses.hpp"

namespace tarsus::TARSUS_ISA {

// velocities before and after a step, of coordinates and of all joints; what drove it
template <class T>
struct StepEnds {
    const T *v, *v_next, *w, *w_next, *tau, *parameters;
    const T& alive;
};

template <class T>
class Works {
   public:
    T* sum;         // as the world numbers them
    T* of_contact;  // of each contact in this step

    Works(const World& world, Scratch& scratch)
        : sum(scratch.take<T>(world.n_works())),
          of_contact(scratch.take<T>(world.n_candidates())),
          world_(world),
          tree_(*world.tree) {}

    TARSUS_INLINE void add(const StepEnds<T>& ends, const Moment<T>& at, const Impulses<T>& did) {
        const T half(0.5);
        const auto add = [&](int k, const T& x) {
            sum[k] = select(ends.alive > T(0.0), sum[k] + x, sum[k]);
        };
        for (int k = 0; k < tree_.nv; ++k) {
            const T mean = half * (ends.v[k] + ends.v_next[k]);
            add(world_.supplied() + k, at.dt * ends.tau[k] * mean);
        }
        // joints that follow others count with the first velocity of their cluster
        const auto user = [&](int w) {
            const int own = tree_.user_v.empty() ? w : tree_.user_v[w];
            return own >= 0 ? own : tree_.clusters[tree_.cluster_of[tree_.body_of[w]]].v;
        };
        const auto mean = [&](int w) { return half * (ends.w[w] + ends.w_next[w]); };
        for (int w = 0; world_.passive && w < tree_.joint_nv; ++w) {
            if (tree_.damping[w] == 0.0) continue;
            const T push = at.dt * T(tree_.damping[w]) * ends.w_next[w];
            add(world_.damped() + user(w), -(push * mean(w)));
        }
        const int n_friction = int(world_.friction.size());
        for (int k = 0; k < n_friction; ++k) {
            const int w = world_.friction[k].w;
            add(world_.rubbed() + user(w), did.joints.kept[k] * mean(w));
        }
        for (int k = 0; k < int(world_.limits.size()); ++k) {
            const Limit& limit = world_.limits[k];
            const T p = did.joints.kept[n_friction + k] * T(limit.sign);
            add(World::at_limits, p * mean(limit.w));
        }
        for (int k = 0; k < tree_.n_constraint_rows; ++k) {
            add(World::loops, did.loop_impulse[k] * did.loop_mean[k]);
        }
        add(World::corrections, did.lifted);
        for (int c = 0; c < did.n_contacts; ++c) add_contact(c, ends, at, did);
    }

   private:
    TARSUS_INLINE void add_contact(int c, const StepEnds<T>& ends, const Moment<T>& at,
                                   const Impulses<T>& did) {
        const T zero(0.0), half(0.5);
        const Contact<T>& contact = did.contacts[c];
        const Vec3<T> start = in_frame(contact, contact.start), end = at.slide(contact, at.after);
        const T* p = did.impulse + kContactRows * c;
        const T on = contact.on * ends.alive;
        const T push = p[0] * (half * (start.x + end.x));
        T rub = mul_add(p[1], half * (start.y + end.y), p[2] * (half * (start.z + end.z)));
        if (world_.extras.rows() > 3) {
            const Vec3<T> turn = at.turn(contact, at.start) + at.turn(contact, at.after);
            rub += half * mul_add(p[3], turn.x, mul_add(p[4], turn.y, p[5] * turn.z));
        }
        const T normal = select(on > zero, push, zero), rubbing = select(on > zero, rub, zero);
        const T hits =
            select(start.x < -ends.parameters[kRestSpeed], select(p[0] > zero, on, zero), zero);
        sum[World::n_impacts] += hits;
        sum[World::impacts] += select(hits > zero, normal + rubbing, zero);
        sum[World::contact_normal] += select(hits > zero, zero, normal);
        sum[World::contact_friction] += select(hits > zero, zero, rubbing);
        sum[world_.by_body() + contact.a] += normal + rubbing;
        of_contact[c] = normal + rubbing;
    }

    const World& world_;
    const Tree& tree_;
};

}  // namespace tarsus::TARSUS_ISA
