// What each of a body's ten inertial parameters asks for: forces are linear in its mass, first and
// second moments (Atkeson, An & Hollerbach 1986).
//
// On a body that moves with (u, ω), and by reference with angular velocity ν and acceleration
// (a, α), a mass m, first moment h and second moment J ask for
//
//   force   m a' + α × h + ν × (ω × h)                      a' = a + ν × u
//   moment  h × a' + J α + ω × J ν − ½ tr(J) ω × ν
#pragma once

#include "dynamics/reference_motion.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kInertialParameters = 10;

// a body's axes as users see them, and its motion in these axes at its origin
template <class T>
struct RegressorBody {
    Mat3<T> axes;
    Vec3<T> p, acceleration, turning, reference, turning_rate;  // acceleration: a'
};

template <class T>
TARSUS_INLINE RegressorBody<T> regressor_body(const Tree& tree, int i, const MovingTree<T>& moving,
                                              const ReferenceBody<T>& reference) {
    const MovingBody<T>& body = moving.body[i + 1];
    const Mat3<T> axes = body.axes * matrix_at(tree.body_axes[i].rotation);
    const auto at_origin = [&](const Motion<T>& m) {
        return cross_add(m.angular, body.p, m.linear);
    };
    const Vec3<T> a = cross_add(reference.v.angular, at_origin(body.v), at_origin(reference.a));
    const auto seen = [&](const Vec3<T>& x) { return transposed_times(axes, x); };
    return {axes,
            body.p,
            seen(a),
            seen(body.v.angular),
            seen(reference.v.angular),
            seen(reference.a.angular)};
}

// the moment that a second moment with a unit at (k, l) and (l, k) asks for
template <class T>
TARSUS_INLINE Vec3<T> unit_moment(const RegressorBody<T>& at, int k, int l) {
    const auto part = [](const Vec3<T>& x, int j) { return j == 0 ? x.x : j == 1 ? x.y : x.z; };
    const auto times = [&](const Vec3<T>& x) {
        T out[3] = {T(0.0), T(0.0), T(0.0)};
        out[k] = part(x, l), out[l] = part(x, k);
        return Vec3<T>{out[0], out[1], out[2]};
    };
    const Vec3<T> moment = cross_add(at.turning, times(at.reference), times(at.turning_rate));
    if (k != l) return moment;
    return mul_add(cross(at.turning, at.reference), T(-0.5), moment);
}

// what each parameter asks for, in the axes that users see at the body's origin
template <class T>
TARSUS_INLINE void unit_forces(const RegressorBody<T>& at, Force<T> (&out)[kInertialParameters]) {
    const Mat3<T> one = identity_matrix<T>();
    const Vec3<T> none = zero_vector<T>(), unit[3] = {one.x, one.y, one.z};
    out[0] = {at.acceleration, none};
    for (int k = 0; k < 3; ++k) {
        const Vec3<T> swing = cross(at.reference, cross(at.turning, unit[k]));
        out[1 + k] = {cross_add(at.turning_rate, unit[k], swing), cross(unit[k], at.acceleration)};
    }
    int parameter = 4;  // xx xy yy xz yz zz
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l <= k; ++l) out[parameter++] = {none, unit_moment(at, k, l)};
    }
}

// what a body with these ten numbers asks for
template <class T>
TARSUS_INLINE Force<T> inertial_force(const RegressorBody<T>& at, const double* numbers) {
    const Vec3<T> h{T(numbers[1]), T(numbers[2]), T(numbers[3])};
    const T xx(numbers[4]), xy(numbers[5]), yy(numbers[6]), xz(numbers[7]), yz(numbers[8]),
        zz(numbers[9]);
    const auto times = [&](const Vec3<T>& u) {
        return Vec3<T>{mul_add(xx, u.x, mul_add(xy, u.y, xz * u.z)),
                       mul_add(xy, u.x, mul_add(yy, u.y, yz * u.z)),
                       mul_add(xz, u.x, mul_add(yz, u.y, zz * u.z))};
    };
    const Vec3<T> swing = cross(at.reference, cross(at.turning, h));
    const Vec3<T> force =
        mul_add(at.acceleration, T(numbers[0]), cross_add(at.turning_rate, h, swing));
    const Vec3<T> gyroscopic = cross_add(at.turning, times(at.reference), times(at.turning_rate));
    const T half(-0.5 * (numbers[4] + numbers[6] + numbers[9]));
    return {force, cross_add(h, at.acceleration,
                             mul_add(cross(at.turning, at.reference), half, gyroscopic))};
}

// a unit velocity with motion S, as the body sees it at its origin
template <class T>
TARSUS_INLINE Motion<T> seen_by(const RegressorBody<T>& at, const Motion<T>& S) {
    return {transposed_times(at.axes, cross_add(S.angular, at.p, S.linear)),
            transposed_times(at.axes, S.angular)};
}

}  // namespace tarsus::TARSUS_ISA
