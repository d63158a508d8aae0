// Lemke's method for the linear complementarity problem 0 ≤ u ⊥ A u + b ≥ 0.
#pragma once

#include "constraints/laws.hpp"

namespace tarsus::TARSUS_ISA {

// A is n × n by rows; u receives the solution
LcpReport solve_lcp(int n, const double* A, const double* b, double* u);

}  // namespace tarsus::TARSUS_ISA
