// Positions that have entered what they must not are moved out, with no velocity given: δ = H⁻¹ Jᵀ
// π with the least π ≥ 0 that leaves nothing deeper than it may be (split impulses; Moreau 1988,
// Guendelman, Bridson & Fedkiw 2003). Rows are a little soft: what is wedged between two walls can
// get out of neither, and would be thrown out by ever larger π. What gravity is worth on the way is
// written to the ledger.
#pragma once

#include "step/step_work.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kDepth = 1e-6;        // [m, rad] so deep is deep enough to be corrected
constexpr double kHealed = 0.2;        // part of a depth that a step heals; the last kDepth at once
constexpr double kLeaving = 1e-2;      // [m/s, rad/s]
constexpr double kMissedDepth = 1e-9;  // [m, rad] a correction that is off by more is told
constexpr double kSoft = 1e-3;         // added to each row's own entry of A, as a part of it

// From the solved problem of a state to that of its corrections: boxes that must not be entered,
// with the gaps that they would have at the end, had they been healed before.
template <class T>
TARSUS_APART void turn_to_gaps(double dt, LaneRows<T>& lane, Scratch scratch) {
    RowSystem& s = lane.system;
    double* V = scratch.take<double>(padded(s.n));
    velocities(s, V);
    const int old_width = padded(s.n);
    int n = 0;
    for (int r = 0; r < s.n; ++r) {
        if (s.gap[r] == kNoGap) continue;
        // what leaves by itself, after a bounce, needs no help
        const double speed = V[r] + s.target[r];
        const double part = speed > kLeaving ? 0.0 : mul_add(kHealed, s.gap[r], -kDepth);
        s.b[n] = mul_add(dt, speed, s.gap[r] > 0 ? s.gap[r] : std::max(part, s.gap[r]));
        s.box[n] = {n, 0.0, kUnbounded};
        lane.number[n] = lane.number[r], lane.place[n++] = r;
    }
    const int width = padded(n);
    for (int r = 0; r < n; ++r) {  // rows and columns only move towards the start
        const double* from = s.A + long(lane.place[r]) * old_width;
        for (int c = 0; c < n; ++c) s.A[long(r) * width + c] = from[lane.place[c]];
        for (int c = n; c < width; ++c) s.A[long(r) * width + c] = 0.0;
        s.A[long(r) * width + r] *= 1 + kSoft;
    }
    for (int r = 0; r < width; ++r) s.p[r] = 0.0;
    for (int r = n; r < width; ++r) s.b[r] = 0.0;
    s.n = s.n_boxes = n, s.n_discs = 0;
}

// The energy that was lifted, and by what velocity a depth is missed where π was not found.
template <class T>
struct Corrected {
    T lifted, missed;
};

// `shift` (nv) receives δ
template <class T>
TARSUS_APART Corrected<T> correct_positions(const World& world, const Moment<T>& at,
                                            StepWork<T>& work, ArticulatedPasses<T>& passes,
                                            T* shift) {
    const Problem<T>& problem = work.rows.problem;
    const Tree& tree = *world.tree;
    const T zero(0.0);
    const auto too_deep = [&](int k) {
        const Block<T>& block = problem.block[k];
        const T gap = block.source == Source::part ? zero : block.gap;
        return select(gap < T(-kDepth), block.on, zero);
    };
    T deep(0.0);
    for (int k = 0; k < problem.n_blocks; ++k) deep = deep + too_deep(k);
    if (!any(deep > zero)) return {zero, zero};

    T *push = work.spare(0), *loop_push = work.spare(1), *unused = work.spare(2);
    for (int r = 0; r < problem.n_rows; ++r) push[r] = zero;
    for (int k = 0; k < tree.n_constraint_rows; ++k) loop_push[k] = zero;
    T missed(0.0);
    for (int l = 0; l < kLaneCount<T>; ++l) {
        if (!(lane_of(deep, l) > 0)) continue;
        work.find_islands(l);
        for (int i = 0; i < work.islands.size(); ++i) {
            const std::span<const int> island = work.islands[i];
            const bool stays = std::none_of(island.begin(), island.end(), [&](int k) {
                return k >= tree.n_constraint_rows &&
                       lane_of(too_deep(k - tree.n_constraint_rows), l) > 0;
            });
            if (stays) continue;
            work.read(at.dt, l, island);
            turn_to_gaps(lane_of(at.dt, l), work.lane, work.scratch());
            const SolveReport report = solve_by_newton(work.lane.system, world.numbers.tolerance,
                                                       world.numbers.iterations, work.scratch());
            if (!(report.residual <= kMissedDepth)) {
                const double by = report.residual / lane_of(at.dt, l);
                if (!(by <= lane_of(missed, l))) set_lane(missed, l, by);
            }
            work.lane.write(l, false, push, loop_push, unused);
        }
    }
    work.apply(push, loop_push, passes, shift);
    T lifted(0.0);
    const Vec3<double> g = vector_at(tree.gravity);
    for (int i = 0; i < tree.n_bodies; ++i) {
        if (tree.links[i].spinning) continue;
        const Force<T> moved = passes.loads.carried(
            tree, i, [&](const Inertia<double>& I) { return I * passes.body[i + 1].v; });
        lifted = lifted - dot(g, at.pose[i + 1].rotation * moved.linear);
    }
    return {lifted, missed};
}

}  // namespace tarsus::TARSUS_ISA
