// Mechanisms that whirl: chains on ball joints, and machines that tumble, as long as they turn
// fast.
//
// All velocity products of a step, in accelerations c = v × S q̇ and forces p = v × I v, are taken
// once with the first factor at the start and the second at the end, and once the other way round:
// Kahan's method, as for single tops (gyration.hpp). The velocities at the end are found by going
// round: each round is as near as half the turn in a step, times what the last one missed; an odd
// number of them errs along the turn, and hardly in its size. What holds by whatever force it
// takes, loops and rigid parts, decides about the end of a step later: with them products stay as
// at the start, by which a cat that is led through its turn keeps its momentum to rounding.
#pragma once

#include "step/gyration.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSlowTurn = 0.015;  // [rad] in a step: what turns less gains next to nothing
constexpr int kRounds = 3;

// 1 in lanes in which a body that is no top, on a free or spherical joint, turns fast
template <class T>
TARSUS_INLINE T whirls(const Tree& tree, const Motion<T>* velocity, const T& dt) {
    T found(0.0);
    if (tree.coupled || tree.n_constraint_rows) return found;
    for (int i = 0; i < tree.n_bodies; ++i) {
        if (!turns_freely(tree.links[i]) || is_top(tree, i)) continue;
        const Vec3<T> turn = velocity[i + 1].angular * dt;
        found = select(dot(turn, turn) > T(kSlowTurn * kSlowTurn), T(1.0), found);
    }
    return found;
}

template <class T>
class Whirling {
   public:
    Whirling(const ArticulatedPasses<T>& passes, Scratch& scratch)
        : tree_(passes.tree),
          c_(scratch.take<Motion<T>>(tree_.n_bodies)),
          p_(scratch.take<Force<T>>(tree_.n_bodies)),
          ahead_(scratch.take<Motion<T>>(tree_.n_bodies + 1)) {}
    static size_t bytes(const Tree& tree) {
        return bytes_of<Motion<T>>(tree.n_bodies) + bytes_of<Force<T>>(tree.n_bodies) +
               bytes_of<Motion<T>>(tree.n_bodies + 1);
    }

    // before inertias are passed inwards
    void keep(const ArticulatedPasses<T>& passes) {
        for (int i = 0; i < tree_.n_bodies; ++i) {
            c_[i] = passes.body[i + 1].c, p_[i] = passes.body[i + 1].p;
        }
    }

    // From accelerations a (nv) by products at the start to those by products over the step, in
    // lanes that are `fast`; `later` (nv) receives the velocities at the end that were multiplied.
    TARSUS_APART void go_round(ArticulatedPasses<T>& passes, const Motion<T>* start, const T* force,
                               const T& dt, const T& fast, T* later, T* a) {
        const T* v = passes.joints.v;
        for (int round = 0; round < kRounds; ++round) {
            for (int k = 0; k < tree_.nv; ++k) {
                later[k] = select(fast > T(0.0), mul_add(dt, a[k], v[k]), v[k]);
            }
            body_velocities(passes, later, ahead_);
            for (int i = 0; i < tree_.n_bodies; ++i) {
                passes.body[i + 1].c = c_[i], passes.body[i + 1].p = p_[i];
                multiply(passes, i, start[i + 1], ahead_[i + 1], later);
            }
            passes.inertias(force);
            passes.accelerations(world_at_rest<T>(tree_).a, a);
        }
    }

   private:
    // adds by what products over the step differ from those at its start
    TARSUS_INLINE void multiply(ArticulatedPasses<T>& passes, int i, const Motion<T>& now,
                                const Motion<T>& ahead, const T* later) {
        const Link& link = tree_.links[i];
        const T half(0.5), *v = passes.joints.v;
        ArticulatedBody<T>& me = passes.body[i + 1];
        visit(link.kind, [&](auto joint) {
            const auto S = decltype(joint)::subspace(passes.at(link));
            const Motion<T> both = S.cross(now, later + link.own) + S.cross(ahead, v + link.own);
            const Motion<T> mean{both.linear * half, both.angular * half};
            me.c = me.c + (mean - S.cross(now, v + link.own));
        });
        const Inertia<double> I = inertia_of(tree_.carried[i]);
        const Force<T> both = cross(now, I * ahead) + cross(ahead, I * now);
        me.p = me.p + passes.loads.scaled(i, both * half - cross(now, I * now));
    }

    const Tree& tree_;
    Motion<T>* c_;
    Force<T>* p_;
    Motion<T>* ahead_;
};

}  // namespace tarsus::TARSUS_ISA
