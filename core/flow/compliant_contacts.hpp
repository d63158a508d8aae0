// Compliant contacts of one group of states: where surfaces meet, the element there
// (compliant/element.hpp), and its wrenches on both bodies.
#pragma once

#include "compliant/element.hpp"
#include "constraints/contact_set.hpp"
#include "flow/body_forces.hpp"
#include "flow/compliant_record.hpp"

namespace tarsus::TARSUS_ISA {

// as the law says, unless shapes of a candidate have stiffness and damping of their own
inline CompliantNumbers compliant_numbers_of(const World& world, int candidate,
                                             const CompliantNumbers& all) {
    if (world.candidate_springs.empty()) return all;
    const ContactSpring& own = world.candidate_springs[candidate];
    CompliantNumbers found = all;
    found.normal_stiffness = own.stiffness, found.damping = own.damping;
    found.stiffness = own.tangential_stiffness;
    return found;
}

template <class T>
class CompliantContacts {
   public:
    CompliantContacts(const World& world, const CompliantNumbers& numbers)
        : world_(world), numbers_(numbers) {}

    // Contacts that are `on` (1 or 0 for each candidate) push bodies; between the two passes of
    // `bodies`. Rates of all deformations, and a record for each candidate.
    void push(BodyForces<T>& bodies, const T* parameters, const T* deformation, const T* on,
              T* rates, T* records) const;

   private:
    void meet(BodyForces<T>& bodies, int a, int b, const Touch<T>& touch,
              const CompliantNumbers& numbers, const T* parameters, const T* deformation,
              const T& on, T* rates, T* record) const;

    const World& world_;
    const CompliantNumbers& numbers_;
};

}  // namespace tarsus::TARSUS_ISA
