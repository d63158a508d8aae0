// One problem of a step from its rows to what their impulses do: the operator, a solution for each
// lane, and the change of all velocities.
#pragma once

#include "step/rows.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class StepWork {
   public:
    StepRows<T> rows;

    StepWork(const World& world, const ArticulatedPasses<T>& passes, int n_contacts,
             Scratch& scratch)
        : StepWork(world, passes, n_contacts, StepRows<T>::most(world, n_contacts), scratch) {}

    // A and b of the problem, once all rows are there
    TARSUS_APART void assemble() {
        const int N = rows.map.size(), m = rows.problem.n_rows, tests = rows.test.rows();
        rows.test.sum_operator(of_tests_);
        rows.problem.A = of_tests_;
        if (rows.map.shared()) {
            rows.map.expand(of_tests_, tests, of_rows_);
            rows.problem.A = of_rows_;
        }
        if (N == m) return;
        const T* whole = rows.problem.A;
        rows.problem.A = reduced_;
        rows.loops.reduce(whole, N, rows.lose, rows.problem);
    }

    // in the lanes that are `open`; tells report(lane, SolveReport)
    template <class Report>
    TARSUS_APART void solve(const T& open, Report&& report) {
        for (int l = 0; l < kLaneCount<T>; ++l) {
            if (!(lane_of(open, l) > 0)) continue;
            lane.read(rows.problem, world_.extras, l);
            if (lane.system.n == 0) continue;
            report(l, solve_rows(lane.system, world_.law, world_.numbers, scratch()));
            lane.write(rows.problem, l);
        }
    }

    // What impulses p of the problem's rows change: velocities of bodies in passes.body[…].v, out
    // (nv). Loops push so that they stay closed, and (`closing`) as their own gaps ask for.
    TARSUS_APART void apply(const T* p, bool closing, ArticulatedPasses<T>& passes, T* loop_impulse,
                            T* out) {
        const int n_loops = rows.map.size() - rows.problem.n_rows;
        if (n_loops > 0) {
            rows.loops.impulses(p, rows.problem.n_rows, closing, loop_impulse);
            for (int k = 0; k < n_loops; ++k) all_[k] = loop_impulse[k];
            for (int k = 0; k < rows.problem.n_rows; ++k) all_[n_loops + k] = p[k];
            p = all_;
        }
        if (rows.map.shared()) {
            rows.map.collect(p, rows.test.rows(), collected_);
            p = collected_;
        }
        rows.test.load(p);
        for (int i = 0; i <= world_.tree->n_bodies; ++i) passes.body[i].c = zero_motion<T>();
        passes.accelerations(zero_motion<T>(), out);
    }

    LaneRows<T> lane;
    T* spare(int k) const { return spare_ + size_t(k) * most_; }
    Scratch scratch() const { return Scratch(solver_); }

   private:
    StepWork(const World& world, const ArticulatedPasses<T>& passes, int n_contacts, int most,
             Scratch& scratch)
        : rows(world, passes, n_contacts, scratch),
          lane(most, scratch),
          world_(world),
          of_tests_(scratch.take<T>(size_t(most) * most)),
          of_rows_(scratch.take<T>(size_t(most) * most)),
          reduced_(scratch.take<T>(size_t(world.tree->n_constraint_rows ? most : 0) * most)),
          all_(scratch.take<T>(most)),
          collected_(scratch.take<T>(most)),
          spare_(scratch.take<T>(3 * size_t(most))),
          most_(most),
          solver_(scratch.take<std::byte>(solver_bytes(most))) {}

    const World& world_;
    T *of_tests_, *of_rows_, *reduced_, *all_, *collected_, *spare_;
    int most_;
    std::byte* solver_;
};

}  // namespace tarsus::TARSUS_ISA
