// Closed forms by which joints follow others. Each file holds one, as a function of any scalar:
//
//   leaders, followers              how many joints it takes and gives
//   value(numbers, y, x)            positions x of the followers for positions y of the leaders
//
// Slopes and curvatures are that function on dual numbers, so there is nothing else to write.
#pragma once

#include "scalar/dual.hpp"
#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kTurn = 6.28318530717958647693;

// a turned by `angle` about the unit vector `axis` (Rodrigues)
template <class T>
TARSUS_INLINE Vec3<T> turned_about(const Vec3<double>& axis, const Angle<T>& angle,
                                   const Vec3<T>& a) {
    const Vec3<T> n{T(axis.x), T(axis.y), T(axis.z)};
    const Vec3<T> along = n * dot(n, a);
    const Vec3<T> across = cross(n, a);
    const Vec3<T> rest = a - along;
    return along + rest * angle.cosine + across * angle.sine;
}

}  // namespace tarsus::TARSUS_ISA
