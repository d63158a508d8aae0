// The methods, each in a file of its own.
#pragma once

#include "flow/flow.hpp"

namespace tarsus::TARSUS_ISA {

std::unique_ptr<Flow> make_radau(const Tree&, const FlowNumbers&, Outside&);
std::unique_ptr<Flow> make_gauss(const Tree&, const FlowNumbers&, Outside&);
std::unique_ptr<Flow> make_dormand_prince(const Tree&, const FlowNumbers&, Outside&);
std::unique_ptr<Flow> make_runge_kutta(const Tree&, const FlowNumbers&, Outside&);

}  // namespace tarsus::TARSUS_ISA
