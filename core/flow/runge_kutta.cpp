// The classical Runge–Kutta method of order 4 with steps of one length, for several states at once:
// their rates are evaluated in lanes, and no state depends on how many others there are. Stages
// follow the rates of the coordinates; after each step a state goes back to where it belongs: unit
// quaternions, closed loops, parts that are held (projection.hpp), which keeps the order (E.
// Hairer, C. Lubich, G. Wanner, "Geometric numerical integration", section IV.4).
#include <cmath>

#include "flow/explicit_step.hpp"
#include "flow/flows.hpp"
#include "flow/projection.hpp"
#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kFastest = 1e8;    // a motion that is faster has diverged
constexpr double kSameTime = 1e-9;  // parts of a step

class RungeKutta final : public Flow {
   public:
    RungeKutta(const Tree& tree, const FlowNumbers& numbers, Outside& outside)
        : tree_(tree),
          numbers_(numbers),
          outside_(outside),
          rates_(tree, numbers_, outside, Rates::Times::equal),
          project_(tree, numbers_.parts, numbers_.part_numbers.data()) {
        resize();
    }

    void start(double at, const double* from_q, const double* from_v,
               const double* from_work) override {
        if (states != resized_) resize();
        t = at;
        std::copy_n(from_q, q.size(), q.data()), std::copy_n(from_v, v.size(), v.data());
        std::copy_n(from_work, work.size(), work.data());
    }

    // so many steps of equal length, at most that which was given, end at `until`
    FlowEnd go(double until, double) override {
        const double from = t, step = numbers_.step;
        const long n = std::max(1L, long(std::ceil((until - from) / step - kSameTime)));
        const bool whole = std::abs(until - from - n * step) < kSameTime * step;
        const double h = whole ? step : (until - from) / n;
        for (long k = 1; k <= n && t < until; ++k) {
            const FlowEnd ended = advance(h);
            if (ended != FlowEnd::reached) return ended;
            t = k == n ? until : from + k * h;
            if (outside_.interrupted()) return FlowEnd::interrupted;
        }
        return FlowEnd::reached;
    }

    void sample(double, double* to_q, double* to_v, double* to_work) override {
        std::copy(q.begin(), q.end(), to_q), std::copy(v.begin(), v.end(), to_v);
        std::copy(work.begin(), work.end(), to_work);
    }

   private:
    using Step = ExplicitStep<double, RungeKutta4>;

    // All states as one system: first q of all of them, then v, then works.
    struct System {
        RungeKutta& of;
        bool lost = false;
        void rates(double at, const double* y, double* dy, double*, double*) {
            const double* v = y + of.q.size();
            double *a = dy + of.q.size(), *power = a + of.v.size();
            if (lost || of.rates_(of.states, &at, y, v, dy, a, power)) return;
            lost = true;
            of.lose(y, v);
        }
    };

    void resize() {
        resized_ = states;
        q.resize(states * tree_.nq), v.resize(states * tree_.nv);
        work.resize(states * rates_.powers()), zero_.assign(v.size(), 0.0);
        const int size = int(q.size() + v.size() + work.size());
        Scratch scratch(memory_.get(Step::bytes(size, 0)));
        step_ = std::make_unique<Step>(size, 0, Tolerance{1.0, 1.0, nullptr, 0}, scratch);
        for (double*& slope : step_->k) std::fill_n(slope, size, 0.0);
    }
    // where rates have no finite value, or no state is closed; of one state
    void lose(const double* at_q, const double* at_v) {
        if (states > 1) return lost_q.clear(), lost_v.clear();
        lost_q.assign(at_q, at_q + tree_.nq), lost_v.assign(at_v, at_v + tree_.nv);
    }

    FlowEnd advance(double h) {
        double *y = step_->y, *next_q = step_->next, *next_v = next_q + q.size();
        std::copy(work.begin(), work.end(),
                  std::copy(v.begin(), v.end(), std::copy(q.begin(), q.end(), y)));
        System system{*this};
        system.rates(t, y, step_->k[0], nullptr, nullptr);
        if (!system.lost) step_->stages(system, t, h);
        if (system.lost) return FlowEnd::not_finite;
        statistics.rates += RungeKutta4::kStages;
        if (!closed(next_q, next_v)) return lose(next_q, next_v), FlowEnd::not_finite;
        for (size_t k = 0; k < v.size(); ++k) {
            if (std::abs(next_v[k]) < kFastest) continue;
            const double* of = next_v + k / tree_.nv * tree_.nv;
            lost_v.assign(of, of + tree_.nv);
            return FlowEnd::diverged;
        }
        std::copy_n(next_q, q.size(), q.begin()), std::copy_n(next_v, v.size(), v.begin());
        std::copy_n(next_v + v.size(), work.size(), work.begin());
        ++statistics.steps, statistics.last_step = statistics.next_step = h;
        return FlowEnd::reached;
    }

    // false where loops and parts cannot be closed
    bool closed(double* at_q, double* at_v) {
        if (!project_.needed()) return true;
        if (project_.rows.rows() == 0) {  // without rows of loops and parts: in lanes
            rates_.calls.at(at_q, states);
            if (!rates_.calls(integrate_kernel, {{zero_.data(), tree_.nv}}, step_->y, tree_.nq))
                return false;
            std::copy_n(step_->y, q.size(), at_q);
            return true;
        }
        for (long s = 0; s < states; ++s) {
            if (!project_(rates_.calls, at_q + s * tree_.nq, at_v + s * tree_.nv)) return false;
        }
        return true;
    }

    const Tree& tree_;
    const FlowNumbers numbers_;
    Outside& outside_;
    Rates rates_;
    Projection project_;
    WorkMemory memory_;
    std::unique_ptr<Step> step_;
    std::vector<double> zero_;
    long resized_ = 0;  // for so many states
};

}  // namespace

std::unique_ptr<Flow> make_runge_kutta(const Tree& tree, const FlowNumbers& numbers,
                                       Outside& outside) {
    return std::make_unique<RungeKutta>(tree, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
