// Where a child body is on its parent: the constant placement of the joint, then the joint's own
// rotation and, if it slides, its own displacement.
#pragma once

#include "spatial/articulated.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE Vec3<double> vector_at(const double* a) { return {a[0], a[1], a[2]}; }
TARSUS_INLINE Mat3<double> matrix_at(const double* columns) {
    return {vector_at(columns), vector_at(columns + 3), vector_at(columns + 6)};
}
template <class T>
TARSUS_INLINE Vec3<T> constant_vector(const double* a) {
    return {T(a[0]), T(a[1]), T(a[2])};
}
template <class Body>
TARSUS_INLINE Inertia<double> inertia_of(const Body& body) {
    const double* s = body.second;
    return {body.mass, vector_at(body.first), {s[0], s[1], s[2], s[3], s[4], s[5]}};
}

template <class T>
struct Pose {
    Mat3<T> rotation;
    Vec3<T> position;
};

// Offset is Vec3<double> where the joint does not slide, Vec3<T> where it does.
template <class T, class Rotation, class Offset>
struct Transform {
    FixedTurn turn;
    Rotation rotation;
    Offset p;  // the child's origin in the parent's frame

    TARSUS_INLINE Motion<T> to_child(const Motion<T>& m) const {
        const Vec3<T> linear = cross_add(m.angular, p, m.linear);
        return turn.visit([&](auto fixed) -> Motion<T> {
            return {rotation.in(fixed.in(linear)), rotation.in(fixed.in(m.angular))};
        });
    }
    TARSUS_INLINE Force<T> to_parent(const Force<T>& f) const {
        const Force<T> turned = turn.visit([&](auto fixed) -> Force<T> {
            return {fixed.out(rotation.out(f.linear)), fixed.out(rotation.out(f.angular))};
        });
        return {turned.linear, cross_add(p, turned.linear, turned.angular)};
    }
    template <class ArticulatedInertia>
    TARSUS_INLINE Articulated<T> to_parent(const ArticulatedInertia& a) const {
        const auto inner = turned(rotation, a);
        return turn.visit([&](auto fixed) { return shifted(turned(fixed, inner), p); });
    }
    // a vector of the parent, in the child's axes
    TARSUS_INLINE Vec3<T> axes_in(const Vec3<T>& a) const {
        return turn.visit([&](auto fixed) -> Vec3<T> { return rotation.in(fixed.in(a)); });
    }
    // the child's axes, given the parent's
    TARSUS_INLINE Mat3<T> axes_from(const Mat3<T>& parent) const {
        return rotation.behind(turn.visit([&](auto fixed) { return fixed.behind(parent); }));
    }
    TARSUS_INLINE Pose<T> pose_from(const Pose<T>& parent) const {
        return {axes_from(parent.rotation), parent.rotation * p + parent.position};
    }
};

template <class T, class Rotation>
TARSUS_INLINE Transform<T, Rotation, Vec3<double>> turning(const Link& link,
                                                           const Rotation& rotation) {
    return {{link.turn, link.rotation}, rotation, vector_at(link.position)};
}

// displacement in the joint's frame, before its rotation
template <class T, class Rotation>
TARSUS_INLINE Transform<T, Rotation, Vec3<T>> sliding(const Link& link, const Rotation& rotation,
                                                      const Vec3<T>& displacement) {
    const FixedTurn turn{link.turn, link.rotation};
    return {turn, rotation, turn.matrix() * displacement + vector_at(link.position)};
}

}  // namespace tarsus::TARSUS_ISA
