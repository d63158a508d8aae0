// Many motions in lanes, each with its own time and length of step, to their next event: a lane
// that is done takes the next motion at once. What happens to a motion depends on nothing but
// itself.
//
// Events are zeros of guards. Where a step passes one it is made anew, shorter, until it ends
// there: all lanes make steps all the time, some to go on and some to land.
//
// Steps end at events and at `duration`, never where someone looks: a motion that pauses keeps the
// start of its last step, which is made again when it goes on.
#pragma once

#include "flow/explicit_step.hpp"
#include "flow/lane_guards.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFastestFlow = 1e10;  // velocities beyond are a motion that diverges
constexpr int kMostTries = 60;         // to land

template <class System>
class LaneFlow {
   public:
    using T = typename System::Number;
    static constexpr int kCount = kLaneCount<T>;

    LaneFlow(System& system, int nq, const HybridNumbers& numbers, const Tolerance& tolerance,
             const std::vector<Watched>& exits, HybridOutside* outside, Scratch& scratch)
        : system_(system),
          nq_(nq),
          numbers_(numbers),
          tolerance_(tolerance),
          outside_(outside),
          step_(system.size(), system.measured(), tolerance, scratch),
          guards_(exits, system.n_guards(), scratch),
          fresh_(scratch.take<T>(system.size())) {
        for (int j = 0; j < system.size(); ++j) step_.y[j] = step_.k[0][j] = T(0.0);
    }
    static size_t bytes(int size, int guards, int linkages) {
        return ExplicitStep<T>::bytes(size, linkages) + LaneGuards<T>::bytes(guards) +
               bytes_of<T>(size);
    }

    // `take` gives the next motion, or null; `done` is told of one that ended here, with the exit
    // it took or −1, and says whether it goes on here.
    template <class Take, class Done>
    void run(Take&& take, Done&& done) {
        while (true) {
            bool active = false, fresh = false;
            for (int l = 0; l < kCount; ++l) {
                if (!lane_[l].motion) {
                    if (HybridMotion* motion = take()) load(l, *motion);
                }
                active = active || lane_[l].motion;
                fresh = fresh || (lane_[l].motion && lane_[l].fresh);
            }
            if (!active) return;
            if (abandoned_ || outside_->interrupted()) return interrupt(done);
            if (fresh) {
                begin();
                bool ended = false;
                for (int l = 0; l < kCount; ++l) ended = start(l, done) || ended;
                if (ended) continue;
            }
            step(done);
        }
    }

   private:
    // what becomes of a lane's step
    struct Outcome {
        bool accepted = false;
        int exit = -1;
        double factor = 1;  // of the next length
        bool failed = false;
        HybridEnd why = HybridEnd::time;
    };
    struct Lane {
        HybridMotion* motion = nullptr;
        double t = 0, h = 0;
        bool fresh = false, rejected = false;
        int target = -1;  // the exit that it is landing on
        int tries = 0;
        Bracket bracket;
        bool again = false;  // the step in which it paused is made again, with this outcome
        Outcome outcome;
    };

    void load(int l, HybridMotion& motion) {
        Lane& lane = lane_[l];
        lane = {};
        lane.motion = &motion, lane.t = motion.t, lane.fresh = true;
        system_.load(l, motion, step_.y);
        if (!motion.step.empty()) return restore(l);
        if (system_.next_sample(motion) <= motion.t) note(l, motion.t, step_.y);
    }
    // the start of a step in which a motion pauses, and back
    void save(int l, double h, const Outcome& outcome) {
        const Lane& lane = lane_[l];
        std::vector<double>& to = lane.motion->step;
        to = {lane.t, h, double(lane.rejected), double(outcome.exit), outcome.factor};
        for (const T* each : {step_.y, step_.k[0]}) {
            for (int j = 0; j < system_.size(); ++j) to.push_back(lane_of(each[j], l));
        }
        guards_.save(l, to);
    }
    void restore(int l) {
        Lane& lane = lane_[l];
        const double* from = lane.motion->step.data();
        lane.t = from[0], lane.h = from[1], lane.rejected = from[2] != 0;
        lane.outcome = {.accepted = true, .exit = int(from[3]), .factor = from[4]};
        lane.fresh = false, lane.again = true;
        from += HybridMotion::kStep;
        for (T* each : {step_.y, step_.k[0]}) {
            for (int j = 0; j < system_.size(); ++j) set_lane(each[j], l, *from++);
        }
        guards_.restore(l, from);
        lane.motion->step.clear();
    }
    // whether a lane's step reaches the time at which motions pause before they end
    bool pauses(int l, double h) const {
        return numbers_.pause < numbers_.duration && lane_[l].t + h >= numbers_.pause;
    }

    void store(int l) {
        HybridMotion& motion = *lane_[l].motion;
        motion.t = lane_[l].t;
        system_.store(l, step_.y, step_.k[0], motion);
    }
    void note(int l, double t, const T* y) {
        HybridMotion& motion = *lane_[l].motion;
        system_.note(l, t, y, motion);
    }

    // slopes, guards and lengths of lanes with a new motion
    void begin() {
        system_.rates(times(), step_.y, fresh_, guards_.next_value, guards_.next_slope);
        for (int l = 0; l < kCount; ++l) {
            if (!lane_[l].motion || !lane_[l].fresh) continue;
            for (int j = 0; j < system_.size(); ++j)
                set_lane(step_.k[0][j], l, lane_of(fresh_[j], l));
            guards_.begin(l);
            lane_[l].h = first_step(l);
        }
    }
    double first_step(int l) const {
        if (numbers_.first_step > 0) return numbers_.first_step;
        double d0 = 0, d1 = 0;
        for (int j = 0; j < system_.measured(); ++j) {
            const double y = lane_of(step_.y[j], l), f = lane_of(step_.k[0][j], l);
            const double scale = 1 / (tolerance_.atol + tolerance_.rtol * std::abs(y));
            d0 = std::max(d0, std::abs(y * scale)), d1 = std::max(d1, std::abs(f * scale));
        }
        const double by_error = std::pow(0.01 / std::max(d1, 1e-8), 0.125);
        const double by_size = d0 > 1e-5 && d1 > 1e-5 ? d0 / d1 : 1e-4;
        return 0.5 * std::min(by_error, by_size);
    }
    // Which guards are armed; true if the motion ends where it starts.
    template <class Done>
    bool start(int l, Done&& done) {
        Lane& lane = lane_[l];
        if (!lane.motion || !lane.fresh) return false;
        lane.fresh = false;
        for (int j = 0; j < system_.measured(); ++j) {
            if (!std::isfinite(lane_of(step_.k[0][j], l)))
                return leave(l, HybridEnd::not_finite, done);
        }
        const int now = guards_.arm(l, *lane.motion);
        if (now == LaneGuards<T>::kNotFinite) return leave(l, HybridEnd::not_finite, done);
        if (now >= 0) return arrive(l, now, done);
        if (lane.t >= numbers_.duration) return leave(l, HybridEnd::time, done);
        return false;
    }

    // no step is longer than it may be
    void shorten(int l) {
        Lane& lane = lane_[l];
        if (numbers_.longest_step > 0) lane.h = std::min(lane.h, numbers_.longest_step);
        lane.h = std::min(lane.h, system_.longest_step(l, step_.y));
        if (lane.t + lane.h > numbers_.duration) lane.h = numbers_.duration - lane.t;
    }
    T times() const {
        T t(0.0);
        for (int l = 0; l < kCount; ++l) set_lane(t, l, lane_[l].t);
        return t;
    }

    template <class Done>
    void step(Done&& done) {
        T h(0.0), goes_on(0.0);
        for (int l = 0; l < kCount; ++l) {
            Lane& lane = lane_[l];
            if (!lane.motion) continue;
            if (!lane.again) shorten(l);
            set_lane(h, l, lane.h);
        }
        const T t = times();
        step_.stages(system_, t, h);
        const T error = step_.error(h);
        if (any_ends(error)) {
            step_.finish(system_, t, h, guards_.next_value, guards_.next_slope);
        }
        Outcome outcome[kCount];
        bool samples = false;
        for (int l = 0; l < kCount; ++l) {
            outcome[l] = lane_[l].motion ? judge(l, lane_of(error, l)) : Outcome{};
            if (outcome[l].accepted) {
                set_lane(goes_on, l, 1.0);
                if (pauses(l, lane_of(h, l))) save(l, lane_of(h, l), outcome[l]);
                samples = samples || next_sample(l) <= lane_[l].t + lane_of(h, l);
            }
        }
        system_.settle(goes_on, step_.next);
        if (samples) sample(t, h, outcome);
        for (int j = 0; j < system_.size(); ++j) {
            step_.y[j] = select(goes_on > T(0.0), step_.next[j], step_.y[j]);
            step_.k[0][j] =
                select(goes_on > T(0.0), step_.k[ExplicitStep<T>::kStages][j], step_.k[0][j]);
        }
        guards_.go_on(goes_on);
        for (int l = 0; l < kCount; ++l) finish(l, outcome[l], lane_of(h, l), done);
    }

    // whether a lane's step is good enough, a try to land, or made again: rates and guards at its
    // end are needed
    bool any_ends(const T& error) const {
        for (int l = 0; l < kCount; ++l) {
            const Lane& lane = lane_[l];
            if (lane.motion && (lane_of(error, l) <= 1 || lane.target >= 0 || lane.again))
                return true;
        }
        return false;
    }

    Outcome judge(int l, double error) {
        Lane& lane = lane_[l];
        if (lane.again) return lane.again = false, lane.outcome;
        if (lane.target >= 0) return land(l);
        Outcome outcome;
        if (!(error <= 1)) {
            ++lane.motion->rejected;
            const double factor = std::isfinite(error) ? 0.9 * std::pow(error, -0.125) : 0.2;
            lane.h *= std::max(0.2, factor), lane.rejected = true;
            if (lane.t + lane.h > lane.t + 4e-16 * std::abs(lane.t) && lane.h > 1e-16)
                return outcome;
            return {.failed = true,
                    .why = std::isfinite(error) ? HybridEnd::too_short : HybridEnd::not_finite};
        }
        const auto passed = guards_.passed(l, lane.h);
        if (passed.exit == LaneGuards<T>::kShorter) return outcome;
        if (passed.at_end) return {.accepted = true, .exit = passed.exit};
        if (passed.exit >= 0) {
            aim(l, passed.exit, lane.h);
            return outcome;
        }
        outcome.accepted = true;
        const double most = lane.rejected ? 1.0 : 5.0;
        outcome.factor = error > 0 ? std::clamp(0.9 * std::pow(error, -0.125), 0.2, most) : most;
        lane.rejected = false;
        return outcome;
    }

    // from now on the lane's steps are tries to end where this guard is zero, between 0 and `high`
    void aim(int l, int exit, double high) {
        Lane& lane = lane_[l];
        lane.target = exit, lane.tries = 0;
        lane.bracket = guards_.bracket(exit, l, high);
        lane.h = lane.bracket.guess(guards_.beside(exit, l, guards_.slope),
                                    guards_.beside(exit, l, guards_.next_slope));
    }
    Outcome land(int l) {
        Lane& lane = lane_[l];
        const double value = guards_.beside(lane.target, l, guards_.next_value);
        double slope = guards_.beside(lane.target, l, guards_.next_slope);
        if (!std::isfinite(slope)) slope = lane.bracket.slope_to(lane.h, value);
        if (!std::isfinite(value)) return {.failed = true, .why = HybridEnd::not_finite};
        const Bracket& bracket = lane.bracket;
        const bool narrow = bracket.high() - bracket.low() <= kLocated;
        if (!guards_.located(lane.t, value, slope) && !narrow && ++lane.tries < kMostTries) {
            lane.h = lane.bracket.next(lane.h, value, slope);
            return {};
        }
        // another one may have been passed before
        if (const int other = guards_.other(l, lane.target, lane.t); other >= 0) {
            aim(l, other, lane.h);
            return {};
        }
        return {.accepted = true, .exit = lane.target};
    }

    double next_sample(int l) const { return system_.next_sample(*lane_[l].motion); }
    // there may be far more samples in a step than steps
    void sample(const T& t, const T& h, const Outcome* outcome) {
        step_.prepare_output(system_, t, h);
        for (int l = 0; l < kCount; ++l) {
            if (!outcome[l].accepted) continue;
            const double from = lane_[l].t, length = lane_of(h, l);
            while (next_sample(l) <= from + length) {
                if (lane_[l].motion->samples.size() % 64 == 0) abandoned_ = outside_->abandoned();
                if (abandoned_) return;
                const double at = next_sample(l), x = length > 0 ? (at - from) / length : 1.0;
                for (int j = 0; j < system_.size(); ++j)
                    set_lane(fresh_[j], l, step_.at(j, l, length, x));
                T here(0.0);
                set_lane(here, l, 1.0);
                system_.settle(here, fresh_);
                note(l, at, fresh_);
            }
        }
    }

    template <class Done>
    void finish(int l, const Outcome& outcome, double h, Done&& done) {
        Lane& lane = lane_[l];
        if (!lane.motion) return;
        if (outcome.failed) {
            leave(l, outcome.why, done);
            return;
        }
        if (!outcome.accepted) return;
        if (pauses(l, h)) {
            leave(l, HybridEnd::paused, done);
            return;
        }
        ++lane.motion->steps;
        const bool last = h >= numbers_.duration - lane.t;
        lane.t = last ? numbers_.duration : lane.t + h;
        lane.target = -1;
        for (int j = nq_; j < system_.measured(); ++j) {
            if (!(std::abs(lane_of(step_.y[j], l)) < kFastestFlow)) {
                leave(l, HybridEnd::diverged, done);
                return;
            }
        }
        if (outcome.exit >= 0 && guards_.holds(outcome.exit, l)) {
            arrive(l, outcome.exit, done);
            return;
        }
        guards_.rearm(l);
        if (outcome.exit >= 0) guards_.disarm(outcome.exit, l);
        lane.h = outcome.exit >= 0 ? first_step(l) : h * outcome.factor;
        if (last) leave(l, HybridEnd::time, done);
        else if (lane.motion->steps >= numbers_.most(numbers_.most_steps, lane.t))
            leave(l, HybridEnd::steps, done);
    }
    template <class Done>
    bool arrive(int l, int exit, Done&& done) {
        store(l);
        HybridMotion& motion = *lane_[l].motion;
        lane_[l].motion = nullptr;
        if (done(motion, exit)) load(l, motion);
        return true;
    }
    template <class Done>
    bool leave(int l, HybridEnd why, Done&& done) {
        store(l);
        HybridMotion& motion = *lane_[l].motion;
        motion.ended = why;
        lane_[l].motion = nullptr;
        done(motion, -1);
        return true;
    }
    template <class Done>
    void interrupt(Done&& done) {
        for (int l = 0; l < kCount; ++l) {
            if (lane_[l].motion) leave(l, HybridEnd::interrupted, done);
        }
    }

    System& system_;
    const int nq_;
    const HybridNumbers& numbers_;
    const Tolerance tolerance_;
    HybridOutside* outside_;
    ExplicitStep<T> step_;
    LaneGuards<T> guards_;
    T* fresh_;
    bool abandoned_ = false;
    Lane lane_[kCount];
};

}  // namespace tarsus::TARSUS_ISA
