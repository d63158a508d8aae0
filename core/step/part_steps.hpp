// Parts in a step: where they are, the forces and rows that they add, and what is kept of them.
#pragma once

#include <algorithm>

#include "parts/laws.hpp"
#include "parts/part_motion.hpp"
#include "parts/path_at.hpp"
#include "parts/pushes.hpp"
#include "parts/rigid.hpp"
#include "step/motor_steps.hpp"
#include "step/rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kLeastSlope = 1e-9;  // of a row, as a part of the largest of its part

template <class T>
class PartSteps {
   public:
    const Parts& parts;
    T *numbers, *memory;
    MotorSteps<T> motors;

    PartSteps(const World& world, const Parts& p, Scratch& scratch)
        : parts(p),
          numbers(scratch.take<T>(p.n_numbers)),
          memory(scratch.take<T>(p.n_memory)),
          motors(p, scratch),
          tree_(*world.tree),
          at_(scratch.take<PartAt<T>>(p.list.size())),
          start_(scratch.take<T>(p.n_rows)),
          free_(scratch.take<T>(p.n_rows)),
          pull_(scratch.take<Pull<T>>(p.n_rows)) {}

    // whether some part takes whatever force it needs
    bool hold() const {
        return std::any_of(parts.list.begin(), parts.list.end(),
                           [](const Part& part) { return part.law == PartLaw::rigid; });
    }

    // values and rates at the start of a step
    TARSUS_APART void begin(const Moment<T>& at, const JointState<T>& joints) {
        for (const Part& part : parts.list) {
            if (part.law == PartLaw::motor) {
                here(part).value[0] = here(part).rate_of_target[0] = T(0.0);
                start_[part.first_row] = joints.v[part.joints[0].w];
            }
            if (part.n_rows == 0 || part.law == PartLaw::motor) continue;
            T* kept = memory + part.memory;
            kept[Part::kMissed] = T(0.0);
            place(part, at.pose, joints.q, kept + Part::kAge, kept + Part::kOwn);
            rates(part, at, at.start, joints.v, start_ + part.first_row);
            for (int r = 0; r < part.n_rows; ++r) kept[Part::kValue + r] = here(part).value[r];
            for (int i = 0; i < 6; ++i) kept[Part::kPush + i] = T(0.0);
            pull(part);
        }
    }

    // values and rates of all rows at the start of a step
    void look(T* values, T* rates) const {
        for (const Part& part : parts.list) {
            for (int r = 0; r < part.n_rows; ++r) {
                values[part.first_row + r] = here(part).value[r];
                rates[part.first_row + r] = start_[part.first_row + r];
            }
        }
    }

    // wrenches that are known before anything accelerates
    TARSUS_APART void push(const Moment<T>& at, ArticulatedPasses<T>& passes) {
        for (const Part& part : parts.list) {
            if (part.coordinates == Coordinates::body) push_wrench(part, at, passes);
            if (part.coordinates == Coordinates::field) push_field(part, at, passes);
        }
    }

    // rows; w: velocities of all joints without impulses
    TARSUS_APART void push_rows(const Moment<T>& at, const T* w, const T& alive,
                                StepRows<T>& rows) {
        for (const Part& part : parts.list) {
            if (part.n_rows == 0) continue;
            const T on = on_in(part) * alive;
            if (!any(on > T(0.0))) continue;
            rates(part, at, at.free, w, free_ + part.first_row);
            const int block = rows.test.blocks(), first = rows.test.rows();
            push_part(part, at.pose, here(part), rows.test);
            for (int r = 0; r < part.n_rows; ++r) {
                rows.map.add(block, first + r);
                Block<T>& row = rows.add_block(Source::part, part.first_row + r, 1, on);
                rows.problem.b[row.row] = free_[part.first_row + r];
                const T& last = memory[part.memory + Part::kImpulse + r];
                rows.problem.p[row.row] = select(on > T(0.0), last, T(0.0));
                if (part.law == PartLaw::motor) rub(part, at.dt, row);
                else if (part.law == PartLaw::rigid) hold(part, r, at.dt, row);
                else soften(part, r, at.dt, row);
            }
        }
    }

    // what the rows have done; `missed`: of each row, by what velocity it was not held, zero in
    // lanes that were solved in an earlier round
    TARSUS_APART void keep(const Problem<T>& problem, const T* missed) {
        const T zero(0.0);
        for (const Part& part : parts.list) {
            T* kept = memory + part.memory;
            for (int r = 0; r < part.n_rows; ++r) kept[Part::kImpulse + r] = zero;
        }
        int at = 0;
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            if (block.source != Source::part) continue;
            while (block.index >= parts.list[at].first_row + parts.list[at].n_rows) ++at;
            const Part& part = parts.list[at];
            T* kept = memory + part.memory;
            const int r = block.index - part.first_row;
            kept[Part::kImpulse + r] = select(block.on > zero, problem.p[block.row], zero) + zero;
            const T off = absolute(missed[block.row]) * block.on;
            kept[Part::kMissed] = select(off > kept[Part::kMissed], off, kept[Part::kMissed]);
            kept[Part::kWorst] = select(off > kept[Part::kWorst], off, kept[Part::kWorst]);
        }
    }

    // after a step: w of its end
    TARSUS_APART void finish(const Moment<T>& at, const T* w, const T& alive, bool ledger) {
        const T zero(0.0), half(0.5);
        for (const Part& part : parts.list) {
            T* kept = memory + part.memory;
            if (part.coordinates == Coordinates::body && ledger) {
                kept[Part::kWork] += wrench_work(part, at) * alive;
            }
            if (part.n_rows == 0 || part.law == PartLaw::motor) continue;
            const T on = on_in(part) * alive;
            T after[kMostPartRows], work(0.0);
            rates(part, at, at.after, w, after);
            Vec3<T> force = zero_vector<T>(), moment = zero_vector<T>();
            for (int r = 0; r < part.n_rows; ++r) {
                const T& p = kept[Part::kImpulse + r];
                const T& before = start_[part.first_row + r];
                const T mean = half * (before + after[r]);
                const T stores = stored_impulse(part, r, at.dt, after[r] - before);
                const T& moves = here(part).rate_of_target[r];
                work = mul_add(p, moves, mul_add(p - stores, mean, work));
                if (part.coordinates != Coordinates::joint) {
                    force = mul_add(here(part).row[r].linear, p / at.dt, force);
                    moment = mul_add(here(part).row[r].angular, p / at.dt, moment);
                } else {
                    force.x = p / at.dt;
                }
                kept[Part::kRate + r] =
                    select(alive > zero, after[r] + moves, kept[Part::kRate + r]);
            }
            const T push[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
            for (int i = 0; i < 6; ++i) kept[Part::kPush + i] = push[i];
            if (ledger) kept[Part::kWork] += select(on > zero, work, zero);
            const T older = kept[Part::kAge] + T(1.0);
            kept[Part::kAge] =
                select(on > zero, older, select(alive > zero, zero, kept[Part::kAge]));
        }
    }

    // What each part stores in a state; returns what of it belongs to the half step by which
    // velocities lag. Poses and velocities of bodies, q and w of all joints.
    TARSUS_APART T stored(const Pose<T>* pose, const Motion<T>* motion, const JointState<T>& joints,
                          const Loads<T>& loads, const T& dt, T* out);

   private:
    TARSUS_INLINE T field_energy(const Part& part, const Pose<T>* pose, const Motion<T>* motion,
                                 const Loads<T>& loads, const T& dt, T& staggered) const;
    TARSUS_INLINE T law_energy(const Part& part, const Pose<T>* pose, const Motion<T>* motion,
                               const JointState<T>& joints, const T& dt, T& staggered);
    PartAt<T>& here(const Part& part) const { return at_[&part - parts.list.data()]; }
    const T* law(const Part& part) const { return numbers + part.law_numbers(); }
    RowState<T> row_state(const Part& part, int r, const T* rate) const {
        const bool turns = part.coordinates == Coordinates::frame && !is_position(part, r);
        return {here(part).value, rate, r, part.n_rows, turns};
    }
    // whether a row is a length, and neither an angle nor a joint's coordinate
    static bool is_position(const Part& part, int r) {
        if (part.coordinates == Coordinates::joint) return false;
        return part.coordinates != Coordinates::frame || part.row[r].kind == PartRowKind::position;
    }

    TARSUS_INLINE void place(const Part& part, const Pose<T>* pose, const T* q, const T* age,
                             T* own) {
        const T* given = numbers + part.numbers;
        switch (part.coordinates) {
            case Coordinates::frame:
                return frame_at(tree_, part, pose, given, here(part));
            case Coordinates::line:
                return line_at(part, pose, given, here(part));
            case Coordinates::joint:
                return joint_at(part, q, given, here(part));
            default:
                return path_at(part, pose, *age, own, here(part));
        }
    }
    TARSUS_INLINE void rates(const Part& part, const Moment<T>& at, const Motion<T>* motion,
                             const T* w, T* out) const {
        if (part.coordinates == Coordinates::joint) return joint_rates(part, here(part), w, out);
        body_rates(part, at.pose, here(part), motion, out);
    }
    TARSUS_INLINE void pull(const Part& part) {
        visit_law(part.law, [&](auto law_of) {
            for (int r = 0; r < part.n_rows; ++r) {
                const RowState<T> state = row_state(part, r, start_ + part.first_row);
                pull_[part.first_row + r] = decltype(law_of)::pull(law(part), state);
            }
        });
    }
    // 1 where a part is on, and does something
    TARSUS_INLINE T on_in(const Part& part) const {
        const T zero(0.0), on = is_on(numbers + part.numbers);
        if (part.law == PartLaw::rigid) return on;
        if (part.law == PartLaw::motor) {
            return select(motors.drive(part).rubbing > zero, on, zero);
        }
        return select(steepest(part) > zero, on, zero);
    }
    // how steep the rows of a part are at most
    TARSUS_INLINE T steepest(const Part& part) const {
        T most(0.0);
        for (int r = 0; r < part.n_rows; ++r) {
            const Pull<T>& own = pull_[part.first_row + r];
            const T sum = own.slope + own.damping;
            most = select(sum > most, sum, most);
        }
        return most;
    }

    // dry friction in the gear of a motor
    TARSUS_INLINE void rub(const Part& part, const T& dt, Block<T>& block) {
        block.target = T(0.0);
        block.high = motors.drive(part).rubbing * dt;
        block.low = -block.high;
    }
    // the velocity that a row is held at, within its bounds
    TARSUS_INLINE void hold(const Part& part, int r, const T& dt, Block<T>& block) {
        const T zero(0.0), one(1.0), far(kUnbounded);
        const T *kept = memory + part.memory, &limit = law(part)[RigidLaw::kLimit];
        const T &x = here(part).value[r], &rate = start_[part.first_row + r];
        const T fresh = select(kept[Part::kAge] < T(0.5), one, zero);
        // the plan may have changed its rate since: that is no curve of the row
        const T last = kept[Part::kRate + r] - here(part).rate_of_target[r];
        const HeldRow<T> row{x, rate, select(fresh > zero, rate, last), fresh};
        block.target = RigidLaw::velocity(law(part)[RigidLaw::kTimeConstant], row, dt);
        const bool place = is_position(part, r);
        block.reach = place ? one : zero;
        block.gap = place ? x : zero;
        block.high = select(limit < far, limit * dt, far);
        block.low = -block.high;
        block.held = select(limit < far, zero, one);
    }
    // the force of a law and its slopes, within its bounds
    TARSUS_INLINE void soften(const Part& part, int r, const T& dt, Block<T>& block) {
        const T zero(0.0), one(1.0), far(kUnbounded);
        const Pull<T>& own = pull_[part.first_row + r];
        const T least = T(kLeastSlope) * steepest(part);
        block.soft = one;
        block.pull = own.force, block.slope = own.slope;
        block.damping = select(own.slope + own.damping > least, own.damping, least);
        block.rate = start_[part.first_row + r];
        visit_law(part.law, [&](auto law_of) {
            using Law = decltype(law_of);
            T bound = far;
            if constexpr (Law::kLimit >= 0) bound = bound_of(part, r, law(part)[Law::kLimit], dt);
            block.low = Law::kLow < 0 ? -bound : zero;
            block.high = Law::kHigh > 0 ? bound : zero;
            const bool both = Law::kLow < 0 && Law::kHigh > 0;
            block.held = both ? select(bound < far, zero, one) : zero;
        });
    }
    // of the impulse of a row, such that the force of all rows has at most this size
    TARSUS_INLINE T bound_of(const Part& part, int r, const T& limit, const T& dt) const {
        const T far(kUnbounded);
        T square(0.0);
        for (int s = 0; s < part.n_rows; ++s) {
            const T& f = pull_[part.first_row + s].force;
            square = mul_add(f, f, square);
        }
        const T size = square_root(square);
        const T part_of = absolute(pull_[part.first_row + r].force) / size;
        const T bound = select(size > limit, limit * part_of, limit) * dt;
        return select(limit < far, bound, far);
    }
    // the part of a row's impulse that goes into what it stores; `change` of its rate in the step
    TARSUS_INLINE T stored_impulse(const Part& part, int r, const T& dt, const T& change) const {
        if (part.law == PartLaw::rigid) return T(0.0);
        const Pull<T>& own = pull_[part.first_row + r];
        const T later = T(kLag) * dt * own.slope * change;
        return -(dt * (own.force - own.lost + later));
    }

    TARSUS_INLINE Force<T> wrench_of(const Part& part, const Pose<T>& b) const {
        return wrench_at(part, law(part), is_on(numbers + part.numbers), b);
    }
    TARSUS_INLINE Field<T> field_of(const Part& part, const Vec3<T>& x) const {
        return field_at(law(part), is_on(numbers + part.numbers), x);
    }
    TARSUS_INLINE void push_wrench(const Part& part, const Moment<T>& at,
                                   ArticulatedPasses<T>& passes);
    TARSUS_INLINE T wrench_work(const Part& part, const Moment<T>& at) const;
    TARSUS_INLINE void push_field(const Part& part, const Moment<T>& at,
                                  ArticulatedPasses<T>& passes);

    const Tree& tree_;
    PartAt<T>* at_;
    T *start_, *free_;  // rates of all rows: at the start of the step, and without impulses
    Pull<T>* pull_;
};

}  // namespace tarsus::TARSUS_ISA
