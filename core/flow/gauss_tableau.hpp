// Collocation at the nodes of Gauss: eight stages, of order sixteen.
#pragma once

#include <cmath>

namespace tarsus::TARSUS_ISA::gauss {

constexpr int kStages = 8;
constexpr double kPi = 3.14159265358979323846;

// Nodes and weights on [0, 1], the matrix of the method, and the polynomials through the nodes.
struct Collocation {
    double node[kStages], weight[kStages], matrix[kStages][kStages];

    Collocation() {
        for (int i = 0; i < kStages; ++i) {  // zeros of Legendre's polynomial by Newton's method
            double x = std::cos(kPi * (i + 0.75) / (kStages + 0.5)), slope = 1;
            for (int k = 0; k < 10; ++k) {
                double p = 1, before = 0;
                for (int n = 1; n <= kStages; ++n) {
                    const double next = ((2 * n - 1) * x * p - (n - 1) * before) / n;
                    before = p, p = next;
                }
                slope = kStages * (x * p - before) / (x * x - 1);
                x -= p / slope;
            }
            node[i] = 0.5 * (1 - x), weight[i] = 1 / ((1 - x * x) * slope * slope);
        }
        for (int i = 0; i < kStages; ++i) {
            for (int j = 0; j < kStages; ++j) {
                matrix[i][j] = 0;
                for (int m = 0; m < kStages; ++m) {
                    matrix[i][j] += node[i] * weight[m] * polynomial(j, node[i] * node[m]);
                }
            }
        }
    }
    // 1 at node j, 0 at the others
    double polynomial(int j, double x) const {
        double product = 1;
        for (int k = 0; k < kStages; ++k) {
            if (k != j) product *= (x - node[k]) / (node[j] - node[k]);
        }
        return product;
    }
};
// Computed at the first use: while the library is loaded, no code of an instruction set may run
// that the processor may lack.
inline const Collocation& collocation() {
    static const Collocation computed;
    return computed;
}

}  // namespace tarsus::TARSUS_ISA::gauss
