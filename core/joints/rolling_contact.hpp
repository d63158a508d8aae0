// How the contact of a rolling body moves, where ground and body are curved.
//
// The body touches the ground at g = (x, y, h(x, y)), where N = (−h_x, −h_y, 1) is the ground's
// normal. In the body's frame that is m = −Rᵀ N, its outward normal there, and the point is P(m) by
// the inverse Gauss map. No slip: the point rests, so the origin moves with P × ω in the body's
// frame, and the contact travels as far on the ground as on the body, ġ = R Ṗ, with
// ṁ = m × ω − Rᵀ Ṅ. Of this, two rows remain:
//
//   (I − B h″) (ẋ, ẏ) = [R P′(m) (m × ω)]_xy,   B = [R P′(m) Rᵀ]_xy
//
// These are Montana's equations (The kinematics of contact and grasp, 1988) with radii of curvature
// instead of curvatures: no chart of the body, no singularity at edges. I − B h″ has positive
// eigenvalues where the body fits; where it is as round as the ground or flatter, it would touch
// elsewhere, and the rates are not numbers. Only this point is looked at: whether a body fits into
// a ground as a whole is not.
#pragma once

#include <limits>

#include "joints/joint.hpp"
#include "surfaces/heights.hpp"
#include "surfaces/inverse_gauss.hpp"

namespace tarsus::TARSUS_ISA {

// Compiled apart, once for each kind of number: a joint need not hold all surfaces.
template <class T>
Height<T> ground_at(const Surface& ground, const T& x, const T& y);
template <class T>
Vec3<T> point_with_normal(const Surface& body, const Vec3<T>& m);
// ẋ, ẏ for the orientation R of the body and its angular velocity ω in its own frame
template <class T>
void contact_rate(const Link& link, const T* place, const Mat3<T>& R, const Vec3<T>& omega, T* out);
// out := x, y after a turn in the body's frame at a constant rate, from the orientation `from`
template <class T>
void contact_path(const Link& link, const T* place, const Quaternion<T>& from, const Vec3<T>& turn,
                  T* out);

}  // namespace tarsus::TARSUS_ISA
