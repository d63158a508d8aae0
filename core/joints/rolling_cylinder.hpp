// Rolling cylinder: rolls on the plane z = 0 along x without slipping, as a foot with a round sole
// or a wheel that cannot steer. q = [angle], v = its rate. The child's frame is at the axis y, at
// the height of the radius: R = R_y(angle), and the contact point is at x = radius · angle.
#pragma once

#include "joints/joint.hpp"

namespace tarsus::TARSUS_ISA {

struct RollingCylinder : VectorCoordinates<1> {
    static constexpr bool kConstantSubspace = false;

    template <class T>
    static TARSUS_INLINE auto transform(const At<T>& at) {
        const T c = at.angle[0].cosine, s = at.angle[0].sine, one(1.0), zero(0.0);
        const double r = at.link.radius;
        return sliding<T>(at.link,
                          FullRotation<T>{{{c, zero, -s}, {zero, one, zero}, {s, zero, c}}},
                          {at.q[0] * r, zero, T(r)});
    }
    template <class T>
    static TARSUS_INLINE auto subspace(const At<T>& at) {
        const T c = at.angle[0].cosine, s = at.angle[0].sine, one(1.0), zero(0.0);
        const double r = at.link.radius;
        return Columns<1, T>{{{{c * r, zero, s * r}, {zero, one, zero}}}};
    }
    template <class T>
    static TARSUS_INLINE Motion<T> bias(const At<T>& at, const T* v) {
        const T c = at.angle[0].cosine, s = at.angle[0].sine;
        const T square = v[0] * v[0] * at.link.radius;
        return {{-(s * square), T(0.0), c * square}, zero_vector<T>()};
    }
    static void sample(const double* u, const double* lower, const double* upper, double* out) {
        out[0] = sample_between(u[0], lower[0], upper[0], kHalfTurn);
    }
};

}  // namespace tarsus::TARSUS_ISA
