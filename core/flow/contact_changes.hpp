// What happens when a grip ends: impulses where bodies meet, and which contacts then stay closed
// (grip_problem.hpp).
#pragma once

#include "flow/contact_system.hpp"
#include "flow/grip_problem.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNearly = 1e-4;  // of velocities: residuals of impulses that are merged

class ContactChanges {
   public:
    ContactChanges(const World& world, const ContactFlowNumbers& numbers, ContactSystem& system)
        : world_(world), tree_(*world.tree), numbers_(numbers), system_(system) {}

    // Impacts of all that touches, v and works afterwards; false if it cannot be solved to a part
    // `allowed` of the velocities.
    bool strike(double t, const double* q, double* v, double* works,
                std::vector<ContactEvent>& events, double allowed = 1e-7);
    // The grip of what touches and does not part, and what is different from `before`; false if it
    // cannot be solved.
    bool decide(double t, const double* q, const double* v, const Grip& before,
                std::vector<ContactEvent>& events);

    // Changes that follow each other too fast, as one: a step of the time h, after all impacts,
    // with impulses of all that touches or comes near, such that the laws hold for velocities at
    // its end; positions move by the mean of velocities. Where forces have no solution, or none
    // that lasts (Painlevé), impulses have (J. J. Moreau, "Unilateral contact and dry friction in
    // finite freedom dynamics", 1988). False if it cannot be solved.
    bool merge(double t, double h, double* q, double* v, double* works);

    // candidates that touch and are open after the last decision, and how far they may come back
    const std::vector<std::pair<int, double>>& left_open() const { return left_open_; }
    // something is about to enter something else
    bool approaches(const double* q, const double* v);

   private:
    Grip touching(const double* q, const double* v);
    bool sticks(int w, const ContactMechanism& mechanism, const Grip& grip,
                const GripProblem& rows) const;
    void drop_idle(int loops);
    void share(double t, const double* q, const double* v);
    void tell(double t, const double* q, const double* v, const Grip& before,
              std::vector<ContactEvent>& events);
    bool infinite() const { return std::isinf(system_.parameters()[kFriction]); }

    const World& world_;
    const Tree& tree_;
    const ContactFlowNumbers& numbers_;
    ContactSystem& system_;
    Room room_;
    std::vector<double> zero_;
    std::vector<std::pair<int, double>> left_open_;
};

}  // namespace tarsus::TARSUS_ISA
