// What is held: the velocity at which a gap x closes, C̈ + 2 Ċ/τ + C/τ² = 0 (Schröder 1990, section
// 5.2), by the double root ρ = exp(−h/τ) that x has from step to step; in a few steps if τ is zero.
//
// Rates of the same velocities differ from step to step as the rows turn; half of that difference
// is taken off: then the way h V of a step, on its chord, ends where x is as wanted, as it does for
// SHAKE (Ryckaert, Ciccotti & Berendsen 1977), and what is held keeps its energy.
#pragma once

#include <cmath>

#include "scalar/rows.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kQuick = 0.5;    // part of a gap that is closed in a step, without a time constant
constexpr double kClosed = 1e-4;  // [m, rad] a gap that is smaller closes faster and faster

// A row at the start of a step: its value, its rate, and the rate that the last step ended with;
// `fresh`: 1 where there is none.
template <class T>
struct HeldRow {
    T x, rate, before, fresh;
};

struct RigidLaw {
    enum : int { kTimeConstant, kLimit };

    template <class T>
    static TARSUS_INLINE T velocity(const T& tau, const HeldRow<T>& row, const T& dt) {
        const T zero(0.0), half(0.5), one(1.0), &x = row.x;
        const T curve = half * (row.rate - row.before), mean = half * (row.rate + row.before);
        const T at_once = -(T(kQuick) * (x / dt));
        const T quickly = select(row.fresh > zero, at_once, at_once - curve);
        if (!any(tau > zero)) return quickly;
        const T slow = select(tau > zero, tau, one);
        const T decay = lanewise([](double e) { return std::exp(e); }, -(dt / slow));
        // what has closed is held: then ρ is zero
        const T near = absolute(x) * T(1 / kClosed);
        const T root = decay * select(near < one, near, one), left = one - root;
        const T going = neg_mul_add(left * left, x / dt, root * root * mean) - curve;
        const T next = mul_add(mul_add(one / slow, x, row.rate), dt, x) * decay;
        return select(tau > zero, select(row.fresh > zero, (next - x) / dt, going), quickly);
    }
};

}  // namespace tarsus::TARSUS_ISA
