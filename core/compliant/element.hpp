// The compliant contact of two bodies as an element with ports (V. Duindam, "Port-based modeling
// and control for efficient bipedal walking robots", University of Twente, 2006, section 3.2).
//
// A frame Ψ_c lies between the surfaces, its z axis along the normal from b to a. The twist of a
// relative to b, seen there, has rolling ω_x ω_y, twisting ω_z, sliding v_x v_y and parting v_z. A
// part of it, T_d = X_d T, deforms the surfaces, that of b by κ₂ T_d and that of a by κ₁ T_d:
//
//   d/dt H_c^1d = κ₂ H_c^1d T̃_d,   d/dt H_2d^c = κ₁ T̃_d H_2d^c,   H_d = H_c^1d H_2d^c,
//
// two turns about z with translations (3.29)–(3.31). With p the translations, R the turn by θ₁ and
// S the turn by a right angle, the deformation seen in Ψ_c is e = Rᵀ p_d = Rᵀ p₁ + p₂, and
// θ̇_d = ω, ṗ_d = R (u + ω S p₂) for T_d = (ω, u). What is stored is V = ½ k e² + ½ k_r θ_d² +
// V_n(−z_d), so that the gradient gives the force k e, the moment k_r θ_d + k e · S p₂, and the
// normal law's push. A damper acts on T_d. Wrenches pass to the bodies by X_dᵀ, equal and opposite,
// so that
//
//   power to the bodies + V̇ + dissipated = 0
//
// whatever X_d is; only the dampers and bristles that slip dissipate.
#pragma once

#include <cmath>

#include "compliant/numbers.hpp"
#include "scalar/sincos.hpp"
#include "spatial/motion.hpp"

namespace tarsus::TARSUS_ISA {

// what a normal law answers to a depth and its rate
template <class T>
struct Push {
    T energy, elastic, damper;  // forces that push apart; the damper's has the sign of the rate
};

// what a slip law sees, in the axes of Ψ_c
template <class T>
struct SlipState {
    T x, y, turn;         // deformation e and θ_d
    T vx, vy, spin;       // sliding and twisting
    T load, elastic;      // the normal force, and its spring's part
    const T* parameters;  // friction and viscous friction of the state
};

// … and answers: how fast deformations relax while surfaces slide and twist, and what reaches the
// bodies
template <class T>
struct Slip {
    T slide = T(0.0), turn = T(0.0);            // [1/s]: u = v − slide e, ω = ω_z − turn θ_d
    T lost_share = T(0.0);                      // a force w arrives as w − lost_share e (e · w)
    T own_share = T(1.0), arm_share = T(1.0);   // of the moments k_r θ_d and k e · S p₂
    T damping = T(1.0), turn_damping = T(1.0);  // parts of the dampers that act
};

// 1/‖ω‖ for turning at ω² [rad²/s²], with a bound: what hardly turns has no direction
constexpr double kSlowTurn = 1e-3;  // [rad/s]
template <class T>
TARSUS_INLINE T way_of(const T& square) {
    return T(1.0) / square_root(square + T(kSlowTurn * kSlowTurn));
}

}  // namespace tarsus::TARSUS_ISA

#include "compliant/bristle.hpp"
#include "compliant/hertz.hpp"
#include "compliant/hunt_crossley.hpp"
#include "compliant/normal_spring.hpp"
#include "compliant/saturation.hpp"
#include "compliant/stick.hpp"

namespace tarsus::TARSUS_ISA {

template <class Function>
TARSUS_INLINE auto visit_normal(NormalLaw law, Function&& function) {
    switch (law) {
        case NormalLaw::hertz:
            return function(Hertz{});
        case NormalLaw::hunt_crossley:
            return function(HuntCrossley{});
        default:
            return function(NormalSpring{});
    }
}
template <class Function>
TARSUS_INLINE auto visit_slip(SlipLaw law, Function&& function) {
    switch (law) {
        case SlipLaw::saturation:
            return function(Saturation{});
        case SlipLaw::bristle:
            return function(Bristle{});
        default:
            return function(Stick{});
    }
}

// What a contact does: the wrench on a in the axes and about the origin of Ψ_c (on b acts the
// opposite), rates of the deformation, and its energies.
template <class T>
struct Response {
    Force<T> wrench;
    T rates[kDeformation];
    T stored, lost_normal, lost_slip;  // [J], then powers [W]
    T slips;                           // 1 where most of the sliding deforms nothing
};

// `twist`: of a relative to b, in Ψ_c
template <class T>
TARSUS_INLINE Response<T> respond(const CompliantNumbers& numbers, const T* deformation,
                                  const Motion<T>& twist, const T* parameters) {
    const T zero(0.0), one(1.0);
    const Vec3<T>&v = twist.linear, &w = twist.angular;
    const T *first = deformation, *second = deformation + 4;  // θ x y z each
    const Angle<T> at = sincos_of(first[0]);
    const T ex = mul_add(at.cosine, first[1], mul_add(at.sine, first[2], second[1]));
    const T ey = mul_add(at.cosine, first[2], neg_mul_add(at.sine, first[1], second[2]));
    const T turn = first[0] + second[0], depth = -(first[3] + second[3]), closing = -v.z;

    const Push<T> push =
        visit_normal(numbers.normal, [&](auto law) { return law.push(numbers, depth, closing); });
    const T damper = mul_add(T(numbers.damping), closing, push.damper);
    const T load = push.elastic + damper;

    const SlipState<T> slides{ex, ey, turn, v.x, v.y, w.z, load, push.elastic, parameters};
    const Slip<T> slip =
        visit_slip(numbers.slip, [&](auto law) { return law.slip(numbers, slides); });
    const bool dissipates =
        visit_slip(numbers.slip, [](auto law) { return decltype(law)::kDissipates; });

    // T_d: rolling takes deformed surfaces away, whichever way it goes
    const T rolls = way_of(mul_add(w.x, w.x, w.y * w.y));
    const T rolling = mul_add(w.x, w.x, w.y * w.y) * rolls;
    const T relaxing = mul_add(T(numbers.roll), rolling, slip.slide);
    const T ux = neg_mul_add(relaxing, ex, v.x), uy = neg_mul_add(relaxing, ey, v.y);
    // without a twist stiffness surfaces turn on each other freely
    const T twists(numbers.twist_stiffness > 0 ? 1.0 : 0.0);
    const T spin = twists * neg_mul_add(slip.turn, turn, w.z);

    // W_d
    const T stiffness(numbers.stiffness), rub = T(numbers.damping) * slip.damping;
    const T fx = mul_add(rub, ux, stiffness * ex), fy = mul_add(rub, uy, stiffness * ey);
    const T bore = T(numbers.twist_damping) * slip.turn_damping;
    const T own = mul_add(bore, spin, T(numbers.twist_stiffness) * turn);
    const T arm = stiffness * neg_mul_add(second[2], ex, second[1] * ey);

    Response<T> found;
    // X_dᵀ W_d, with the sign of what acts on a
    const T along = mul_add(ex, fx, ey * fy);
    const T lost = slip.lost_share * along;
    found.wrench.linear = {mul_add(lost, ex, -fx), mul_add(lost, ey, -fy), load};
    const T drives = T(numbers.roll) * along * rolls;
    found.wrench.angular = {drives * w.x, drives * w.y,
                            -(twists * mul_add(slip.own_share, own, slip.arm_share * arm))};

    const T mine(numbers.share), theirs(1.0 - numbers.share);
    found.rates[0] = mine * spin;
    found.rates[1] = mine * neg_mul_add(at.sine, uy, at.cosine * ux);
    found.rates[2] = mine * mul_add(at.sine, ux, at.cosine * uy);
    found.rates[3] = mine * v.z;
    found.rates[4] = theirs * spin;
    found.rates[5] = theirs * neg_mul_add(spin, second[2], ux);
    found.rates[6] = theirs * mul_add(spin, second[1], uy);
    found.rates[7] = theirs * v.z;

    const T square = mul_add(ex, ex, ey * ey);
    found.stored = mul_add(T(0.5) * stiffness, square,
                           mul_add(T(0.5 * numbers.twist_stiffness), turn * turn, push.energy));
    found.lost_normal = damper * closing;
    const T damped = mul_add(rub, mul_add(ux, ux, uy * uy), bore * spin * spin);
    const T slipped = mul_add(slip.slide, along, twists * slip.turn * own * turn);
    found.lost_slip = dissipates ? damped + slipped : damped;

    const T gone = slip.slide * square_root(square);
    const T speed = square_root(mul_add(v.x, v.x, v.y * v.y));
    found.slips = select(gone > T(0.5) * speed, one, zero);
    return found;
}

}  // namespace tarsus::TARSUS_ISA
