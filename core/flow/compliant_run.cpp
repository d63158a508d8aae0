// Motions on compliant surfaces, in lanes, from event to event: where surfaces meet their
// deformation starts anew, and what was left of the last one is lost; where they part it stays as
// it is (Duindam 2006, section 3.2.2).
#include "flow/compliant_contacts.hpp"
#include "flow/compliant_forces.hpp"
#include "flow/compliant_system.hpp"
#include "flow/lane_flow.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// so many events of each candidate within so short a time [s] go on forever
constexpr int kMostAtOnce = 64;
constexpr double kAtOnce = 1e-11;

template <class T>
class CompliantRun {
   public:
    CompliantRun(const CompliantStatement& statement, HybridOutside* outside)
        : statement_(statement), at_(statement), outside_(outside) {
        phase_.tree = statement.world->tree;
        linkage_ = statement.linkage;
        for (int c = 0; c < at_.candidates; ++c) {
            linkage_.insert(linkage_.end(), kDeformation, statement.linkages + c);
        }
    }

    void operator()(HybridMotion* motions, long count) {
        const int linkages = statement_.linkages + at_.candidates;
        const std::vector<Watched> exits(at_.candidates, {Crossing::falling, 0, 0});
        const int size = at_.nq + at_.size();
        using System = CompliantSystem<T>;
        Scratch scratch(memory_.get(System::bytes(statement_, phase_) +
                                    LaneFlow<System>::bytes(size, at_.candidates, linkages)));
        System system(statement_, phase_, outside_, scratch);
        const Tolerance tolerance{statement_.numbers.rtol, statement_.numbers.atol, linkage_.data(),
                                  linkages};
        LaneFlow<System> flow(system, at_.nq, statement_.numbers, tolerance, exits, outside_,
                              scratch);
        long next = 0;
        flow.run(
            [&]() { return next < count ? motions + next++ : nullptr; },
            [&](HybridMotion& motion, int candidate) {
                if (motion.ended == HybridEnd::interrupted) {
                    for (; next < count; ++next) motions[next].ended = HybridEnd::interrupted;
                }
                if (motion.ended == HybridEnd::paused && candidate < 0 && !motion.samples.empty()) {
                    motion.q = motion.samples.back().q, motion.v = motion.samples.back().v;
                }
                return candidate >= 0 && pass(motion, candidate);
            });
    }

   private:
    // a candidate touches or parts; true if the motion goes on
    bool pass(HybridMotion& motion, int candidate) {
        HybridEvent event{motion.t, 0, candidate, motion.q, motion.v, {}, {}};
        double& on = motion.v[at_.on() + candidate];
        double* deformation = &motion.v[at_.deformation() + kDeformation * candidate];
        on = on > 0 ? 0.0 : 1.0;
        event.phase = int(on);
        if (on > 0) {
            const double parameters[2] = {0, 0};
            const CompliantNumbers numbers =
                compliant_numbers_of(*statement_.world, candidate, statement_.contact);
            motion.v[at_.losses() + 2] -=
                respond(numbers, deformation, zero_motion<double>(), parameters).stored;
            std::fill_n(deformation, kDeformation, 0.0);
            motion.v[at_.losses() + 3] += 1;
        }
        event.next_q = motion.q, event.next_v = motion.v;
        if (motion.t - motion.first_event > kAtOnce)
            motion.first_event = motion.t, motion.at_once = 0;
        ++motion.at_once, ++motion.n_events;
        if (statement_.numbers.record) motion.events.push_back(std::move(event));
        if (motion.at_once >= kMostAtOnce * at_.candidates) motion.ended = HybridEnd::forever;
        else if (motion.n_events >=
                 statement_.numbers.most(statement_.numbers.most_events, motion.t))
            motion.ended = HybridEnd::events;
        else return true;
        return false;
    }

    const CompliantStatement& statement_;
    const CompliantLayout at_;
    HybridOutside* outside_;
    Phase phase_;
    std::vector<int> linkage_;
    WorkMemory memory_;
};

}  // namespace

void run_compliant(const CompliantStatement& statement, HybridOutside* outside,
                   HybridMotion* motions, long count) {
    if (count == 1 || statement.efforts) {
        CompliantRun<double>(statement, outside)(motions, count);
    } else {
        CompliantRun<Lanes>(statement, outside)(motions, count);
    }
}

}  // namespace tarsus::TARSUS_ISA
