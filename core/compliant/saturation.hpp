// Deformations that grow up to a largest one, without any loss (Duindam 2006, (3.25) and (3.26)):
// what is a part |a| / a_max of its limit grows by the rest of its velocity, and shrinks by all.
//
// Duindam states this for two tangents, one by one. Here it is said of the deformation's own
// direction, so that it does not matter how the tangents lie: along one of them it is the same.
// Wrenches pass by the transposed matrix. So the force fades as the limit comes near, and surfaces
// that have reached it slide without friction: nothing in this law turns power to heat.
#pragma once

namespace tarsus::TARSUS_ISA {

struct Saturation {
    static constexpr bool kDissipates = false;

    template <class T>
    static TARSUS_INLINE Slip<T> slip(const CompliantNumbers& numbers, const SlipState<T>& at) {
        const T zero(0.0), one(1.0);
        Slip<T> found;
        const T size = square_root(mul_add(at.x, at.x, at.y * at.y));
        const T along = mul_add(at.x, at.vx, at.y * at.vy);
        const T loading = select(along > zero, one, zero);
        found.lost_share = select(
            size > zero, loading * T(numbers.slide_limit) / select(size > zero, size, one), zero);
        found.slide = found.lost_share * along;

        const T turning = select(at.turn * at.spin > zero, T(numbers.twist_limit), zero);
        found.turn = turning * absolute(at.spin);
        found.own_share = found.arm_share = neg_mul_add(turning, absolute(at.turn), one);
        return found;
    }
};

}  // namespace tarsus::TARSUS_ISA
