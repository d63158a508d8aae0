// The complementarity problem of one step in all lanes: which impulses p make the velocities after
// it,
//
//   V = b + A p,   A = J H⁻¹ Jᵀ,   b = J v*,
//
// obey every law at once (Ayit 2015, section 4.4; Moreau 1988; Stewart & Trinkle 1996). Rows come
// in blocks: a contact has three (normal, two tangents) or more, dry friction of a joint and a
// joint's limit one each. A lane's own rows become a RowSystem, which is solved alone: then results
// cannot depend on other lanes, and nobody waits for the hardest problem.
#pragma once

#include "constraints/lane_operator.hpp"
#include "constraints/loop_elimination.hpp"

namespace tarsus::TARSUS_ISA {

enum class Source : int { joint_friction, joint_limit, contact };

// The first row of a block is a box, the others are friction that depends on it.
template <class T>
struct Block {
    Source source;
    int row, rows, index;  // index: of the frictional joint, the limit or the contact
    T on;
    T target, bounce;  // least velocity of the first row, and what a bounce adds to it
    T low, high;       // of the first row's impulse
    T gap;             // from what the first row must not enter
    T mu, viscous;
};

template <class T>
struct Problem {
    int n_blocks = 0, n_rows = 0;
    Block<T>* block;
    T *b, *p;
};

// The rows that are on in one lane. `number` tells which rows of the problem they are, `place`
// which of those that were on: rows may be left out later.
template <class T>
class LaneRows {
   public:
    RowSystem system;
    int *number, *place;

    LaneRows(const Tree& tree, int rows, Scratch& scratch)
        : system(rows, scratch),
          number(scratch.take<int>(rows)),
          place(scratch.take<int>(rows)),
          operator_(tree, rows, scratch),
          loops_(tree.n_constraint_rows, rows, scratch),
          mapped_(scratch.take<int>(rows)),
          lose_(scratch.take<double>(tree.n_constraint_rows)) {}

    // `lose`: what the loops' rows must lose
    TARSUS_APART void read(const Problem<T>& problem, const TestForces<T>& test,
                           const RowMap<T>& map, const T* lose, const LawExtras& extras, int lane) {
        RowSystem& s = system;
        s.n = s.n_boxes = s.n_discs = 0;
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            if (lane_of(block.on, lane) > 0) add(problem, block, extras, lane);
        }
        for (int r = s.n; r < padded(s.n); ++r) s.b[r] = s.p[r] = 0.0;
        const int n = loops_.loops();
        for (int k = 0; k < n; ++k) mapped_[k] = k, lose_[k] = lane_of(lose[k], lane);
        for (int r = 0; r < s.n; ++r) mapped_[n + r] = n + number[r];
        operator_.sum(test, map, lane, mapped_, n + s.n, n ? loops_.whole : s.A);
        if (n) loops_.reduce(lose_, s);
    }
    // impulses of the rows, and of the loops with them
    void write(int lane, bool closing, T* p, T* loop_impulse) const {
        for (int r = 0; r < system.n; ++r) set_lane(p[number[r]], lane, system.p[r] + 0.0);
        for (int k = 0; k < loops_.loops(); ++k) {
            set_lane(loop_impulse[k], lane, loops_.impulse(k, system.p, place, system.n, closing));
        }
    }

   private:
    void add(const Problem<T>& problem, const Block<T>& block, const LawExtras& extras, int lane) {
        RowSystem& s = system;
        const int first = s.n;
        const auto here = [&](const T& x) { return lane_of(x, lane); };
        for (int i = 0; i < block.rows; ++i, ++s.n) {
            number[s.n] = block.row + i, place[s.n] = s.n;
            s.b[s.n] = here(problem.b[block.row + i]), s.p[s.n] = here(problem.p[block.row + i]);
            s.target[s.n] = s.bounce[s.n] = 0.0, s.gap[s.n] = kNoGap;
        }
        s.box[s.n_boxes++] = {first, here(block.low), here(block.high)};
        if (block.source != Source::joint_friction) s.gap[first] = here(block.gap);
        s.bounce[first] = here(block.bounce);
        s.target[first] = here(block.target) + s.bounce[first];
        s.b[first] -= s.target[first];
        if (block.rows < 3) return;
        s.disc[s.n_discs++] = {first + 1, 2, first, here(block.mu), here(block.viscous)};
        if (block.rows > 3) s.disc[s.n_discs++] = {first + 3, 1, first, extras.torsion, 0.0};
        if (block.rows > 4) s.disc[s.n_discs++] = {first + 4, 2, first, extras.rolling, 0.0};
    }

    LaneOperator operator_;
    LoopElimination loops_;
    int* mapped_;
    double* lose_;
};

// the least velocity that closes a gap within the step
template <class T>
TARSUS_INLINE T ahead_target(const T& gap, const T& dt) {
    return select(gap > T(kTouching), -(gap / dt), T(0.0));
}

}  // namespace tarsus::TARSUS_ISA
