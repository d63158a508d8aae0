// How the columns of a joint's subspace change in the child's frame, by dual numbers.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

// the joint's coordinates as dual numbers that move with its velocity v
template <class Joint, class T>
struct MovingJoint {
    Dual<T> q[Joint::nq];
    Angle<Dual<T>> angle[kMostAngles] = {};

    TARSUS_INLINE MovingJoint(const At<T>& at, const T* v) {
        T rate[Joint::nq];
        Joint::rate(at, v, rate);
        for (int k = 0; k < Joint::nq; ++k) q[k] = {at.q[k], rate[k]};
        const int first = kKindInfo[int(at.link.kind)].first_angle;
        for (int k = 0; k < at.link.angles; ++k) {
            const Angle<T>& a = at.angle[k];
            angle[k] = {{a.cosine, -(a.sine * rate[first + k])},
                        {a.sine, a.cosine * rate[first + k]}};
        }
    }
};

template <class T>
TARSUS_INLINE Vec3<T> values_of(const Vec3<Dual<T>>& a) {
    return {a.x.value, a.y.value, a.z.value};
}
template <class T>
TARSUS_INLINE Vec3<T> rates_of(const Vec3<Dual<T>>& a) {
    return {a.x.rate, a.y.rate, a.z.rate};
}
template <class T>
TARSUS_INLINE Motion<T> rates_of(const Motion<Dual<T>>& m) {
    return {rates_of(m.linear), rates_of(m.angular)};
}

// out[k] := rate of column k for the joint velocity v, in the child's frame
template <class Joint, class T>
TARSUS_INLINE void subspace_rate(const At<T>& at, const T* v, Motion<T>* out) {
    const MovingJoint<Joint, T> moving(at, v);
    const auto S = Joint::subspace(At<Dual<T>>{at.link, moving.q, moving.angle});
    for (int k = 0; k < Joint::nv; ++k) out[k] = rates_of(S.s[k]);
}

}  // namespace tarsus::TARSUS_ISA
