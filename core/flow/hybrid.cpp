// Motions with events, phase by phase: those that wait in a phase go in lanes to their next event,
// are reset and wait in the next phase.
#include "flow/event_derivatives.hpp"
#include "flow/hybrid_kernel.hpp"
#include "flow/lane_flow.hpp"
#include "flow/variational_system.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

const Parts kNothing;
// so many events within so short a time [s] go on forever
constexpr int kMostAtOnce = 300;
constexpr double kAtOnce = 1e-6;

template <class System>
class HybridRun {
   public:
    using T = typename System::Number;

    HybridRun(const HybridStatement& statement, HybridOutside* outside)
        : statement_(statement),
          outside_(outside),
          waiting_(statement.phases.size()),
          derivatives_(statement, outside) {}

    void operator()(HybridMotion* motions, long count) {
        // the first one is taken first
        for (long k = count - 1; k >= 0; --k) {
            if (statement_.derivatives) derivatives_.begin(motions[k]);
            waiting_[motions[k].phase].push_back(motions + k);
        }
        for (size_t phase; (phase = fullest()) < waiting_.size();) run(int(phase));
        for (long k = 0; statement_.derivatives && k < count; ++k) derivatives_.finish(motions[k]);
    }

   private:
    size_t fullest() const {
        size_t best = waiting_.size(), most = 0;
        for (size_t k = 0; k < waiting_.size(); ++k) {
            if (waiting_[k].size() > most) best = k, most = waiting_[k].size();
        }
        return best;
    }

    void run(int index) {
        const Phase& phase = statement_.phases[index];
        const Tree& tree = *phase.tree;
        std::vector<Watched> exits;
        int condition = int(phase.exits.size());
        for (const Exit& exit : phase.exits) {
            const int n = int(exit.conditions.size());
            exits.push_back({exit.crossing, condition, n});
            condition += n;
        }
        const size_t bytes =
            System::bytes(phase) +
            LaneFlow<System>::bytes(System::size_of(phase), condition, phase.linkages);
        Scratch scratch(memory_.get(bytes));
        System system(phase, index, statement_.numbers.sample_every, outside_, scratch);
        const Tolerance tolerance{statement_.numbers.rtol, statement_.numbers.atol,
                                  phase.linkage.data(), phase.linkages};
        LaneFlow<System> flow(system, tree.nq, statement_.numbers, tolerance, exits, outside_,
                              scratch);
        flow.run(
            [&]() -> HybridMotion* {
                std::vector<HybridMotion*>& waiting = waiting_[index];
                if (waiting.empty()) return nullptr;
                HybridMotion* motion = waiting.back();
                waiting.pop_back();
                return motion;
            },
            [&](HybridMotion& motion, int exit) { return leave(motion, phase, exit); });
    }

    // true if the motion goes on in the same phase
    bool leave(HybridMotion& motion, const Phase& phase, int taken) {
        if (motion.ended == HybridEnd::interrupted) {
            for (auto& waiting : waiting_) {
                for (HybridMotion* other : waiting) other->ended = HybridEnd::interrupted;
                waiting.clear();
            }
        }
        if (taken < 0) return false;
        const Exit& exit = phase.exits[taken];
        HybridEvent event{motion.t, motion.phase, taken, motion.q, motion.v, {}, {}};
        if (motion.t - motion.first_event > kAtOnce)
            motion.first_event = motion.t, motion.at_once = 0;
        ++motion.at_once;
        ++motion.n_events;
        reset(phase, exit, motion);
        event.next_q = motion.q, event.next_v = motion.v;
        if (statement_.numbers.record) motion.events.push_back(std::move(event));
        for (const std::vector<double>* each : {&motion.q, &motion.v}) {
            if (!all_finite(each->data(), int(each->size()))) {
                motion.ended = HybridEnd::not_finite;
                return false;
            }
        }
        const int before = motion.phase;
        motion.taken = exit.to == before ? taken : -1;
        if (exit.to < 0) {
            motion.ended = HybridEnd::exit;
            return false;
        }
        motion.phase = exit.to;
        motion.tau.resize(statement_.phases[exit.to].tree->nv, 0.0);
        if (statement_.derivatives) motion.a.assign(motion.v.size(), 0.0);
        if (motion.at_once >= kMostAtOnce) {
            motion.ended = HybridEnd::forever;
            return false;
        }
        if (motion.n_events >= statement_.numbers.most_events) {
            motion.ended = HybridEnd::events;
            return false;
        }
        if (exit.to == before) return true;
        waiting_[exit.to].push_back(&motion);
        return false;
    }

    void reset(const Phase& phase, const Exit& exit, HybridMotion& motion) {
        if (statement_.derivatives) derivatives_.arrive(phase, exit.wide, motion);
        for (int k = 0; k < int(exit.reset.size()); ++k) {
            if (!statement_.derivatives) {
                apply(exit.reset[k], motion);
                continue;
            }
            const std::vector<double> q = motion.q, v = motion.v;
            apply(exit.reset[k], motion);
            derivatives_.reset(phase, exit, k, q, v, motion);
        }
    }
    void apply(const ResetStep& step, HybridMotion& motion) {
        switch (step.kind) {
            case ResetStep::Kind::linear: {
                const auto times = [](const std::vector<double>& matrix, int rows,
                                      const std::vector<double>& x) {
                    std::vector<double> out(rows, 0.0);
                    for (int r = 0; r < rows; ++r) {
                        for (size_t c = 0; c < x.size(); ++c)
                            out[r] = mul_add(matrix[r * x.size() + c], x[c], out[r]);
                    }
                    return out;
                };
                motion.q = times(step.matrix, step.nq, motion.q);
                for (int k = 0; k < step.nq; ++k) motion.q[k] += step.shift[k];
                motion.v = times(step.rates, step.nv, motion.v);
                return;
            }
            case ResetStep::Kind::project:
                held(*step.tree).hold(nullptr, motion.q.data(), motion.v.data());
                return;
            case ResetStep::Kind::function:
                outside_->reset(step.function, motion.t, motion.q, motion.v);
        }
    }
    HeldRows& held(const Tree& tree) {
        for (auto& [of, rows] : held_) {
            if (of == &tree) return *rows;
        }
        held_.emplace_back(
            &tree, std::make_unique<HeldRows>(tree, kNothing, nullptr, HeldRows::Which::all));
        return *held_.back().second;
    }

    const HybridStatement& statement_;
    HybridOutside* outside_;
    std::vector<std::vector<HybridMotion*>> waiting_;
    EventDerivatives derivatives_;
    std::vector<std::pair<const Tree*, std::unique_ptr<HeldRows>>> held_;
    WorkMemory memory_;
};

}  // namespace

void run_hybrid(const HybridStatement& statement, HybridOutside* outside, HybridMotion* motions,
                long count) {
    const auto run = [&](auto system) {
        HybridRun<typename decltype(system)::type>(statement, outside)(motions, count);
    };
    const bool one = count == 1 || statement.needs_python;
    if (!statement.derivatives) {
        if (one) run(std::type_identity<MechanismSystem<double>>{});
        else run(std::type_identity<MechanismSystem<Lanes>>{});
    } else {
        if (one) run(std::type_identity<VariationalSystem<double>>{});
        else run(std::type_identity<VariationalSystem<Lanes>>{});
    }
}

}  // namespace tarsus::TARSUS_ISA
