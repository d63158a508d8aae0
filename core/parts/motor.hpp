// A direct-current motor behind a gear, on a joint that moves with w [rad/s]. Current i follows
//
//   L di/dt = u − R i − k N w,   torque on the joint N k i − b w
//
// with the voltage u within its limits. At the end of a step of h both are implicit in w⁺,
//
//   i⁺ = (L i/h + u − k N w⁺) / (L/h + R),
//
// and linear, so that the torque is a constant and a damper: no row, and stable however short the
// electrical time is. Dry friction in the gear, c₀ + c₁ |N k i| at most, is a row. Where the
// current would exceed its limit the drive holds it there. The winding warms by R i² and cools
// through a thermal resistance; R grows with its temperature.
#pragma once

#include "scalar/rows.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct MotorDrive {
    T source, admittance, back;  // i = (source − back w) admittance
    T limited, current;          // 1 where the drive holds this current instead
    T inertance, resistance;     // L/h, and R at this temperature
    T speed;                     // w at the start
    T viscous, rubbing;          // b, and the bound of dry friction in the gear

    TARSUS_INLINE T current_at(const T& w) const {
        return select(limited > T(0.0), current, neg_mul_add(back, w, source) * admittance);
    }
    // N k i of a joint at rest, and by how much it falls with w
    TARSUS_INLINE T torque() const {
        return back * select(limited > T(0.0), current, source * admittance);
    }
    TARSUS_INLINE T slope() const {
        return select(limited > T(0.0), T(0.0), back * back * admittance);
    }
    // what the drive applies so that i flows after `before`
    TARSUS_INLINE T voltage(const T& i, const T& before, const T& w) const {
        const T rises = mul_add(inertance, i - before, resistance * i);
        return mul_add(back, w, rises);
    }
};

struct MotorLaw {
    enum : int {
        kResistance,
        kInductance,
        kConstant,
        kRatio,
        kVoltageLimit,
        kCurrentLimit,
        kViscous,
        kCoulomb,
        kLoad,
        kThermalResistance,
        kThermalCapacity,
        kWarming
    };

    // of the voltage that is asked for, the current and the winding's rise of temperature, with so
    // many steps a second
    template <class T>
    static TARSUS_INLINE MotorDrive<T> drive(const T* numbers, const T& asked, const T& current,
                                             const T& rise, const T& w, const T& rate) {
        const T zero(0.0), &most = numbers[kVoltageLimit], &bound = numbers[kCurrentLimit];
        const T u = select(asked > most, most, select(asked < -most, -most, asked));
        MotorDrive<T> at;
        at.resistance = numbers[kResistance] * mul_add(numbers[kWarming], rise, T(1.0));
        at.inertance = numbers[kInductance] * rate;
        at.admittance = T(1.0) / (at.inertance + at.resistance);
        at.back = numbers[kConstant] * numbers[kRatio];
        at.source = mul_add(at.inertance, current, u);
        const T expected = neg_mul_add(at.back, w, at.source) * at.admittance;
        at.current = select(expected > zero, bound, -bound);
        at.limited = select(absolute(expected) > bound, T(1.0), zero);
        at.speed = w, at.viscous = numbers[kViscous];
        const T flows = select(at.limited > zero, bound, absolute(expected));
        at.rubbing = mul_add(numbers[kLoad], absolute(at.back) * flows, numbers[kCoulomb]);
        return at;
    }

    template <class T>
    static TARSUS_INLINE T rise(const T* numbers, const T& before, const T& heating, const T& dt) {
        const T &capacity = numbers[kThermalCapacity], zero(0.0);
        if (!any(capacity > zero)) return zero;
        const T some = select(capacity > zero, capacity, T(1.0));
        const T cooled = T(1.0) + dt / (numbers[kThermalResistance] * some);
        return select(capacity > zero, mul_add(dt / some, heating, before) / cooled, zero);
    }

    template <class T>
    static TARSUS_INLINE T energy(const T* numbers, const T& current) {
        return T(0.5) * numbers[kInductance] * current * current;
    }
};

}  // namespace tarsus::TARSUS_ISA
