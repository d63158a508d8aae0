// What contacts, joint friction, limits and loops do in a step: impulses p that obey all laws, and
// v⁺ = v* + H⁻¹ Jᵀ p.
//
// An impulse may close what seemed to stay open: a second box lands on the first, a leg is driven
// to its limit. After each solution all candidates are looked at again with the new velocities;
// those that would be entered join the problem, until there are none: what has joined stays, so
// that this ends.
#pragma once

#include "dynamics/configuration.hpp"
#include "step/corrections.hpp"
#include "step/part_steps.hpp"
#include "step/room.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kContactRows = 6;  // impulses of a contact: three forces, three moments

template <class T>
class Impulses {
   public:
    int n_contacts = 0;
    Contact<T>* contacts;
    T* impulse;           // kContactRows for each contact
    T* kept;              // impulses, or ways slipped, of all candidates: three each
    T* turned;            // their moments in this step, three each, if there are any
    JointRows<T> joints;  // … and of joints
    PartSteps<T> parts;
    T *loop_impulse, *loop_mean;
    T steps, residual, speed;   // of the solver
    T failed, crowded, lifted;  // 1 where it gave up or had no room; energy of corrections

    Impulses(const World& world, const Parts& of, Scratch& scratch)
        : contacts(scratch.take<Contact<T>>(world.n_candidates() + 1)),
          impulse(scratch.take<T>(kContactRows * size_t(world.n_candidates()))),
          kept(scratch.take<T>(3 * size_t(world.n_candidates()))),
          turned(scratch.take<T>(world.extras.rows() > 3 ? 3 * size_t(world.n_candidates()) : 0)),
          joints{scratch.take<T>(world.n_rows()), scratch.take<T>(world.limits.size())},
          parts(world, of, scratch),
          loop_impulse(scratch.take<T>(world.tree->n_constraint_rows)),
          loop_mean(scratch.take<T>(world.tree->n_constraint_rows)),
          world_(world),
          tree_(*world.tree),
          seen_(scratch.take<Contact<T>>(world.n_candidates() + 1)),
          places_(scratch.take<Touch<T>>(world.n_candidates())),
          touched_(scratch.take<int>(world.n_candidates())),
          wanted_(scratch.take<T>(world.n_candidates())),
          listed_(scratch.take<int>(world.n_candidates())),
          fresh_(scratch.take<T>(world.n_candidates())),
          fresh_limit_(scratch.take<T>(world.limits.size())),
          pairs_(scratch.take<int>(world.shapes.n_pairs())),
          search_(world.shapes, scratch),
          change_(scratch.take<T>(world.tree->nv)),
          joint_change_(scratch.take<T>(world.tree->joint_nv)) {}

    // candidates whose impulses are kept
    int n_touched() const { return n_touched_; }
    int touched(int k) const { return touched_[k]; }
    void keep_candidate(int candidate) { touched_[n_touched_++] = candidate; }
    void forget() {
        for (long k = 0; k < 3L * world_.n_candidates(); ++k) kept[k] = T(0.0);
        for (int c = 0; c < world_.n_candidates(); ++c) wanted_[c] = fresh_[c] = T(0.0);
        n_touched_ = n_listed_ = 0;
    }
    // what does not touch any more starts anew
    TARSUS_APART void forget_open() {
        for (int k = 0; k < n_touched_; ++k) {
            T on(0.0);
            for (int c = 0; c < n_contacts; ++c) {
                if (contacts[c].candidate == touched_[k]) on = contacts[c].on;
            }
            for (int i = 0; i < 3; ++i) {
                T& x = kept[3 * touched_[k] + i];
                x = select(on > T(0.0), x, T(0.0));
            }
        }
        n_touched_ = 0;
    }

    void begin() {
        n_contacts = 0, speed = T(kSlowest), misplaced_ = T(0.0);
        steps = residual = failed = crowded = lifted = T(0.0);
        for (size_t k = 0; k < world_.limits.size(); ++k) joints.wanted[k] = T(0.0);
        // lanes that gave up have no solution, but all lanes are applied
        for (int k = 0; k < tree_.n_constraint_rows; ++k) loop_impulse[k] = T(0.0);
        const long moments = world_.extras.rows() > 3 ? 3L * world_.n_candidates() : 0;
        for (long k = 0; k < moments; ++k) turned[k] = T(0.0);
    }

    // `ahead`: velocities that tell what will touch; `again`: what is wanted stays where it was
    TARSUS_INLINE void find(const Moment<T>& at, const Motion<T>* ahead, const T* parameters,
                            const T& alive, bool again = false) {
        const std::span<const int> pairs = again ? wanted_pairs() : std::span<const int>{};
        n_contacts =
            find_contacts<T>(world_, {at.pose, at.start, ahead}, at.dt, parameters, alive,
                             {wanted_, pairs, again ? places_ : nullptr, again}, search_, contacts);
        // what was wanted and is not near is not wanted any more
        for (int k = 0; !again && k < n_touched_; ++k) wanted_[touched_[k]] = T(0.0);
        if (!again) n_listed_ = 0;
        for (int c = 0; c < n_contacts; ++c) {
            const int candidate = contacts[c].candidate;
            places_[candidate] = contacts[c].touch;
            if (again) {
                T& fresh = fresh_[candidate];
                fresh = select(contacts[c].on > wanted_[candidate], T(1.0), fresh);
            }
            want(candidate, contacts[c].on);
            const T missed = contacts[c].touch.missed * contacts[c].on;
            misplaced_ = select(missed > misplaced_, missed, misplaced_);
        }
        refuse_crowds();
    }

    // w: velocities of all joints without impulses. v (nv) becomes the velocity after them, `shift`
    // (nv) by how much positions are moved out of what they have entered.
    TARSUS_APART void resolve(Moment<T>& at, const T* parameters, const T& alive,
                              ArticulatedPasses<T>& passes, const T* w, T* v, T* shift) {
        T open = alive;
        bool any_rows = false;
        const bool exact = world_.law != Law::penalty;
        if (exact && world_.numbers.ahead) want_loaded(passes.joints, at.dt);
        for (bool again = false;; again = true) {
            if (exact) find(at, at.free, parameters, alive, again);
            if (!again) forget_fresh();
            const int solved = exact ? n_contacts : 0;
            any_rows = solved > 0 || world_.n_rows() > 0 || tree_.n_constraint_rows > 0 ||
                       parts.parts.n_rows > parts.motors.idle_rows();
            if (!any_rows) break;
            StepWork<T> work = room_.take([&](Scratch& scratch) {
                return StepWork<T>(world_, parts.parts, passes, solved, scratch);
            });
            fill(work.rows, at, solved, parameters, alive, passes.joints, w);
            if (work.rows.map.size() == 0) {
                any_rows = false;
                break;
            }
            for (int r = 0; r < work.rows.problem.n_rows; ++r) work.missed[r] = T(0.0);
            work.solve(
                open, at.dt, loop_impulse,
                [&](int k, int l) { return !again || changed(work.rows.problem.block[k], l); },
                [&](int l, const SolveReport& report, bool all) { note(l, report, all); });
            forget_fresh();
            keep(work.rows.problem, exact);
            parts.keep(work.rows.problem, work.missed);
            work.apply(work.rows.problem.p, loop_impulse, passes, change_);
            for (int i = 0; i <= tree_.n_bodies; ++i) {
                at.after[i] = at.free[i] + passes.body[i].v;
            }
            if (exact && world_.numbers.ahead) {
                open = joined(at, parameters, alive, passes.joints, w);
                if (any(open > T(0.0))) continue;
            }
            for (int k = 0; k < tree_.nv; ++k) v[k] = v[k] + change_[k];
            if (exact && world_.numbers.ahead) {
                const Corrected<T> corrected = correct_positions(world_, at, work, passes, shift);
                lifted = corrected.lifted;
                // what is still too deep is told as a velocity that was missed
                residual = select(corrected.missed > residual, corrected.missed, residual);
            }
            break;
        }
        if (!any_rows) {
            keep(Problem<T>{}, exact);
            parts.keep(Problem<T>{}, nullptr);
            for (int i = 0; i <= tree_.n_bodies; ++i) at.after[i] = at.free[i];
        }
        for (int k = 0; exact && k < n_listed_; ++k) wanted_[listed_[k]] = T(0.0);
        if (exact) n_listed_ = 0;
        // … and so are contacts whose nearest points were not found
        residual = select(misplaced_ > residual * at.dt, misplaced_ / at.dt, residual);
    }

   private:
    TARSUS_INLINE void fill(StepRows<T>& rows, const Moment<T>& at, int solved, const T* parameters,
                            const T& alive, const JointState<T>& state, const T* w) {
        rows.test.clear();
        rows.push_loops(at);
        rows.push_joints(state, at.dt, w, alive, joints);
        parts.push_rows(at, w, alive, rows);
        rows.push_contacts(contacts, solved, at, parameters, kept, turned);
        for (int k = 0; k < tree_.n_constraint_rows; ++k) loop_mean[k] = rows.loop_mean[k];
    }
    // what was pushed in the last step most likely is in this one, too: it need not join later
    void want_loaded(const JointState<T>& state, const T& dt) {
        const T zero(0.0), one(1.0);
        for (int k = 0; k < n_touched_; ++k) {
            const int c = touched_[k];
            want(c, select(kept[3 * c] > zero, one, zero));
        }
        const T* limit_kept = joints.kept + world_.friction.size();
        for (size_t k = 0; k < world_.limits.size(); ++k) {
            const Limit& limit = world_.limits[k];
            const T gap = T(limit.sign) * (state.q[limit.x] - T(limit.bound));
            const T near = select(gap < T(kSlowest) * dt, one, zero);
            joints.wanted[k] = select(limit_kept[k] > zero, near, zero);
        }
    }
    void want(int candidate, const T& on) {
        if (!any(wanted_[candidate] > T(0.0))) listed_[n_listed_++] = candidate;
        wanted_[candidate] = on;
    }
    // the pairs of solids that have a candidate which is wanted
    std::span<const int> wanted_pairs() {
        const Shapes& shapes = world_.shapes;
        std::sort(listed_, listed_ + n_listed_);
        int count = 0;
        for (int k = 0; k < n_listed_; ++k) {
            const int place = listed_[k] - shapes.n_ground();
            if (place < 0 || listed_[k] >= shapes.n_first()) continue;
            const int pair = place / kPairPoints;
            if (count == 0 || pairs_[count - 1] != pair) pairs_[count++] = pair;
        }
        return {pairs_, size_t(count)};
    }
    // `all`: nothing that was solved before stays as it was
    void note(int lane, SolveReport report, bool all) {
        set_lane(steps, lane, lane_of(steps, lane) + report.steps);
        if (!all) {
            report.join({0, lane_of(residual, lane), lane_of(speed, lane), false});
        }
        set_lane(residual, lane, report.residual), set_lane(speed, lane, report.speed);
        set_lane(failed, lane, report.failed ? 1.0 : 0.0);
    }
    // Whether a block has joined since the last solution. What else there is may only depend on
    // such; parts are always solved anew.
    bool changed(const Block<T>& block, int lane) const {
        if (block.source == Source::part) return true;
        if (block.source == Source::joint_friction) return false;
        const T& fresh = block.source == Source::contact ? fresh_[contacts[block.index].candidate]
                                                         : fresh_limit_[block.index];
        return lane_of(fresh, lane) > 0;
    }
    void forget_fresh() {
        for (int k = 0; k < n_listed_; ++k) fresh_[listed_[k]] = T(0.0);
        for (size_t k = 0; k < world_.limits.size(); ++k) fresh_limit_[k] = T(0.0);
    }

    // what the velocities after the impulses would enter joins; 1 in lanes where something did
    TARSUS_APART T joined(const Moment<T>& at, const T* parameters, const T& alive,
                          const JointState<T>& state, const T* w) {
        const T zero(0.0), one(1.0);
        T found(0.0);
        const auto join = [&](const T& on, T& wanted, T& fresh) {
            found = select(on > wanted, one, found);
            fresh = select(on > wanted, one, zero);
            wanted = select(on > wanted, on, wanted);
        };
        const int seen = find_contacts<T>(world_, {at.pose, at.start, at.after}, at.dt, parameters,
                                          alive, {wanted_, {}, places_, false}, search_, seen_);
        for (int c = 0; c < seen; ++c) {
            const int candidate = seen_[c].candidate;
            places_[candidate] = seen_[c].touch;
            T now = wanted_[candidate];
            join(seen_[c].on, now, fresh_[candidate]);
            want(candidate, now);
        }
        const T* change = change_;
        if (tree_.coupled) {
            spread_velocities(tree_, state.G, change_, joint_change_);
            change = joint_change_;
        }
        for (int k = 0; k < int(world_.limits.size()); ++k) {
            const Limit& limit = world_.limits[k];
            const T sign(limit.sign), rate = sign * (w[limit.w] + change[limit.w]);
            const T gap = sign * (state.q[limit.x] - T(limit.bound));
            const T& now = joints.wanted[k];
            const T on = StepRows<T>::limit_on(gap, rate, at.dt, alive, now);
            join(on, joints.wanted[k], fresh_limit_[k]);
        }
        return select(crowded > zero, zero, found);
    }

    // for the next step to start with
    TARSUS_INLINE void keep(const Problem<T>& problem, bool exact) {
        const T zero(0.0);
        for (int k = 0; exact && k < n_touched_; ++k) {
            for (int i = 0; i < 3; ++i) kept[3 * touched_[k] + i] = zero;
        }
        if (exact) n_touched_ = 0;
        const int n_friction = int(world_.friction.size());
        for (int k = 0; k < problem.n_blocks; ++k) {
            const Block<T>& block = problem.block[k];
            if (block.source == Source::part) continue;
            const T* p = problem.p + block.row;
            // adding zero leaves no trace of contacts that only other lanes have
            if (block.source != Source::contact) {
                const int first = block.source == Source::joint_limit ? n_friction : 0;
                joints.kept[first + block.index] = p[0] + zero;
                continue;
            }
            const int candidate = contacts[block.index].candidate;
            keep_candidate(candidate);
            for (int i = 0; i < kContactRows; ++i) {
                T& own = impulse[kContactRows * block.index + i];
                own = i < block.rows ? p[i] + zero : zero;
                if (i < 3) kept[3 * candidate + i] = own;
                else if (i < block.rows) turned[3 * candidate + i - 3] = own;
            }
        }
    }

    // lanes with more contacts than there is room for give up
    TARSUS_INLINE void refuse_crowds() {
        const T zero(0.0);
        T count(0.0);
        for (int c = 0; c < n_contacts; ++c) count += contacts[c].on;
        const T full = select(count > T(double(world_.max_contacts)), T(1.0), zero);
        if (!any(full > zero)) return;
        crowded = select(full > zero, full, crowded);
        int left = 0;
        for (int c = 0; c < n_contacts; ++c) {
            contacts[c].on = select(full > zero, zero, contacts[c].on);
            if (any(contacts[c].on > zero)) contacts[left++] = contacts[c];
        }
        n_contacts = left;
    }

    const World& world_;
    const Tree& tree_;
    Room room_;
    Contact<T>* seen_;
    Touch<T>* places_;  // where candidates of the problem touch
    int* touched_;
    int n_touched_ = 0;
    T* wanted_;                // 1 where a candidate belongs to the problem
    int* listed_;              // those candidates
    T *fresh_, *fresh_limit_;  // 1 where they, and limits, have joined since the last solution
    int n_listed_ = 0;
    int* pairs_;  // of solids, that are wanted
    PairSearch<T> search_;
    T *change_, *joint_change_;
    T misplaced_;  // [m] by how much nearest points of contacts were missed
};

}  // namespace tarsus::TARSUS_ISA
