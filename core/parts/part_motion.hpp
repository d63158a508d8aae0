// Second derivatives of a part's rows whose target stands, from the motions of its two bodies; and
// its rows as test forces.
#pragma once

#include "dynamics/articulated_constraints.hpp"
#include "parts/part_at.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void push_part(const Part& part, const Pose<T>* pose, const PartAt<T>& at,
                             TestForces<T>& test) {
    if (part.coordinates == Coordinates::joint) return test.push_joints(part.joints);
    RowForces<T> on_a, on_b;
    for (int r = 0; r < part.n_rows; ++r) {
        const Force<T> f = force_on(pose[part.a.body + 1], at.on_a, at.row[r]);
        on_a.f[r] = {-f.linear, -f.angular};
        on_b.f[r] = force_on(pose[part.b.body + 1], at.point, at.row[r]);
    }
    test.push_bodies(part.n_rows, part.a.body, on_a, part.b.body, on_b);
}

// of the distance of two points
template <class T>
TARSUS_INLINE T line_acceleration(const Part& part, const BodyMotion<T>& body_a,
                                  const BodyMotion<T>& body_b) {
    const BodyMotion<T> a = at_point(body_a, frame_on(part.a, body_a.pose).position);
    const BodyMotion<T> b = at_point(body_b, frame_on(part.b, body_b.pose).position);
    const Vec3<T> apart =
        frame_on(part.b, body_b.pose).position - frame_on(part.a, body_a.pose).position;
    const Vec3<T> rate = b.velocity - a.velocity, curve = b.acceleration - a.acceleration;
    const T length = square_root(dot(apart, apart));
    const auto has_direction = length > T(kShortest);
    const T scale = T(1.0) / select(has_direction, length, T(1.0));
    const T along = dot(apart, rate) * scale;
    const T found = (dot(apart, curve) + dot(rate, rate) - along * along) * scale;
    return select(has_direction, found, curve.x);
}

// numbers: the part's own
template <class T>
TARSUS_INLINE void part_accelerations(const Tree& tree, const Part& part, const T* numbers,
                                      const Pose<T>* pose, const BodyMotion<T>& body_a,
                                      const BodyMotion<T>& body_b, T* out) {
    if (part.coordinates == Coordinates::line) {
        out[0] = line_acceleration(part, body_a, body_b);
        return;
    }
    const Pose<T> a = target_frame(tree, part, pose, numbers + Part::kTarget);
    const Pose<T> b = frame_on(part.b, body_b.pose);
    const bool meets = part.holds_point();
    const BodyMotion<T> in_b = at_point(body_b, b.position);
    const BodyMotion<T> in_a = at_point(body_a, meets ? a.position : b.position);
    const Vec3<T>&spin_a = body_a.turning, &spin_b = body_b.turning;
    // of one point from the other in axes of the world, or as seen from body a
    const Vec3<T> u = in_b.velocity - in_a.velocity;
    Vec3<T> seen = in_b.acceleration - in_a.acceleration;
    if (!meets) seen = seen - cross(spin_a, u) * T(2.0);
    const Mat3<T> axes = meets ? identity_matrix<T>() : a.rotation;
    const Vec3<T> turn = spin_b - spin_a, turn_rate = body_b.turning_rate - body_a.turning_rate;
    for (int r = 0; r < part.n_rows; ++r) {
        const PartRow& row = part.row[r];
        const Vec3<T>& e = axis_of(a.rotation, row.i);
        if (row.kind == PartRowKind::position) {
            out[r] = dot(axis_of(axes, row.i), seen);
        } else if (row.kind == PartRowKind::rotation) {
            const Vec3<T>& f = axis_of(b.rotation, row.j);
            const Vec3<T> turned = cross(cross(spin_b, f), e) + cross(f, cross(spin_a, e));
            out[r] = dot(turn_rate, cross(f, e)) + dot(turn, turned);
        } else {
            out[r] = dot(e, turn_rate) + dot(cross(spin_a, e), turn);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
