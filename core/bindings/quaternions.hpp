// Quaternions that say nothing about a rotation: zeros, and what is so small or so large that its
// square is. Algorithms find no numbers there; who looks something up by a pose must ask before.
#pragma once

#include <string>

#include "model/tree.hpp"

namespace tarsus {

// where the first such quaternion of q (nq) starts, or −1
int lost_quaternion(const Tree& tree, const double* q);
// "q must have unit quaternions: elements 3 to 6 of state 2 are zero"
std::string lost_quaternion_text(const char* name, const double* q, int at,
                                 const std::string& state);
// throws std::invalid_argument for the first state of q (states, nq) that has one
void check_quaternions(const Tree& tree, const double* q, size_t states);

}  // namespace tarsus
