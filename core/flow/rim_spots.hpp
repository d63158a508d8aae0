// Where rims of cylinders and tori touch a plane, as points that move smoothly.
//
// A rim that stands on its edge touches with its lowest point, which moves over the body: the gap
// is least there, so that its rate is that of the material point. One that lies flat has no lowest
// point; it touches with three of its points, fixed to the body, the first where it touched last.
// Between the two is a tilt, `kFlat`: what is below lies flat.
#pragma once

#include "flow/contact_mechanism.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFlat = 1e-5;  // sine of the tilt below which a rim lies flat

// One rim at one pose of its body, over a plane with the unit normal n
struct RimAt {
    Vec3<double> center, axis, first, second;  // first, second: unit vectors in its plane
    Vec3<double> down;                         // towards its lowest point, as long as the tilt
    double tilt;                               // sine of the angle between axis and normal

    RimAt(const Ring& ring, const Pose<double>& body, const Vec3<double>& n)
        : center(body.rotation * vector_at(ring.position) + body.position),
          axis(body.rotation * vector_at(ring.axis)),
          first(body.rotation * vector_at(ring.across)),
          second(cross(axis, first)),
          down(axis * dot(axis, n) - n),
          tilt(std::sqrt(dot(down, down))) {}

    // on the body, from its first vector
    double lowest_angle() const { return std::atan2(dot(second, down), dot(first, down)); }
    Vec3<double> towards(double angle) const {
        return first * std::cos(angle) + second * std::sin(angle);
    }
};

// how the direction to the lowest point turns, for a body that turns with ω in the world
inline Vec3<double> lowest_rate(const RimAt& rim, const Vec3<double>& n, const Vec3<double>& w) {
    const Vec3<double> turning = cross(w, rim.axis), d = rim.down * (1 / rim.tilt);
    const Vec3<double> moves = turning * dot(rim.axis, n) + rim.axis * dot(turning, n);
    return (moves - d * dot(d, moves)) * (1 / rim.tilt);
}

}  // namespace tarsus::TARSUS_ISA
