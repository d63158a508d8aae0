// A motion with rigid contacts from event to event: while a grip lasts it is smooth; where it ends
// there are impacts, if something meets, and a new grip.
#include "flow/contact_changes.hpp"
#include "flow/contact_flows.hpp"
#include "flow/lane_flow.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// so many changes of grip within so short a time [s] are merged
constexpr int kMostAtOnce = 100;
constexpr double kAtOnce = 1e-4;
// [s] a time that is merged: the first, and the longest where one follows the other
constexpr double kMergedTime = 1e-6, kLongestMerged = 1e-4;
constexpr int kMostAgain = 8;
constexpr double kSoon = 1e-3;  // [s] after the last one
constexpr long kMostMerged = 20000;
constexpr int kMostUnsolved = 10;  // to go on where forces have no solution

// whether to stop is all that flows ask
class Asked final : public HybridOutside {
   public:
    explicit Asked(Outside& outside) : outside_(outside) {}
    void efforts(int, double, const double*, const double*, double*) override {}
    double guard(int, int, double, const double*, const double*) override { return 0; }
    void reset(int, double, std::vector<double>&, std::vector<double>&) override {}
    const double* table(int, const double*) override { return nullptr; }
    bool interrupted() override { return outside_.interrupted(); }

   private:
    Outside& outside_;
};

class EventFlow final : public ContactFlow {
   public:
    EventFlow(const World& world, const ContactFlowNumbers& numbers, Outside& outside)
        : world_(world),
          tree_(*world.tree),
          numbers_(numbers),
          asked_(outside),
          system_(world, numbers_, outside),
          changes_(world, numbers_, system_) {
        q.resize(tree_.nq), v.resize(tree_.nv), work.resize(system_.n_works());
    }

    void start(double at, const double* from_q, const double* from_v,
               const double* from_work) override {
        t = at;
        q.assign(from_q, from_q + tree_.nq), v.assign(from_v, from_v + tree_.nv);
        work.assign(from_work, from_work + system_.n_works());
        started_ = true, motion_.step.clear();
        // a motion that goes on where it was keeps its grip
        if (gripped_ && q == settled_q_ && v == settled_v_) return;
        system_.grip.contacts.clear(), system_.grip.limits.clear(), system_.grip.dry.clear();
        gripped_ = false, at_once_ = 0;
    }

    FlowEnd go(const double* times, long count, double end) override {
        system_.times = times, system_.count = count, system_.next = 0;
        system_.samples = &samples;
        end_ = end;
        // forces may jump where it was started anew: what sticks may slip
        if (!gripped_ || started_) {
            const FlowEnd found = change();
            if (found != FlowEnd::reached) return found;
            started_ = false;
        }
        while (system_.next < count) {
            int exit = -1;
            const FlowEnd ended = segment(exit);
            if (ended == FlowEnd::too_short && t < end) {
                // many steps alone are no trouble
                if (t - from_ > kStiff * kMostSteps) continue;
                // forces without bounds, or that no step follows: impulses have a solution
                length_ = std::clamp(10 * (t - from_), kMergedTime, kLongestMerged);
                const FlowEnd found = merge();
                if (found != FlowEnd::reached) return found;
                continue;
            }
            if (ended != FlowEnd::reached) return ended;
            if (exit < 0) continue;
            const FlowEnd found = change();
            if (found != FlowEnd::reached) return found;
        }
        settled_q_ = q, settled_v_ = v;
        statistics.rates = system_.evaluated;
        return FlowEnd::reached;
    }

   private:
    // impacts and a new grip, at the time that is reached
    FlowEnd change() {
        if (t - first_change_ > kAtOnce) first_change_ = t, at_once_ = 0;
        // where it just was so it is not waited for as long
        const int most = t - merged_ < kSoon ? kMostAgain : kMostAtOnce;
        if (++at_once_ > most && t < end_) {
            if (t - merged_ > kSoon) length_ = kMergedTime;
            return merge();
        }
        if (long(events.size()) > numbers_.most_events) return FlowEnd::forever;
        system_.tip_rims(q.data(), v.data());
        const Grip before = system_.grip;
        if (system_.stop_turned(q.data(), v.data())) settle();
        if (changes_.approaches(q.data(), v.data()) &&
            !changes_.strike(t, q.data(), v.data(), work.data(), events))
            return unsolved();
        if (!changes_.decide(t, q.data(), v.data(), before, events)) return unsolved();
        tried_ = 0;
        std::fill(system_.released.begin(), system_.released.end(), 0.0);
        for (const auto& [candidate, back] : changes_.left_open())
            system_.released[candidate] = back;
        settle();
        gripped_ = true;
        return FlowEnd::reached;
    }
    // there are states in which forces have no solution, or solvers do not find it
    FlowEnd unsolved() {
        const bool finite = std::isfinite(system_.parameters()[kFriction]);
        return finite && ++tried_ <= kMostUnsolved && t < end_ ? merge() : FlowEnd::not_solved;
    }
    // Changes without time in between, as one over a short time, and a new grip.
    FlowEnd merge() {
        if (t - merged_ < 10 * length_) length_ = std::min(2 * length_, kLongestMerged);
        double h = std::min(length_, end_ - t);
        if (system_.next < system_.count) h = std::min(h, system_.times[system_.next] - t);
        if (++merged > kMostMerged) return FlowEnd::forever;
        if (changes_.approaches(q.data(), v.data()) &&
            !changes_.strike(t, q.data(), v.data(), work.data(), events, kNearly))
            return FlowEnd::not_solved;
        if (h > 0 && !changes_.merge(t, h, q.data(), v.data(), work.data()))
            return FlowEnd::not_solved;
        t = h == end_ - t ? end_ : t + h, merged_ = t, at_once_ = 0, first_change_ = t;
        system_.entered = -1;
        return change();
    }
    void settle() {
        std::vector<double> y(q);
        y.insert(y.end(), v.begin(), v.end());
        y.insert(y.end(), work.begin(), work.end());
        system_.settle(1.0, y.data());
        std::copy_n(y.begin(), tree_.nq, q.begin());
        std::copy_n(y.begin() + tree_.nq, tree_.nv, v.begin());
        std::copy_n(y.begin() + tree_.nq + tree_.nv, work.size(), work.begin());
    }

    // Until the grip ends, all samples are taken or the end is there. Where samples end within a
    // step, that step is made again by the next call.
    FlowEnd segment(int& exit) {
        if (!motion_.step.empty() && motion_.step[1] > end_ - motion_.step[0]) motion_.step.clear();
        if (motion_.step.empty()) begin();
        else system_.entered = -1;  // that step tells again
        const std::vector<Watched> exits(system_.watching.size(), {Crossing::falling, 0, 0});
        HybridNumbers numbers;
        numbers.rtol = numbers_.rtol, numbers.atol = numbers_.atol, numbers.duration = end_;
        numbers.most_steps = kMostSteps, numbers.pause = system_.times[system_.count - 1];
        const Tolerance tolerance{numbers_.rtol, numbers_.atol, numbers_.linkage.data(),
                                  numbers_.linkages};
        const size_t bytes =
            LaneFlow<ContactSystem>::bytes(system_.size(), system_.n_guards(), numbers_.linkages);
        Scratch scratch(memory_.get(bytes));
        LaneFlow<ContactSystem> flow(system_, tree_.nq, numbers, tolerance, exits, &asked_,
                                     scratch);
        const long steps = motion_.steps, rejected = motion_.rejected;
        bool taken = false;
        flow.run(
            [&]() -> HybridMotion* {
                if (taken) return nullptr;
                taken = true;
                return &motion_;
            },
            [&](HybridMotion&, int which) {
                exit = which;
                return false;
            });
        statistics.steps += motion_.steps - steps;
        statistics.rejected += motion_.rejected - rejected;
        if (motion_.ended == HybridEnd::paused && exit < 0) {
            const ContactSample& last = samples.back();
            t = numbers.pause, q = last.q, v = last.v, work = last.work;
            return FlowEnd::reached;
        }
        t = motion_.t, q = motion_.q, v = motion_.v, work = motion_.more;
        if (exit >= 0) return FlowEnd::reached;
        lost_q = q, lost_v = v;
        if (system_.entered >= 0) return entered = system_.entered, FlowEnd::entered;
        switch (motion_.ended) {
            case HybridEnd::time:
                return FlowEnd::reached;
            case HybridEnd::interrupted:
                return FlowEnd::interrupted;
            case HybridEnd::not_finite:
                return FlowEnd::not_finite;
            case HybridEnd::diverged:
                return FlowEnd::diverged;
            default:
                return FlowEnd::too_short;
        }
    }
    // a new motion from here, with guards of the present grip
    void begin() {
        system_.watch();
        motion_ = {};
        motion_.t = from_ = t, motion_.q = q, motion_.v = v, motion_.more = work;
        motion_.taken = HybridMotion::kAll;
    }

    // so many steps within one grip, shorter than so much in the mean [s], are too many
    static constexpr long kMostSteps = 2000;
    static constexpr double kStiff = 1e-5;

    const World& world_;
    const Tree& tree_;
    const ContactFlowNumbers numbers_;
    Asked asked_;
    ContactSystem system_;
    ContactChanges changes_;
    WorkMemory memory_;
    bool gripped_ = false, started_ = false;
    int at_once_ = 0, tried_ = 0;
    double first_change_ = -1, end_ = 0;
    double merged_ = -1, length_ = kMergedTime;  // when something was merged, and how long
    HybridMotion motion_;                        // while the grip lasts
    double from_ = 0;                            // where it began [s]
    std::vector<double> settled_q_, settled_v_;
};

}  // namespace

std::unique_ptr<ContactFlow> make_contact_flow(const World& world,
                                               const ContactFlowNumbers& numbers,
                                               Outside& outside) {
    return std::make_unique<EventFlow>(world, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
