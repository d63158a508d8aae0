// Motors in a step: a torque and a damper on their joints before anything accelerates, and what
// flowed after it.
#pragma once

#include "parts/motor.hpp"
#include "parts/part.hpp"
#include "step/moment.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class MotorSteps {
   public:
    MotorSteps(const Parts& parts, Scratch& scratch)
        : parts_(parts),
          drive_(scratch.take<MotorDrive<T>>(parts.n_motors ? parts.list.size() : 0)) {}

    bool any() const { return parts_.n_motors > 0; }
    // rows that they have in no lane: each has one, for dry friction
    int idle_rows() const { return rubs_ ? 0 : parts_.n_motors; }
    const MotorDrive<T>& drive(const Part& part) const {
        return drive_[&part - parts_.list.data()];
    }

    // adds to forces and to the diagonal of all joints, which move with w
    TARSUS_APART void push(const T* numbers, const T* memory, const T* w, const T& dt, T* on_joint,
                           T* diagonal) {
        const T rate = T(1.0) / dt;
        rubs_ = false;
        for_each([&](const Part& part) {
            const T* own = memory + part.memory + Part::kOwn;
            const int joint = part.joints[0].w;
            MotorDrive<T>& at = drive_[&part - parts_.list.data()];
            at =
                MotorLaw::drive(numbers + part.law_numbers(), numbers[part.numbers + Part::kTarget],
                                own[Part::kCurrent], own[Part::kRise], w[joint], rate);
            const T on = is_on(numbers, part);
            const T damping = at.slope() + at.viscous;
            const T torque = neg_mul_add(damping, w[joint], at.torque());
            on_joint[joint] += select(on > T(0.0), torque, T(0.0));
            diagonal[joint] += select(on > T(0.0), damping * dt, T(0.0));
            rubs_ = rubs_ || tarsus::TARSUS_ISA::any(at.rubbing > T(0.0));
        });
    }

    // after the step, at whose end joints move with w. Works are those at the mean velocity, as all
    // are; what the motor stores is part of its work.
    TARSUS_APART void finish(const T* numbers, T* memory, const T* w, const T& dt, const T& alive) {
        const T zero(0.0), rate = T(1.0) / dt;
        for_each([&](const Part& part) {
            const MotorDrive<T>& at = drive(part);
            const T *given = numbers + part.law_numbers(), &end = w[part.joints[0].w];
            T *kept = memory + part.memory, *own = kept + Part::kOwn;
            const T on = is_on(numbers, part), before = own[Part::kCurrent];
            const auto set = [&](T& x, const T& value) { x = select(alive > zero, value, x); };
            const T current = select(on > zero, at.current_at(end), zero);
            const T torque =
                select(on > zero, neg_mul_add(at.viscous, end, at.back * current), zero);
            const T voltage = select(on > zero, at.voltage(current, before, end), zero);
            const T heating = at.resistance * current * current;
            const T impulse = mul_add(dt, torque, kept[Part::kImpulse]);
            const T stores = MotorLaw::energy(given, current) - MotorLaw::energy(given, before);
            const T work = mul_add(impulse, T(0.5) * (at.speed + end), stores);
            set(kept[Part::kWork], kept[Part::kWork] + work);
            set(kept[Part::kPush], impulse * rate);
            set(own[Part::kSupplied], mul_add(dt, voltage * current, own[Part::kSupplied]));
            set(own[Part::kHeat], mul_add(dt, heating, own[Part::kHeat]));
            set(own[Part::kRise], MotorLaw::rise(given, own[Part::kRise], heating, dt));
            set(own[Part::kCurrent], current);
            // as they are recorded, behind the place of the row
            for (int k = 0; k < Part::kOwnCount; ++k) kept[Part::kValue + 1 + k] = own[k];
            set(kept[Part::kValue + 1 + Part::kOwnCount], voltage);
        });
    }

   private:
    template <class F>
    TARSUS_INLINE void for_each(F&& f) const {
        for (const Part& part : parts_.list) {
            if (part.law == PartLaw::motor) f(part);
        }
    }
    static T is_on(const T* numbers, const Part& part) {
        return select(numbers[part.numbers] > T(0.0), T(1.0), T(0.0));
    }

    const Parts& parts_;
    bool rubs_ = false;
    MotorDrive<T>* drive_;
};

}  // namespace tarsus::TARSUS_ISA
