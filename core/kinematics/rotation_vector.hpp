// Rotations as matrices to rotation vectors, without branches.
#pragma once

#include "spatial/quaternion.hpp"

namespace tarsus::TARSUS_ISA {

// Each component of a quaternion by itself gives it up to its length: the largest one divides by
// no small number (S. Shepperd, "Quaternion from rotation matrix", Journal of Guidance and Control
// 1, 1978).
template <class T>
TARSUS_INLINE Quaternion<T> quaternion_of(const Mat3<T>& r) {
    const T one(1.0);
    const T trace = r.x.x + r.y.y + r.z.z;
    const T x = one + r.x.x - r.y.y - r.z.z, y = one - r.x.x + r.y.y - r.z.z;
    const T z = one - r.x.x - r.y.y + r.z.z, w = one + trace;
    const T xy = r.x.y + r.y.x, xz = r.x.z + r.z.x, yz = r.y.z + r.z.y;
    const T wx = r.y.z - r.z.y, wy = r.z.x - r.x.z, wz = r.x.y - r.y.x;
    const auto chosen = [](auto better, const Quaternion<T>& a, const Quaternion<T>& b) {
        return Quaternion<T>{{select(better, a.u.x, b.u.x), select(better, a.u.y, b.u.y),
                              select(better, a.u.z, b.u.z)},
                             select(better, a.w, b.w)};
    };
    const Quaternion<T> by_x{{x, xy, xz}, wx}, by_y{{xy, y, yz}, wy}, by_z{{xz, yz, z}, wz},
        by_w{{wx, wy, wz}, w};
    const auto x_over_y = x > y, z_over_w = z > w;
    const T first = select(x_over_y, x, y), second = select(z_over_w, z, w);
    return chosen(first > second, chosen(x_over_y, by_x, by_y), chosen(z_over_w, by_z, by_w));
}

// D of SO(3) with ė = D(e) ω for R = R_target exp(e), ω in the axes of R
template <class T>
TARSUS_INLINE Vec3<T> step_rate(const Vec3<T>& e, const Vec3<T>& omega) {
    return twist_of_translation(omega, -e);
}

}  // namespace tarsus::TARSUS_ISA
