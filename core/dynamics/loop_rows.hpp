// A loop joint as scalar rows: each is a wrench at the origin of frame b, whose power on the motion
// of b relative to a is the rate of the row's residual.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostLoopRows = 6;

template <class T>
struct LoopAt {
    Vec3<T> point;  // origin of frame b
    Force<T> row[kMostLoopRows];
    T residual[kMostLoopRows];
};

template <class T>
TARSUS_INLINE const Vec3<T>& axis_of(const Mat3<T>& axes, int i) {
    return i == 0 ? axes.x : i == 1 ? axes.y : axes.z;
}

template <class T>
TARSUS_INLINE Pose<T> frame_on(const FrameOnBody& on, const Pose<T>& body) {
    return {body.rotation * matrix_at(on.rotation),
            body.rotation * vector_at(on.position) + body.position};
}

// velocity of the point of a body at p in the world
template <class T>
TARSUS_INLINE Vec3<T> point_velocity(const Pose<T>& pose, const Motion<T>& v, const Vec3<T>& p) {
    return cross_add(pose.rotation * v.angular, p - pose.position, pose.rotation * v.linear);
}

// poses of the two bodies in the same axes
template <class T>
TARSUS_INLINE void loop_at(const Tree& tree, const Loop& loop, const Pose<T>& body_a,
                           const Pose<T>& body_b, LoopAt<T>& at) {
    const Pose<T> a = frame_on(loop.a, body_a), b = frame_on(loop.b, body_b);
    const Vec3<T> apart = b.position - a.position, none = zero_vector<T>();
    at.point = b.position;
    for (int r = 0; r < loop.n_rows; ++r) {
        const LoopRow& row = tree.rows[loop.row + r];
        switch (row.kind) {
            case RowKind::position: {
                const Vec3<T>& axis = axis_of(a.rotation, row.i);
                at.row[r] = {axis, none};
                at.residual[r] = dot(axis, apart);
                break;
            }
            case RowKind::rotation: {
                const Vec3<T>&axis_a = axis_of(a.rotation, row.i),
                      &axis_b = axis_of(b.rotation, row.j);
                at.row[r] = {none, cross(axis_b, axis_a)};
                at.residual[r] = dot(axis_a, axis_b);
                break;
            }
            case RowKind::distance: {
                // (|p|² − L²)/(2 L): smooth, and a length to first order
                at.row[r] = {apart * T(1.0 / loop.length), none};
                at.residual[r] =
                    (dot(apart, apart) * T(1.0 / loop.length) - T(loop.length)) * T(0.5);
                break;
            }
            case RowKind::lateral: {
                at.row[r] = {b.rotation.y, none};
                at.residual[r] = T(0.0);
                break;
            }
        }
    }
}

// the rate of a row when the body with this origin moves by S
template <class T>
TARSUS_INLINE T row_rate(const Force<T>& row, const Vec3<T>& point, const Vec3<T>& origin,
                         const Motion<T>& S) {
    const Vec3<T> moment = cross_add(point - origin, row.linear, row.angular);
    return dot(row.linear, S.linear) + dot(moment, S.angular);
}

}  // namespace tarsus::TARSUS_ISA
