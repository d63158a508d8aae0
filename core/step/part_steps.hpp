// Parts in a step: where they are, the forces and rows that they add, and what is kept of them.
//
// A row that is held gets a velocity at which its gap x closes as the law says. Rates of the same
// velocities differ from step to step as the rows turn; half of that difference, κ, is taken off:
// then the way h V of a step, on its chord, ends where the row is zero, as it does for SHAKE
// (Ryckaert, Ciccotti & Berendsen 1977), and what is held keeps its energy.
#pragma once

#include "parts/laws.hpp"
#include "parts/part_motion.hpp"
#include "parts/path_at.hpp"
#include "step/motor_steps.hpp"
#include "step/rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kQuick = 0.5;    // part of a gap that is closed in a step, without a time constant
constexpr double kClosed = 1e-4;  // [m, rad] a gap that is smaller closes faster and faster
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

    // values and rates at the start of a step
    TARSUS_APART void begin(const Moment<T>& at, const JointState<T>& joints) {
        for (const Part& part : parts.list) {
            if (part.law == PartLaw::motor) {
                here(part).value[0] = here(part).rate_of_target[0] = T(0.0);
                start_[part.first_row] = joints.v[part.joints[0].w];
            }
            if (part.n_rows == 0 || part.law == PartLaw::motor) continue;
            T* kept = memory + part.memory;
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

    // what the rows have done; `missed`: of each row, by what velocity it was not held
    TARSUS_APART void keep(const Problem<T>& problem, const T* missed) {
        const T zero(0.0);
        for (const Part& part : parts.list) {
            T* kept = memory + part.memory;
            for (int r = 0; r < part.n_rows; ++r) kept[Part::kImpulse + r] = zero;
            if (part.n_rows) kept[Part::kMissed] = zero;
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
    PartAt<T>& here(const Part& part) const { return at_[&part - parts.list.data()]; }
    const T* law(const Part& part) const { return numbers + part.law_numbers(); }
    RowState<T> row_state(const Part& part, int r, const T* rate) const {
        const bool turns =
            part.coordinates == Coordinates::frame && part.row[r].kind != PartRowKind::position;
        return {here(part).value, rate, r, part.n_rows, turns};
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
        const T zero(0.0), one(1.0), on = select(numbers[part.numbers] > zero, one, zero);
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
        const T zero(0.0), half(0.5), one(1.0);
        const T *kept = memory + part.memory, &tau = law(part)[0], &limit = law(part)[1];
        const T &x = here(part).value[r], &rate = start_[part.first_row + r];
        const T fresh = select(kept[Part::kAge] < half, one, zero);
        // the plan may have changed its rate since: that is no curve of the row
        const T before =
            select(fresh > zero, rate, kept[Part::kRate + r] - here(part).rate_of_target[r]);
        T keeps(0.0), closes(kQuick), first(0.0);
        if (any(tau > zero)) {
            // x of three steps: the double root ρ = exp(−h/τ)
            const T slow = select(tau > zero, tau, one);
            const T decay = lanewise([](double e) { return std::exp(e); }, -(dt / slow));
            // what has closed is held: then ρ is zero
            const T near = absolute(x) * T(1 / kClosed);
            const T root = decay * select(near < one, near, one);
            keeps = select(tau > zero, root * root, keeps);
            closes = select(tau > zero, (one - root) * (one - root), closes);
            const T next = (x + (rate + x / slow) * dt) * decay;
            first = select(tau > zero, (next - x) / dt, zero);
        }
        const T curve = half * (rate - before);
        const T mean = half * (rate + before);
        const T going = neg_mul_add(closes, x / dt, keeps * mean) - curve;
        const T starts = select(tau > zero, first, -(closes * (x / dt)));
        block.target = select(fresh > zero, starts, going);
        const bool turns =
            part.coordinates == Coordinates::joint ||
            (part.coordinates == Coordinates::frame && part.row[r].kind != PartRowKind::position);
        block.reach = turns ? zero : one;
        block.gap = turns ? zero : x;
        const T most = limit * dt;
        block.high = select(limit < T(kUnbounded), most, T(kUnbounded));
        block.low = -block.high;
        block.held = select(limit < T(kUnbounded), zero, one);
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

    // force and moment of a wrench at the point of b, in axes of the world
    TARSUS_INLINE Force<T> wrench_of(const Part& part, const Pose<T>& b) const {
        const T *x = law(part), on = select(numbers[part.numbers] > T(0.0), T(1.0), T(0.0));
        Vec3<T> force{x[0], x[1], x[2]}, moment{x[3], x[4], x[5]};
        if (part.law == PartLaw::local_wrench) {
            force = b.rotation * force, moment = b.rotation * moment;
        }
        return {force * on, moment * on};
    }
    TARSUS_INLINE void push_wrench(const Part& part, const Moment<T>& at,
                                   ArticulatedPasses<T>& passes) {
        const int body = part.b.body + 1;
        if (body == 0) return;
        const Pose<T> b = frame_on(part.b, at.pose[body]);
        const Force<T> wrench = wrench_of(part, b);
        passes.body[body].p = passes.body[body].p - force_on(at.pose[body], b.position, wrench);
        T* push = memory + part.memory + Part::kPush;
        push[0] = wrench.linear.x, push[1] = wrench.linear.y, push[2] = wrench.linear.z;
        push[3] = wrench.angular.x, push[4] = wrench.angular.y, push[5] = wrench.angular.z;
    }
    TARSUS_INLINE T wrench_work(const Part& part, const Moment<T>& at) const {
        const int body = part.b.body + 1;
        if (body == 0) return T(0.0);
        const Pose<T>& pose = at.pose[body];
        const Pose<T> b = frame_on(part.b, pose);
        const Force<T> wrench = wrench_of(part, b);
        const Motion<T> twice = at.start[body] + at.after[body];
        const Vec3<T> v = point_velocity(pose, twice, b.position);
        return T(0.5) * at.dt *
               (dot(wrench.linear, v) + dot(wrench.angular, pose.rotation * twice.angular));
    }

    // acceleration of a field at a point, and its potential there
    TARSUS_INLINE Vec3<T> field_at(const Part& part, const Vec3<T>& x, T& potential) const {
        const T* n = law(part);
        const T on = select(numbers[part.numbers] > T(0.0), T(1.0), T(0.0));
        const Vec3<T> g{n[0], n[1], n[2]}, to{n[3] - x.x, n[4] - x.y, n[5] - x.z};
        const T square = dot(to, to);
        const T away = select(square > T(0.0), square, T(1.0)), length = square_root(away);
        const T pull = n[6] / (away * length);
        potential = -(dot(g, x) + n[6] / length) * on;
        return mul_add(to, pull, g) * on;
    }
    TARSUS_INLINE void push_field(const Part& part, const Moment<T>& at,
                                  ArticulatedPasses<T>& passes) {
        for (int i = 0; i < tree_.n_bodies; ++i) {
            if (tree_.links[i].spinning) continue;
            const Pose<T>& pose = at.pose[i + 1];
            passes.body[i + 1].p = passes.body[i + 1].p -
                                   passes.loads.carried(tree_, i, [&](const Inertia<double>& I) {
                                       const Vec3<double> c =
                                           I.first * (I.mass > 0 ? 1 / I.mass : 0.0);
                                       T unused;
                                       const Vec3<T> x = pose.rotation * c + pose.position;
                                       const Vec3<T> f = field_at(part, x, unused) * T(I.mass);
                                       return force_on(pose, x, Force<T>{f, zero_vector<T>()});
                                   });
        }
    }

    const Tree& tree_;
    PartAt<T>* at_;
    T *start_, *free_;  // rates of all rows: at the start of the step, and without impulses
    Pull<T>* pull_;
};

template <class T>
TARSUS_APART T PartSteps<T>::stored(const Pose<T>* pose, const Motion<T>* motion,
                                    const JointState<T>& joints, const Loads<T>& loads, const T& dt,
                                    T* out) {
    const T zero(0.0);
    T staggered(0.0);
    for (size_t k = 0; k < parts.list.size(); ++k) {
        const Part& part = parts.list[k];
        T sum(0.0);
        if (part.coordinates == Coordinates::field) {
            for (int i = 0; i < tree_.n_bodies; ++i) {
                if (tree_.links[i].spinning) continue;
                sum += loads.carried(tree_, i, [&](const Inertia<double>& I) {
                    const Vec3<double> c = I.first * (I.mass > 0 ? 1 / I.mass : 0.0);
                    T potential;
                    const Vec3<T> x = pose[i + 1].rotation * c + pose[i + 1].position;
                    const Vec3<T> g = field_at(part, x, potential);
                    const Vec3<T> v = point_velocity(pose[i + 1], motion[i + 1], x);
                    staggered = mul_add(T(0.5) * dt * T(I.mass), dot(g, v), staggered);
                    return potential * T(I.mass);
                });
            }
        }
        if (part.law == PartLaw::motor) {
            const T& current = memory[part.memory + Part::kOwn + Part::kCurrent];
            sum = MotorLaw::energy(law(part), current);
        } else if (part.n_rows && part.law != PartLaw::rigid) {
            T own[4], rate[kMostPartRows];
            for (int i = 0; i < 4; ++i) own[i] = memory[part.memory + Part::kOwn + i];
            place(part, pose, joints.q, memory + part.memory + Part::kAge, own);
            if (part.coordinates == Coordinates::joint) {
                joint_rates(part, here(part), joints.v, rate);
            } else {
                body_rates(part, pose, here(part), motion, rate);
            }
            const T on = select(numbers[part.numbers] > zero, T(1.0), zero);
            visit_law(part.law, [&](auto law_of) {
                using Law = decltype(law_of);
                for (int r = 0; r < part.n_rows; ++r) {
                    const Pull<T> now = Law::pull(law(part), row_state(part, r, rate));
                    sum = mul_add(Law::energy(law(part), here(part).value[r]), on, sum);
                    // ½ h f ẋ, and ½ β h² k ẋ² of the slope that is taken at the end of the step
                    const T lag = neg_mul_add(now.force - now.lost, rate[r],
                                              T(kLag) * dt * now.slope * rate[r] * rate[r]);
                    staggered = mul_add(T(0.5) * dt * on, lag, staggered);
                }
            });
        }
        out[k] = sum;
    }
    return staggered;
}

}  // namespace tarsus::TARSUS_ISA
