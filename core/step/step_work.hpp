// One problem of a step from its rows to what their impulses do: a solution for each lane, and the
// change of all velocities.
#pragma once

#include "step/rows.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class StepWork {
   public:
    StepRows<T> rows;
    Islands islands;
    LaneRows<T> lane;

    StepWork(const World& world, const Parts& parts, const ArticulatedPasses<T>& passes,
             int n_contacts, Scratch& scratch)
        : StepWork(world, parts, passes, n_contacts, StepRows<T>::most(world, parts, n_contacts),
                   scratch) {}

    T* missed;  // of each row, by what velocity it is not held

    // the islands of one lane, once all rows are there
    void find_islands(int l) {
        const Problem<T>& problem = rows.problem;
        islands.find(rows.test, rows.map, problem.n_blocks, [&](int k) {
            const Block<T>& block = problem.block[k];
            return std::pair(block.row, lane_of(block.on, l) > 0 ? block.rows : 0);
        });
    }
    // the problem of an island
    void read(const T& dt, int l, std::span<const int> island) {
        lane.read(rows.problem, rows.test, rows.map, rows.lose, dt, l, island);
    }

    // In the lanes that are `open`, islands in which some block has `changed`(block, lane) since
    // they were solved. Tells report(lane, SolveReport, all) of the worst one, and whether these
    // are all.
    template <class Changed, class Report>
    TARSUS_APART void solve(const T& open, const T& dt, T* loop_impulse, Changed&& changed,
                            Report&& report) {
        const int loops = world_.tree->n_constraint_rows;
        for (int l = 0; l < kLaneCount<T>; ++l) {
            if (!(lane_of(open, l) > 0)) continue;
            SolveReport worst;
            bool any_rows = false, all = true;
            find_islands(l);
            for (int k = 0; k < islands.size(); ++k) {
                const std::span<const int> island = islands[k];
                if (std::none_of(island.begin(), island.end(),
                                 [&](int i) { return i < loops || changed(i - loops, l); })) {
                    all = false;
                    continue;
                }
                read(dt, l, island);
                if (lane.system.n > 0) {
                    worst.join(solve_rows(lane.system, world_.law, world_.numbers, scratch()));
                    any_rows = true;
                }
                lane.write(l, true, rows.problem.p, loop_impulse, missed);
            }
            if (any_rows) report(l, worst, all);
        }
    }

    // What impulses change: velocities of bodies in passes.body[…].v, out (nv).
    TARSUS_APART void apply(const T* p, const T* loop_impulse, ArticulatedPasses<T>& passes,
                            T* out) {
        const int n_loops = world_.tree->n_constraint_rows;
        for (int k = 0; k < n_loops; ++k) all_[k] = loop_impulse[k];
        for (int k = 0; k < rows.problem.n_rows; ++k) all_[n_loops + k] = p[k];
        const T* along = all_;
        if (rows.map.shared()) {
            rows.map.collect(all_, rows.test.rows(), collected_);
            along = collected_;
        }
        rows.test.load(along);
        for (int i = 0; i <= world_.tree->n_bodies; ++i) passes.body[i].c = zero_motion<T>();
        passes.accelerations(zero_motion<T>(), out);
    }

    Scratch scratch() const { return Scratch(solver_); }
    T* spare(int k) const { return spare_ + size_t(k) * most_; }

   private:
    StepWork(const World& world, const Parts& parts, const ArticulatedPasses<T>& passes,
             int n_contacts, int most, Scratch& scratch)
        : rows(world, parts, passes, n_contacts, scratch),
          islands(*world.tree, world.n_rows() + parts.n_rows + n_contacts, scratch),
          lane(*world.tree, StepRows<T>::most_held(world, parts), most, scratch),
          missed(scratch.take<T>(most)),
          world_(world),
          all_(scratch.take<T>(most)),
          collected_(scratch.take<T>(most)),
          spare_(scratch.take<T>(3 * size_t(most))),
          most_(most),
          solver_(scratch.take<std::byte>(solver_bytes(most))) {}

    const World& world_;
    T *all_, *collected_, *spare_;
    int most_;
    std::byte* solver_;
};

}  // namespace tarsus::TARSUS_ISA
