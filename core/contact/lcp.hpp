// Lemke's method for the linear complementarity problem 0 ≤ u ⊥ A u + b ≥ 0.
#pragma once

namespace tarsus {

enum class LcpEnd { solved, ray, tired };

struct LcpReport {
    LcpEnd end;
    int pivots;
};

// A is n × n by rows; u receives the solution
LcpReport solve_lcp(int n, const double* A, const double* b, double* u);

}  // namespace tarsus
