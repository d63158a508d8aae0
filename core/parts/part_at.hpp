// The coordinates of a part in a state: values, and rows as wrenches on b at a point, whose power
// on the motion of b relative to a is the value's rate. The opposite wrench acts on a, at the same
// point; or, where all three positions are held, at a's own, along axes that do not turn: a gap
// that is open then is no lever that twists a (Schröder 1990, section 5.3).
#pragma once

#include "dynamics/loop_rows.hpp"
#include "parts/part.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct PartAt {
    Vec3<T> point, on_a;  // where the wrenches act on b and on a
    Force<T> row[kMostPartRows];
    T value[kMostPartRows];
    T rate_of_target[kMostPartRows];
};

constexpr double kShortest = 1e-12;  // [m] a line that is shorter has no direction of its own

// the pose of frame a, which may be moved by its target
template <class T>
TARSUS_INLINE Pose<T> target_frame(const Tree& tree, const Part& part, const Pose<T>* pose,
                                   const T* target) {
    const Vec3<T> position{target[0], target[1], target[2]};
    const Mat3<T> rotation = rotation_of(quaternion_at(target + 3));
    const int body = part.a.body;
    if (body < 0) return {rotation, position};
    const Mat3<T> axes = pose[body + 1].rotation * matrix_at(tree.body_axes[body].rotation);
    return {axes * rotation, axes * position + pose[body + 1].position};
}

// the rotation vector from a to b, in axes of a
template <class T>
TARSUS_INLINE Vec3<T> turn_between(const Mat3<T>& a, const Mat3<T>& b) {
    const Mat3<T> r{transposed_times(a, b.x), transposed_times(a, b.y), transposed_times(a, b.z)};
    // by the largest of the four numbers of its quaternion (Shepperd 1978)
    const T one(1.0), trace = r.x.x + r.y.y + r.z.z;
    const T by_x = one + r.x.x - r.y.y - r.z.z, by_y = one - r.x.x + r.y.y - r.z.z,
            by_z = one - r.x.x - r.y.y + r.z.z, by_w = one + trace;
    const T x = r.y.z - r.z.y, y = r.z.x - r.x.z, z = r.x.y - r.y.x;
    const T xy = r.y.x + r.x.y, xz = r.z.x + r.x.z, yz = r.z.y + r.y.z;
    Quaternion<T> q{{x, y, z}, by_w};
    T best = by_w;
    const auto better = [&](const T& size, const Quaternion<T>& other) {
        q = {{select(size > best, other.u.x, q.u.x), select(size > best, other.u.y, q.u.y),
              select(size > best, other.u.z, q.u.z)},
             select(size > best, other.w, q.w)};
        best = select(size > best, size, best);
    };
    better(by_x, {{by_x, xy, xz}, x});
    better(by_y, {{xy, by_y, yz}, y});
    better(by_z, {{xz, yz, by_z}, z});
    return logarithm(q);
}

template <class T>
TARSUS_INLINE void frame_at(const Tree& tree, const Part& part, const Pose<T>* pose,
                            const T* numbers, PartAt<T>& at) {
    const T* target = numbers + Part::kTarget;
    const Pose<T> a = target_frame(tree, part, pose, target);
    const Pose<T> b = frame_on(part.b, pose[part.b.body + 1]);
    const Vec3<T> apart = b.position - a.position, none = zero_vector<T>();
    // how the target itself moves, in axes of the world
    const Mat3<T>& carrier = pose[part.a.body + 1].rotation;
    Vec3<T> moves{target[7], target[8], target[9]}, turns{target[10], target[11], target[12]};
    if (part.a.body >= 0) {
        const auto axes = matrix_at(tree.body_axes[part.a.body].rotation);
        moves = carrier * (axes * moves), turns = carrier * (axes * turns);
    }
    const bool meets = part.holds_point();
    const Vec3<T> moves_there = meets ? moves : cross_add(turns, apart, moves);
    const Mat3<T> axes = meets ? identity_matrix<T>() : a.rotation;
    bool turned = false;
    Vec3<T> turn = none;
    at.point = b.position, at.on_a = meets ? a.position : b.position;
    for (int r = 0; r < part.n_rows; ++r) {
        const PartRow& row = part.row[r];
        const bool moved = row.kind == PartRowKind::position;
        const Vec3<T>& axis = axis_of(moved ? axes : a.rotation, row.i);
        if (moved) {
            at.row[r] = {axis, none};
            at.value[r] = dot(axis, apart);
            at.rate_of_target[r] = dot(axis, moves_there);
            continue;
        }
        if (row.kind == PartRowKind::rotation) {
            const Vec3<T>& other = axis_of(b.rotation, row.j);
            at.row[r] = {none, cross(other, axis)};
            at.value[r] = dot(axis, other);
        } else {
            if (!turned) turn = turn_between(a.rotation, b.rotation), turned = true;
            at.row[r] = {none, axis};
            at.value[r] = row.i == 0 ? turn.x : row.i == 1 ? turn.y : turn.z;
        }
        at.rate_of_target[r] = dot(at.row[r].angular, turns);
    }
}

template <class T>
TARSUS_INLINE void line_at(const Part& part, const Pose<T>* pose, const T* numbers, PartAt<T>& at) {
    const Pose<T> a = frame_on(part.a, pose[part.a.body + 1]);
    const Pose<T> b = frame_on(part.b, pose[part.b.body + 1]);
    const Vec3<T> apart = b.position - a.position;
    const T length = square_root(dot(apart, apart));
    const T scale = T(1.0) / select(length > T(kShortest), length, T(1.0));
    Vec3<T> along = apart * scale;
    along.x = select(length > T(kShortest), along.x, T(1.0));
    at.point = at.on_a = b.position;
    at.row[0] = {along, zero_vector<T>()};
    at.value[0] = length - numbers[Part::kTarget];
    at.rate_of_target[0] = numbers[Part::kTarget + 1];
}

template <class T>
TARSUS_INLINE void joint_at(const Part& part, const T* joint_q, const T* numbers, PartAt<T>& at) {
    T sum = -numbers[Part::kTarget];
    for (size_t k = 0; k < part.joints.size(); ++k) {
        sum = mul_add(joint_q[part.positions[k]], T(part.joints[k].ratio), sum);
    }
    at.value[0] = sum;
    at.rate_of_target[0] = numbers[Part::kTarget + 1];
}

// rates of the rows when the bodies move like this, the world first, in their frames
template <class T>
TARSUS_INLINE void body_rates(const Part& part, const Pose<T>* pose, const PartAt<T>& at,
                              const Motion<T>* motion, T* out) {
    const int a = part.a.body + 1, b = part.b.body + 1;
    const Vec3<T> apart =
        point_velocity(pose[b], motion[b], at.point) - point_velocity(pose[a], motion[a], at.on_a);
    const Vec3<T> turn =
        pose[b].rotation * motion[b].angular - pose[a].rotation * motion[a].angular;
    for (int r = 0; r < part.n_rows; ++r) {
        out[r] = dot(at.row[r].linear, apart) + dot(at.row[r].angular, turn) - at.rate_of_target[r];
    }
}

template <class T>
TARSUS_INLINE void joint_rates(const Part& part, const PartAt<T>& at, const T* w, T* out) {
    T sum = -at.rate_of_target[0];
    for (const JointShare& joint : part.joints) sum = mul_add(w[joint.w], T(joint.ratio), sum);
    out[0] = sum;
}

}  // namespace tarsus::TARSUS_ISA
