// Parameters by which motions are differentiated, as Python states them.
#pragma once

#include "bindings/flow_arguments.hpp"
#include "flow/wide.hpp"

namespace tarsus {

// how each velocity of the joints turns
std::vector<int> ways_of(const Tree& tree, nb::handle given);

// (model, q, v, own, parts, part_numbers, terms, columns, parameters, ways), or None
Wide wide_of(const Tree& tree, nb::handle given);

}  // namespace tarsus
