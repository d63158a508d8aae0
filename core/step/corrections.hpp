// Positions that have entered what they must not are moved out, with no velocity given: δ = H⁻¹ Jᵀ
// π with the least π ≥ 0 that leaves nothing deeper than it may be (split impulses; Moreau 1988,
// Guendelman, Bridson & Fedkiw 2003). What gravity is worth on the way is written to the ledger.
#pragma once

#include "step/step_work.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kDepth = 1e-6;  // [m, rad] so deep is deep enough to be corrected
constexpr double kHealed = 0.2;  // part of a depth that a step heals; the last kDepth at once

// Returns the energy that was lifted; `shift` (nv) receives δ.
template <class T>
TARSUS_APART T correct_positions(const World& world, const Moment<T>& at, StepWork<T>& work,
                                 ArticulatedPasses<T>& passes, T* shift) {
    const Problem<T>& problem = work.rows.problem;
    const Tree& tree = *world.tree;
    const T zero(0.0), dt = at.dt;
    for (int k = 0; k < tree.nv; ++k) shift[k] = zero;
    T deep(0.0);
    for (int k = 0; k < problem.n_blocks; ++k) {
        const Block<T>& block = problem.block[k];
        deep = select(block.gap < T(-kDepth), block.on + deep, deep);
    }
    if (!any(deep > zero)) return zero;

    // the gap that each first row would have at the end, had it been healed before
    T *end = work.spare(0), *push = work.spare(1), *loop_push = work.spare(2);
    for (int r = 0; r < problem.n_rows; ++r) push[r] = zero;
    for (int k = 0; k < problem.n_blocks; ++k) {
        const Block<T>& block = problem.block[k];
        T velocity = problem.b[block.row] + zero;
        for (int c = 0; c < problem.n_rows; ++c) {
            velocity = mul_add(problem.entry(block.row, c), problem.p[c], velocity);
        }
        const T part = mul_add(T(kHealed), block.gap, T(-kDepth));
        const T healed = select(part > block.gap, part, block.gap);
        end[k] = mul_add(dt, velocity, healed);
    }
    RowSystem& s = work.lane.system;
    for (int l = 0; l < kLaneCount<T>; ++l) {
        if (!(lane_of(deep, l) > 0)) continue;
        s.n = s.n_boxes = s.n_discs = 0;
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            if (block.source == Source::joint_friction || !(lane_of(block.on, l) > 0)) continue;
            s.box[s.n_boxes++] = {s.n, 0.0, kUnbounded};
            s.b[s.n] = lane_of(end[k], l), s.p[s.n] = 0.0;
            work.lane.number[s.n++] = block.row;
        }
        for (int r = s.n; r < padded(s.n); ++r) s.b[r] = s.p[r] = 0.0;
        for (int r = 0; r < s.n; ++r) {
            for (int c = 0; c < padded(s.n); ++c) {
                s.row(r)[c] =
                    c < s.n ? lane_of(problem.entry(work.lane.number[r], work.lane.number[c]), l)
                            : 0.0;
            }
        }
        solve_by_newton(s, world.numbers.tolerance, world.numbers.iterations, work.scratch());
        for (int r = 0; r < s.n; ++r) set_lane(push[work.lane.number[r]], l, s.p[r]);
    }
    work.apply(push, false, passes, loop_push, shift);
    T lifted(0.0);
    const Vec3<double> g = vector_at(tree.gravity);
    for (int i = 0; i < tree.n_bodies; ++i) {
        if (tree.links[i].spinning) continue;
        const Inertia<double> inertia = inertia_of(tree.carried[i]);
        const Force<T> moved = passes.loads.scaled(i, inertia * passes.body[i + 1].v);
        lifted = lifted - dot(g, at.pose[i + 1].rotation * moved.linear);
    }
    return lifted;
}

}  // namespace tarsus::TARSUS_ISA
