// Guards of motions in lanes: their values and slopes at both ends of a step, from which side each
// counts, and which of them a step has passed.
#pragma once

#include "dynamics/arguments.hpp"
#include "flow/hybrid.hpp"
#include "flow/zeros.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kLocated = 2e-13;   // [s] an event is located when it is nearer
constexpr double kAtZero = 1e-10;    // a guard that starts below its zero by less is there
constexpr double kShortest = 1e-12;  // [s] steps in which a guard may leave its zero and return
constexpr double kGrazing = 0.1;     // of a guard's values: one that comes so near is looked at

// What a flow needs to know of an exit.
struct Watched {
    Crossing crossing;
    int condition, n_conditions;  // among the guards
};

template <class T>
class LaneGuards {
   public:
    static constexpr int kCount = kLaneCount<T>;

    // those of exits come first, then their conditions
    LaneGuards(const std::vector<Watched>& exits, int guards, Scratch& scratch)
        : value(scratch.take<T>(guards)),
          slope(scratch.take<T>(guards)),
          next_value(scratch.take<T>(guards)),
          next_slope(scratch.take<T>(guards)),
          exits_(exits),
          guards_(guards),
          side_(exits.size() * kCount) {
        for (int g = 0; g < guards; ++g) value[g] = slope[g] = T(0.0);
    }
    static size_t bytes(int guards) { return 4 * bytes_of<T>(guards); }

    T *value, *slope, *next_value, *next_slope;  // at the start of a step, and at its end

    // the end becomes the start, in lanes that go on
    void go_on(const T& where) {
        for (int g = 0; g < guards_; ++g) {
            value[g] = select(where > T(0.0), next_value[g], value[g]);
            slope[g] = select(where > T(0.0), next_slope[g], slope[g]);
        }
    }
    // … or in one lane
    void begin(int l) {
        for (int g = 0; g < guards_; ++g) {
            set_lane(value[g], l, lane_of(next_value[g], l));
            set_lane(slope[g], l, lane_of(next_slope[g], l));
        }
    }

    // what is known at the start of a step in one lane, for a motion that pauses, and back
    void save(int l, std::vector<double>& to) const {
        for (const T* each : {value, slope}) {
            for (int g = 0; g < guards_; ++g) to.push_back(lane_of(each[g], l));
        }
        for (size_t g = 0; g < exits_.size(); ++g) to.push_back(side_[g * kCount + l]);
    }
    void restore(int l, const double* from) {
        for (T* each : {value, slope}) {
            for (int g = 0; g < guards_; ++g) set_lane(each[g], l, *from++);
        }
        for (size_t g = 0; g < exits_.size(); ++g) side_[g * kCount + l] = *from++;
    }

    static constexpr int kNone = -1, kNotFinite = -2, kShorter = -3;

    // Where a motion starts: which guards count, and from which side. The exit that is taken at
    // once, kNone or kNotFinite.
    int arm(int l, HybridMotion& motion) {
        for (int g = 0; g < int(exits_.size()); ++g) {
            const double at = lane_of(value[g], l), rate = lane_of(slope[g], l);
            if (!std::isfinite(at)) return kNotFinite;
            const Crossing crossing = exits_[g].crossing;
            const bool at_zero = std::abs(at) <= kAtZero;
            double of = crossing == Crossing::falling ? 1 : -1;
            if (crossing == Crossing::any) of = (at_zero ? rate : at) > 0 ? 1 : -1;
            // it counts from its side, where it is, or where it is going from its zero
            const bool leaves = at_zero && of * rate > 0;
            side(g, l) = leaves || (of * at > 0 && !(at_zero && g == motion.taken)) ? of : 0;
            // at its zero and on its way: the event is now, unless it is the one that just was
            const bool known = g == motion.taken || motion.taken == HybridMotion::kAll;
            if (at_zero && of * rate < 0 && !known && holds(g, l)) return g;
            if (of * at < -kAtZero && motion.n_events == 0 && motion.steps == 0) motion.element = g;
        }
        motion.taken = kNone;
        return kNone;
    }
    // guards that have come to the side from which they count
    void rearm(int l) {
        for (int g = 0; g < int(exits_.size()); ++g) {
            const double at = lane_of(value[g], l);
            double& own = side(g, l);
            if (exits_[g].crossing == Crossing::any) own = at > 0 ? 1 : at < 0 ? -1 : own;
            else if (own == 0) {
                const double of = exits_[g].crossing == Crossing::falling ? 1 : -1;
                if (of * at > 0) own = of;
            }
        }
    }
    // it counts when it comes from its side again
    void disarm(int exit, int l) { side(exit, l) = 0; }

    // whether all conditions of an exit are positive
    bool holds(int exit, int l) const {
        const Watched& watched = exits_[exit];
        for (int k = 0; k < watched.n_conditions; ++k) {
            if (!(lane_of(value[watched.condition + k], l) > 0)) return false;
        }
        return true;
    }

    // What a step of length h has passed: the exit whose guard is zero first, and whether it is so
    // at the end of the step; kNone; or kShorter: h is another length to try first.
    struct Passed {
        int exit = kNone;
        bool at_end = false;
    };
    Passed passed(int l, double& h) const {
        Passed found;
        double first = 2;
        for (int g = 0; g < int(exits_.size()); ++g) {
            if (!armed(g, l)) {
                const double highest = comes_and_goes(g, l, h);
                if (!(highest > 0)) continue;
                h *= highest;
                return {kShorter};
            }
            const double from = beside(g, l, value), to = beside(g, l, next_value);
            const double down = beside(g, l, slope), up = beside(g, l, next_slope);
            if (to > 0) {
                if (!(down < 0 && up > 0)) continue;
                // it may have been below in between: where it seems so, or nearly so, the step ends
                // at its lowest
                const Cubic cubic(from, down * h, to, up * h);
                const double lowest = cubic.lowest(), least = cubic(lowest);
                if (least > kGrazing * std::min(from, to) || lowest * h < kShortest) continue;
                if (least > 0 && lowest > 0.9) continue;
                h *= lowest;
                return {kShorter};
            }
            if (!(from > 0) && up > 0) continue;  // it has not left its zero yet
            if (from <= kAtZero && down > 0 && h > kShortest) {
                // it leaves its zero and has come back: the step must end in between
                h *= 0.5;
                return {kShorter};
            }
            if (!(from > 0)) return {g, true};
            const double x = Bracket(1, from, to).guess(down * h, up * h);
            if (x < first) first = x, found.exit = g;
        }
        return found;
    }
    // another exit than `target` whose guard is below its zero at the end of the step, kNone if
    // none
    int other(int l, int target, double t) const {
        for (int g = 0; g < int(exits_.size()); ++g) {
            if (g == target || !armed(g, l)) continue;
            const double at = beside(g, l, next_value);
            if (!(at > 0 || located(t, at, beside(g, l, next_slope)))) return g;
        }
        return kNone;
    }
    static bool located(double t, double at, double rate) {
        const double near = std::max(kLocated, 4e-16 * std::abs(t));
        return at == 0 || std::abs(at) <= near * std::abs(rate);
    }

    // value or slope of an exit's guard, positive on the side that it comes from
    double beside(int g, int l, const T* of) const {
        return side_[g * kCount + l] * lane_of(of[g], l);
    }
    Bracket bracket(int g, int l, double high) const {
        return Bracket(high, beside(g, l, value), beside(g, l, next_value));
    }

   private:
    // Where, as a part of a step of length h, a guard that does not count is furthest on its side,
    // if it comes there and is gone again at the end of the step; else 0.
    double comes_and_goes(int g, int l, double h) const {
        const double of = exits_[g].crossing == Crossing::falling ? -1 : 1;  // below: it counts
        const double from = of * lane_of(value[g], l), to = of * lane_of(next_value[g], l);
        const double down = of * lane_of(slope[g], l), up = of * lane_of(next_slope[g], l);
        if (!(from >= 0 && to > 0 && down < 0 && up > 0)) return 0;
        const Cubic cubic(from, down * h, to, up * h);
        const double lowest = cubic.lowest();
        return cubic(lowest) < -kAtZero && lowest * h >= kShortest ? std::min(lowest, 0.9) : 0;
    }
    double& side(int g, int l) { return side_[g * kCount + l]; }
    bool armed(int g, int l) const { return side_[g * kCount + l] != 0; }

    const std::vector<Watched>& exits_;
    const int guards_;
    std::vector<double> side_;  // +1 or −1: guards count from this side; 0: not armed
};

}  // namespace tarsus::TARSUS_ISA
