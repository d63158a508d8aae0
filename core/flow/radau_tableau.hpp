// The numbers of Radau IIA with three stages, transformed as in E. Hairer, G. Wanner, "Solving
// ordinary differential equations II", section IV.8.
#pragma once

#include <array>
#include <cmath>

namespace tarsus::TARSUS_ISA::radau {

constexpr int kStages = 3;

// eigenvalues of the inverse of the method's matrix, and its transformation to them
inline const double kRoot6 = std::sqrt(6.0), kCube3 = std::cbrt(3.0), kCube9 = std::cbrt(9.0);
inline const double kNode[kStages] = {(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
inline const double kReal = 3 + kCube9 - kCube3, kPairRe = 3 + 0.5 * (kCube3 - kCube9);
inline const double kPairIm = -0.5 * (std::pow(3.0, 5.0 / 6) + std::pow(3.0, 7.0 / 6));
inline const double kT[3][3] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                                {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                                {1, 1, 0}};
inline const double kTI[3][3] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                                 {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                                 {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
inline const double kError[3] = {(-13 - 7 * kRoot6) / 3, (-13 + 7 * kRoot6) / 3, -1.0 / 3};
// the polynomial through 0 and the three stages, by powers of the part of the step
inline const double kDense[3][3] = {
    {13.0 / 3 + 7 * kRoot6 / 3, -23.0 / 3 - 22 * kRoot6 / 3, 10.0 / 3 + 5 * kRoot6},
    {13.0 / 3 - 7 * kRoot6 / 3, -23.0 / 3 + 22 * kRoot6 / 3, 10.0 / 3 - 5 * kRoot6},
    {1.0 / 3, -8.0 / 3, 10.0 / 3}};

// weights of the integral from 0 to x of the parabola through the values at the nodes
inline std::array<double, 3> integral_weights(double x) {
    std::array<double, 3> weights;
    for (int i = 0; i < kStages; ++i) {
        const double a = kNode[(i + 1) % 3], b = kNode[(i + 2) % 3], c = kNode[i];
        weights[i] = x * (x * x / 3 - x * (a + b) / 2 + a * b) / ((c - a) * (c - b));
    }
    return weights;
}

}  // namespace tarsus::TARSUS_ISA::radau
