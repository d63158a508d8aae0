// What parts store in a state, for the ledger.
#pragma once

#include "step/part_steps.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_APART T PartSteps<T>::stored(const Pose<T>* pose, const Motion<T>* motion,
                                    const JointState<T>& joints, const Loads<T>& loads, const T& dt,
                                    T* out) {
    T staggered(0.0);
    for (size_t k = 0; k < parts.list.size(); ++k) {
        const Part& part = parts.list[k];
        out[k] = T(0.0);
        if (part.law == PartLaw::motor) {
            const T& current = memory[part.memory + Part::kOwn + Part::kCurrent];
            out[k] = MotorLaw::energy(law(part), current);
        } else if (part.coordinates == Coordinates::field) {
            out[k] = field_energy(part, pose, motion, loads, dt, staggered);
        } else if (part.n_rows && part.law != PartLaw::rigid) {
            out[k] = law_energy(part, pose, motion, joints, dt, staggered);
        }
    }
    return staggered;
}

template <class T>
TARSUS_INLINE T PartSteps<T>::field_energy(const Part& part, const Pose<T>* pose,
                                           const Motion<T>* motion, const Loads<T>& loads,
                                           const T& dt, T& staggered) const {
    T sum(0.0);
    for (int i = 0; i < tree_.n_bodies; ++i) {
        if (tree_.links[i].spinning) continue;
        sum += loads.carried(tree_, i, [&](const Inertia<double>& I) {
            const Vec3<T> x = pose[i + 1].rotation * centre_of(I) + pose[i + 1].position;
            const Field<T> field = field_of(part, x);
            const Vec3<T> v = point_velocity(pose[i + 1], motion[i + 1], x);
            staggered = mul_add(T(0.5) * dt * T(I.mass), dot(field.acceleration, v), staggered);
            return field.potential * T(I.mass);
        });
    }
    return sum;
}

template <class T>
TARSUS_INLINE T PartSteps<T>::law_energy(const Part& part, const Pose<T>* pose,
                                         const Motion<T>* motion, const JointState<T>& joints,
                                         const T& dt, T& staggered) {
    T sum(0.0), own[4], rate[kMostPartRows];
    for (int i = 0; i < 4; ++i) own[i] = memory[part.memory + Part::kOwn + i];
    place(part, pose, joints.q, memory + part.memory + Part::kAge, own);
    if (part.coordinates == Coordinates::joint) joint_rates(part, here(part), joints.v, rate);
    else body_rates(part, pose, here(part), motion, rate);
    const T on = is_on(numbers + part.numbers);
    visit_law(part.law, [&](auto law_of) {
        using Law = decltype(law_of);
        for (int r = 0; r < part.n_rows; ++r) {
            const Pull<T> now = Law::pull(law(part), row_state(part, r, rate));
            sum = mul_add(Law::energy(law(part), here(part).value[r]), on, sum);
            // ½ h f ẋ, and ½ β h² k ẋ² of the slope that is taken at the end of the step
            const T lag = neg_mul_add(now.force - now.lost, rate[r],
                                      T(kLag) * dt * now.slope * rate[r] * rate[r]);
            staggered = mul_add(T(0.5) * dt * on, lag, staggered);
        }
    });
    return sum;
}

}  // namespace tarsus::TARSUS_ISA
