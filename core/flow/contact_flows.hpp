// Motions with contacts as compiled for one instruction set.
#pragma once

#include "flow/contact_flow.hpp"

namespace tarsus::TARSUS_ISA {

// the world and `outside` must outlive it
std::unique_ptr<ContactFlow> make_contact_flow(const World& world,
                                               const ContactFlowNumbers& numbers, Outside& outside);

}  // namespace tarsus::TARSUS_ISA
