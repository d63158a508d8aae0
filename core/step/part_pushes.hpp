// Parts that push without rows in a step: wrenches and fields, before anything accelerates.
#pragma once

#include "step/part_steps.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void PartSteps<T>::push_wrench(const Part& part, const Moment<T>& at,
                                             ArticulatedPasses<T>& passes) {
    const int body = part.b.body + 1;
    if (body == 0) return;
    const Pose<T> b = frame_on(part.b, at.pose[body]);
    const Force<T> wrench = wrench_of(part, b);
    passes.body[body].p = passes.body[body].p - force_on(at.pose[body], b.position, wrench);
    T* push = memory + part.memory + Part::kPush;
    push[0] = wrench.linear.x, push[1] = wrench.linear.y, push[2] = wrench.linear.z;
    push[3] = wrench.angular.x, push[4] = wrench.angular.y, push[5] = wrench.angular.z;
}

template <class T>
TARSUS_INLINE T PartSteps<T>::wrench_work(const Part& part, const Moment<T>& at) const {
    const int body = part.b.body + 1;
    if (body == 0) return T(0.0);
    const Pose<T>& pose = at.pose[body];
    const Pose<T> b = frame_on(part.b, pose);
    const Force<T> wrench = wrench_of(part, b);
    const Motion<T> twice = at.start[body] + at.after[body];
    const Vec3<T> v = point_velocity(pose, twice, b.position);
    return T(0.5) * at.dt *
           (dot(wrench.linear, v) + dot(wrench.angular, pose.rotation * twice.angular));
}

template <class T>
TARSUS_INLINE void PartSteps<T>::push_field(const Part& part, const Moment<T>& at,
                                            ArticulatedPasses<T>& passes) {
    for (int i = 0; i < tree_.n_bodies; ++i) {
        if (tree_.links[i].spinning) continue;
        const Pose<T>& pose = at.pose[i + 1];
        const auto weight = [&](const Inertia<double>& I) {
            const Vec3<T> x = pose.rotation * centre_of(I) + pose.position;
            const Vec3<T> f = field_of(part, x).acceleration * T(I.mass);
            return force_on(pose, x, Force<T>{f, zero_vector<T>()});
        };
        Force<T>& p = passes.body[i + 1].p;
        p = p - passes.loads.carried(tree_, i, weight);
    }
}

}  // namespace tarsus::TARSUS_ISA
