// Lemke's method for the linear complementarity problem 0 ≤ u ⊥ A u + b ≥ 0.
#pragma once

#include <algorithm>

#include "constraints/laws.hpp"

namespace tarsus::TARSUS_ISA {

// Pivots after which it is told that no solution was found, about a tenth of a second of them: what
// is solved at all takes n to 2 n.
inline int patience(int n) { return std::max(3 * n + 50, int(std::min(1e6, 1e8 / n / n))); }

// A is n × n by rows; u receives the solution
LcpReport solve_lcp(int n, const double* A, const double* b, double* u);

}  // namespace tarsus::TARSUS_ISA
