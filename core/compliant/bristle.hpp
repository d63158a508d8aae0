// Friction by bristles, whose deflection is the deformation of the surfaces:
//
//   ė = v − (k ‖v‖ / g) e,    F = k e + d ė,    g = μ(‖v‖) N + min(μ_v ‖v‖, 10 N)
//
// C. Canudas de Wit, H. Olsson, K. Åström, P. Lischinsky, "A new model for control of systems with
// friction", IEEE Transactions on Automatic Control 40, 1995; with μ that falls from stiction to
// friction as exp(−(v/v_s)²), and limits of the ground.
//
// What slips turns to heat: the power k² ‖v‖ ‖e‖² / g + d (ė² + (k ‖v‖ / g) e · ė), which is never
// negative where d ‖v‖ ≤ 4 g (N. Barabanov, R. Ortega, "Necessary and sufficient conditions for
// passivity of the LuGre friction model", ibid. 45, 2000); so faster ones are damped less. The
// stored energy ½ k e² does not depend on the load, which may change as it likes.
#pragma once

#include "constraints/laws.hpp"

namespace tarsus::TARSUS_ISA {

struct Bristle {
    static constexpr bool kDissipates = true;
    // Surfaces that a damper would pull at hold by so much of what their springs push.
    static constexpr double kLeastLoad = 0.01;
    // [m, rad] bristles bend by this without any load, so that rates have bounds at the first touch
    static constexpr double kShortest = 1e-8;

    template <class T>
    static TARSUS_INLINE Slip<T> slip(const CompliantNumbers& numbers, const SlipState<T>& at) {
        const T least = at.elastic * T(kLeastLoad);
        const T pressed = select(at.load > least, at.load, least);
        const T load = select(pressed > T(0.0), pressed, T(0.0));
        const T speed = square_root(mul_add(at.vx, at.vx, at.vy * at.vy));
        const T ratio = speed * T(numbers.stribeck);
        const T faded = lanewise([](double x) { return std::exp(x); }, -(ratio * ratio));
        const T friction =
            at.parameters[kFriction] * mul_add(T(numbers.stiction - 1.0), faded, T(1.0));
        const T viscous = at.parameters[kViscous] * speed, fade = T(kFade) * load;
        const T limit = mul_add(friction, load, select(viscous < fade, viscous, fade));
        const T turning = T(numbers.torsion) * load;
        const T spins = way_of(at.spin * at.spin), spin = at.spin * at.spin * spins;

        Slip<T> found;
        const Bend<T> slides(numbers.stiffness, numbers.damping, limit, speed);
        found.slide = slides.rate, found.damping = slides.damping;
        const Bend<T> turns(numbers.twist_stiffness, numbers.twist_damping, turning, spin);
        found.turn = turns.rate, found.turn_damping = turns.damping;
        // the part of the spin that still bends them
        found.arm_share = neg_mul_add(turns.stiff * at.turn, at.spin * spins, T(1.0));
        return found;
    }

   private:
    // bristles of a stiffness k under a limit g: how fast they relax, and how much of the damping
    // is left
    template <class T>
    struct Bend {
        T stiff, rate, damping;

        TARSUS_INLINE Bend(double k, double d, const T& g, const T& speed) {
            const T least(k > 0 ? k * kShortest : 1.0);
            stiff = T(k) / select(g > least, g, least);
            rate = stiff * speed;
            damping = T(1.0) / mul_add(T(k > 0 ? 0.25 * d / k : 0.0), rate, T(1.0));
        }
    };
};

}  // namespace tarsus::TARSUS_ISA
