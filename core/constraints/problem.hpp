// The complementarity problem of one step in all lanes: which impulses p make the velocities after
// it,
//
//   V = b + A p,   A = J H⁻¹ Jᵀ,   b = J v*,
//
// obey every law at once (Ayit 2015, section 4.4; Moreau 1988; Stewart & Trinkle 1996). Rows come
// in blocks: a contact has three (normal, two tangents) or more, dry friction of a joint and a
// joint's limit one each. Each island of a lane's own rows becomes a RowSystem, which is solved
// alone: then results cannot depend on other lanes, and nobody waits for the hardest problem.
#pragma once

#include "constraints/held_rows.hpp"
#include "constraints/islands.hpp"
#include "constraints/lane_operator.hpp"

namespace tarsus::TARSUS_ISA {

enum class Source : int { joint_friction, joint_limit, contact, part };

// The first row of a block is a box, the others are friction that depends on it.
template <class T>
struct Block {
    Source source;
    int row, rows, index;  // index: of the frictional joint, the limit or the contact
    LawExtras extras;      // of the contact
    T on;
    T target, bounce;  // least velocity of the first row, and what a bounce adds to it
    T low, high;       // of the first row's impulse
    T gap;             // from what the first row must not enter
    T mu, viscous;
    T reach;  // 1: a position, which may be out of reach
    T held;   // 1: its velocity is the target whatever it takes, or nearly so where it is soft
    // 1: soft, with a force against the row at the start, its slopes, and the row's rate there
    T soft, pull, slope, damping, rate;
};

// A spring's force is taken at the mean of the ends of a step that is centred on its start, as the
// velocities lag half a step: h k (x + β h (V − V₀)) with β = 1/4, which is stable for any k and
// has no damping of its own (implicit leapfrog: Zhang & Skeel, "Cheap implicit symplectic
// integrators", 1997). A damper acts at the end. Where it stops a motion within a step, so does the
// spring.
constexpr double kLag = 0.25;

constexpr double kOpen = 1e-3;  // [m, rad] a gap that may be out of reach

struct Softness {
    double compliance, target;
};
inline Softness softness(double pull, double slope, double damping, double rate, double dt,
                         double mobility) {
    const double stops = std::min(1.0, damping * dt * mobility);
    const double lag = kLag * (1 - stops), inert = mul_add(lag * dt, slope, damping);
    const double steep = mul_add(stops * dt, slope, inert);
    return {1 / (dt * steep), -(neg_mul_add(inert, rate, pull) / steep)};
}

template <class T>
struct Problem {
    int n_blocks = 0, n_rows = 0;
    Block<T>* block;
    T *b, *p;
};

// The rows of an island in one lane: those that hold, and are eliminated, and the others. `number`
// tells which rows of the problem these are, `place` which of those that were on: rows may be left
// out later.
template <class T>
class LaneRows {
   public:
    RowSystem system;
    int *number, *place;

    LaneRows(const Tree& tree, int held, int rows, Scratch& scratch)
        : system(rows, scratch),
          number(scratch.take<int>(rows)),
          place(scratch.take<int>(rows)),
          loops_(tree.n_constraint_rows),
          mobility_(held ? mobility_of(tree) : 0.0),
          operator_(tree, rows, scratch),
          held_(held, rows, scratch),
          mapped_(scratch.take<int>(rows)),
          lose_(scratch.take<double>(held)),
          reach_(scratch.take<bool>(held)) {}

    // `lose`: what the loops' rows must lose; `island`: its members (see Islands)
    TARSUS_APART void read(const Problem<T>& problem, const TestForces<T>& test,
                           const RowMap<T>& map, const T* lose, const T& dt, int lane,
                           std::span<const int> island) {
        RowSystem& s = system;
        s.n = s.n_boxes = s.n_discs = n_held_ = 0;
        bool open = false;
        const int own_loops =
            int(std::lower_bound(island.begin(), island.end(), loops_) - island.begin());
        for (int k : island.first(own_loops)) {
            reach_[n_held_] = false, mapped_[n_held_] = k,
            lose_[n_held_++] = lane_of(lose[k], lane);
        }
        n_loops_ = n_held_;
        const std::span<const int> blocks = island.subspan(own_loops);
        for (int k : blocks) {
            const Block<T>& block = problem.block[k - loops_];
            if (!(lane_of(block.held, lane) > 0)) continue;
            mapped_[n_held_] = loops_ + block.row;
            reach_[n_held_] = lane_of(block.reach, lane) > 0;
            open = open || std::abs(lane_of(block.gap, lane)) > kOpen;
            lose_[n_held_++] = lane_of(problem.b[block.row] - block.target, lane);
        }
        for (int k : blocks) {
            const Block<T>& block = problem.block[k - loops_];
            if (!(lane_of(block.held, lane) > 0)) add(problem, block, lane);
        }
        for (int r = s.n; r < padded(s.n); ++r) s.b[r] = s.p[r] = 0.0;
        for (int r = 0; r < s.n; ++r) mapped_[n_held_ + r] = loops_ + number[r];
        double* A = n_held_ ? held_.whole : s.A;
        operator_.sum(test, map, lane, mapped_, n_held_ + s.n, A);
        soften(problem, blocks, lane_of(dt, lane), lane, A);
        if (n_held_) held_.reduce(n_held_, n_loops_, mobility_, open, reach_, lose_, s);
    }

    // impulses of the rows, and of those that hold with them; by how much these miss their targets
    void write(int lane, bool closing, T* p, T* loop_impulse, T* missed) const {
        for (int r = 0; r < system.n; ++r) set_lane(p[number[r]], lane, system.p[r] + 0.0);
        for (int k = 0; k < n_held_; ++k) {
            const double impulse = held_.impulse(k, system.p, place, system.n, closing);
            if (k < n_loops_) set_lane(loop_impulse[mapped_[k]], lane, impulse);
            else set_lane(p[mapped_[k] - loops_], lane, impulse);
            if (k >= n_loops_) set_lane(missed[mapped_[k] - loops_], lane, held_.missed(k));
        }
    }

   private:
    void add(const Problem<T>& problem, const Block<T>& block, int lane) {
        RowSystem& s = system;
        const int first = s.n;
        const auto here = [&](const T& x) { return lane_of(x, lane); };
        for (int i = 0; i < block.rows; ++i, ++s.n) {
            number[s.n] = block.row + i, place[s.n] = s.n;
            s.b[s.n] = here(problem.b[block.row + i]), s.p[s.n] = here(problem.p[block.row + i]);
            s.target[s.n] = s.bounce[s.n] = 0.0, s.gap[s.n] = kNoGap;
        }
        s.box[s.n_boxes++] = {first, here(block.low), here(block.high)};
        const bool entered = block.source == Source::contact || block.source == Source::joint_limit;
        if (entered) s.gap[first] = here(block.gap);
        s.bounce[first] = here(block.bounce);
        s.target[first] = here(block.target) + s.bounce[first];
        s.b[first] -= s.target[first];
        if (block.rows < 3) return;
        s.disc[s.n_discs++] = {first + 1, 2, first, here(block.mu), here(block.viscous)};
        if (block.rows > 3) s.disc[s.n_discs++] = {first + 3, 1, first, block.extras.torsion, 0.0};
        if (block.rows > 4) s.disc[s.n_discs++] = {first + 4, 2, first, block.extras.rolling, 0.0};
    }

    // rows that give way: their compliances on the diagonal, and their targets
    void soften(const Problem<T>& problem, std::span<const int> blocks, double dt, int lane,
                double* A) {
        RowSystem& s = system;
        const long width = padded(n_held_ + s.n);
        int held = n_loops_, box = 0;
        for (int k : blocks) {
            const Block<T>& block = problem.block[k - loops_];
            const auto here = [&](const T& x) { return lane_of(x, lane); };
            const bool holds = here(block.held) > 0;
            const int own = holds ? held++ : box, row = holds ? own : n_held_ + own;
            if (!holds) box += block.rows;
            if (!(here(block.soft) > 0)) continue;
            double& diagonal = A[row * width + row];
            const Softness soft = softness(here(block.pull), here(block.slope), here(block.damping),
                                           here(block.rate), dt, diagonal);
            diagonal += soft.compliance;
            if (holds) lose_[own] -= soft.target;
            else s.target[own] += soft.target, s.b[own] -= soft.target;
        }
    }

    const int loops_;
    const double mobility_;
    int n_held_ = 0, n_loops_ = 0;
    LaneOperator operator_;
    HeldRows held_;
    int* mapped_;
    double* lose_;
    bool* reach_;
};

// the least velocity that closes a gap within the step
template <class T>
TARSUS_INLINE T ahead_target(const T& gap, const T& dt) {
    return select(gap > T(kTouching), -(gap / dt), T(0.0));
}

}  // namespace tarsus::TARSUS_ISA
