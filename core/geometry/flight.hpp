// Where two solids will touch in this step. What is apart flies on with its velocity until it
// nearly touches (conservative advancement: Mirtich 1996), and touches as it does there: normals
// and points are those of the impact, and what flies past touches nothing. Gaps are told back to
// the start of the step, so that a velocity that closes them arrives at the impact.
#pragma once

#include <span>

#include "dynamics/articulated_constraints.hpp"
#include "geometry/solids.hpp"

namespace tarsus::TARSUS_ISA {

// A solid on a body with this velocity of the body's origin; all in the world's axes.
struct FlyingSolid {
    const Solid* solid;
    Pose<double> body;
    Point linear, angular;

    double arm() const {
        const Point at = vector_at(solid->on.position);
        return square_root(dot(at, at)) + solid->reach;
    }
    // no point of it is faster, seen from the body's origin
    double spin() const { return square_root(dot(angular, angular)) * arm(); }

    // exp(ω t) (Rodrigues)
    Mat3<double> turn(double time) const {
        const Point way = angular * time;
        const double angle = square_root(dot(way, way));
        if (!(angle > 0)) return identity_matrix<double>();
        const Point axis = way * (1 / angle);
        const auto [c, s] = sincos_of(angle);
        const auto turned = [&, c = c, s = s](const Point& e) -> Point {
            return e * c + cross(axis, e) * s + axis * (dot(axis, e) * (1 - c));
        };
        return {turned({1.0, 0.0, 0.0}), turned({0.0, 1.0, 0.0}), turned({0.0, 0.0, 1.0})};
    }
    PlacedSolid at(double time) const {
        if (time == 0) return {solid, frame_on(solid->on, body)};
        const Mat3<double> turned = turn(time);
        const Pose<double> there{
            {turned * body.rotation.x, turned * body.rotation.y, turned * body.rotation.z},
            body.position + linear * time};
        return {solid, frame_on(solid->on, there)};
    }
    // where a point that is on the body at that time is now
    Point back(const Point& p, double time) const {
        return body.position + transposed_times(turn(time), p - body.position - linear * time);
    }
    Point velocity(const Point& p) const { return linear + cross(angular, p - body.position); }
};

class FlyingTouches {
   public:
    Touch<double> at[kPairPoints];

    FlyingTouches(const FlyingSolid& a, const FlyingSolid& b, double dt);

   private:
    static constexpr int kLooks = 24;
    static constexpr double kNear = kNearFace;  // what is nearer touches as it is

    void fly_past();
    void stay(const FlyingSolid& a, const FlyingSolid& b, double travel);
    void tell_back(const FlyingSolid& a, const FlyingSolid& b, double time);
};

template <class T>
TARSUS_INLINE Pose<double> lane_of(const Pose<T>& pose, int lane) {
    const Mat3<T>& axes = pose.rotation;
    return {{lane_of(axes.x, lane), lane_of(axes.y, lane), lane_of(axes.z, lane)},
            lane_of(pose.position, lane)};
}
template <class T>
TARSUS_INLINE PlacedSolid placed_solid(const Solid& solid, const Pose<T>* pose, int lane) {
    return {&solid, frame_on(solid.on, lane_of(pose[solid.body + 1], lane))};
}
template <class T>
TARSUS_INLINE FlyingSolid flying_solid(const Solid& solid, const Pose<T>* pose,
                                       const Motion<T>* velocity, int lane) {
    const Pose<double> body = lane_of(pose[solid.body + 1], lane);
    const Motion<T>& v = velocity[solid.body + 1];
    return {&solid, body, body.rotation * lane_of(v.linear, lane),
            body.rotation * lane_of(v.angular, lane)};
}

// no point of a ball on a body is faster; velocity in the body's frame
template <class T>
TARSUS_INLINE T fastest(const Motion<T>& velocity, const double* center, double radius) {
    const Vec3<T>&v = velocity.linear, &w = velocity.angular;
    const double arm = std::abs(center[0]) + std::abs(center[1]) + std::abs(center[2]) + radius;
    return mul_add(absolute(w.x) + absolute(w.y) + absolute(w.z), T(arm),
                   absolute(v.x) + absolute(v.y) + absolute(v.z));
}

// whether two solids can meet within a step, in any lane
template <class T>
TARSUS_INLINE bool may_meet(const Solid& a, const Solid& b, const Pose<T>* pose,
                            const Motion<T>* velocity, const T& dt) {
    const auto center = [&](const Solid& solid) {
        const Pose<T>& body = pose[solid.body + 1];
        return body.rotation * vector_at(solid.on.position) + body.position;
    };
    const Vec3<T> apart = center(a) - center(b);
    const T speed = fastest(velocity[a.body + 1], a.on.position, a.reach) +
                    fastest(velocity[b.body + 1], b.on.position, b.reach);
    const T reach = mul_add(speed, dt, T(a.reach + b.reach + 1e-9));
    return any(dot(apart, apart) < reach * reach);
}

// Calls f(candidate, a, b, touch) for the places of some pairs within a time dt; velocities in body
// frames.
template <class T, class F>
TARSUS_INLINE void for_each_pair(const Shapes& shapes, std::span<const int> pairs,
                                 const Pose<T>* pose, const Motion<T>* velocity, const T& dt,
                                 F&& f) {
    for (int k : pairs) {
        const Solid &a = shapes.solids[shapes.pairs[2 * k]],
                    &b = shapes.solids[shapes.pairs[2 * k + 1]];
        Touch<T> touch[kPairPoints];
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const FlyingTouches found(flying_solid(a, pose, velocity, l),
                                      flying_solid(b, pose, velocity, l), lane_of(dt, l));
            for (int i = 0; i < kPairPoints; ++i) set_touch(touch[i], l, found.at[i]);
        }
        for (int i = 0; i < kPairPoints; ++i) {
            f(shapes.pair_candidate(k) + i, a.body, b.body, touch[i]);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
