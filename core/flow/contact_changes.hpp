// What happens when a grip ends: impulses where bodies meet, and which contacts then stay closed
// (grip_problem.hpp).
#pragma once

#include "flow/contact_system.hpp"
#include "flow/grip_problem.hpp"

namespace tarsus::TARSUS_ISA {

class ContactChanges {
   public:
    ContactChanges(const World& world, const ContactFlowNumbers& numbers, ContactSystem& system)
        : world_(world), tree_(*world.tree), numbers_(numbers), system_(system) {}

    // Impacts of all that touches, v and works afterwards; false if it cannot be solved.
    bool strike(double t, const double* q, double* v, double* works,
                std::vector<ContactEvent>& events);
    // The grip of what touches and does not part; false if it cannot be solved.
    bool decide(double t, const double* q, const double* v, std::vector<ContactEvent>& events);

    // candidates that touched in the last decision and are open
    const std::vector<int>& left_open() const { return left_open_; }
    // something is about to enter something else
    bool approaches(const double* q, const double* v);

   private:
    Grip touching(const double* q, const double* v);
    bool sticks(int w, const ContactMechanism& mechanism, const Grip& grip,
                const GripProblem& rows) const;
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
    std::vector<int> left_open_;
};

}  // namespace tarsus::TARSUS_ISA
