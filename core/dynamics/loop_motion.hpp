// Second derivatives of a loop's rows, from the motions of its two bodies.
#pragma once

#include "dynamics/loop_rows.hpp"

namespace tarsus::TARSUS_ISA {

// How a body moves, in world axes: velocity and classical acceleration of its origin.
template <class T>
struct BodyMotion {
    Pose<T> pose;
    Vec3<T> velocity, turning, acceleration, turning_rate;
};

// from spatial velocity and acceleration in the body's frame
template <class T>
TARSUS_INLINE BodyMotion<T> body_motion(const Pose<T>& pose, const Motion<T>& v,
                                        const Motion<T>& a) {
    const Mat3<T>& R = pose.rotation;
    return {pose, R * v.linear, R * v.angular, R * cross_add(v.angular, v.linear, a.linear),
            R * a.angular};
}

// the motion of the point that is fixed to the body at p, in the world
template <class T>
TARSUS_INLINE BodyMotion<T> at_point(const BodyMotion<T>& body, const Vec3<T>& p) {
    const Vec3<T> arm = p - body.pose.position, spin = cross(body.turning, arm);
    BodyMotion<T> point = body;
    point.velocity = body.velocity + spin;
    point.acceleration =
        body.acceleration + cross(body.turning_rate, arm) + cross(body.turning, spin);
    return point;
}

// d²/dt² of each row's residual
template <class T>
TARSUS_INLINE void loop_accelerations(const Tree& tree, const Loop& loop,
                                      const BodyMotion<T>& body_a, const BodyMotion<T>& body_b,
                                      T* out) {
    const Pose<T> a = frame_on(loop.a, body_a.pose), b = frame_on(loop.b, body_b.pose);
    const BodyMotion<T> in_b = at_point(body_b, b.position);
    const BodyMotion<T> of_a = at_point(body_a, a.position), in_a = at_point(body_a, b.position);
    const Vec3<T>&spin_a = body_a.turning, &spin_b = body_b.turning;
    // seen from body a: velocity u, and acceleration less the part that turns with a
    const Vec3<T> u = in_b.velocity - in_a.velocity;
    const Vec3<T> seen = in_b.acceleration - in_a.acceleration - cross(spin_a, u);
    for (int r = 0; r < loop.n_rows; ++r) {
        const LoopRow& row = tree.rows[loop.row + r];
        switch (row.kind) {
            case RowKind::position:
                out[r] = dot(axis_of(a.rotation, row.i), seen - cross(spin_a, u));
                break;
            case RowKind::rotation: {
                const Vec3<T>&e = axis_of(a.rotation, row.i), &f = axis_of(b.rotation, row.j);
                const Vec3<T> across = cross(f, e);
                const Vec3<T> turned = cross(cross(spin_b, f), e) + cross(f, cross(spin_a, e));
                out[r] = dot(body_b.turning_rate - body_a.turning_rate, across) +
                         dot(spin_b - spin_a, turned);
                break;
            }
            case RowKind::distance: {
                const Vec3<T> apart = b.position - a.position;
                const Vec3<T> rate = in_b.velocity - of_a.velocity;
                const Vec3<T> curve = in_b.acceleration - of_a.acceleration;
                out[r] = (dot(rate, rate) + dot(apart, curve)) * T(1.0 / loop.length);
                break;
            }
            case RowKind::lateral:
                out[r] = dot(b.rotation.y, seen) + dot(cross(spin_b, b.rotation.y), u);
                break;
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
