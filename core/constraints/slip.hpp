// The impulse of a contact that slips, given all others: the normal velocity is the target, and the
// velocity that is left is opposite to the friction, which is at its bound (Hwangbo, Lee & Hutter
// 2018). With the normal eliminated, S = A_tt − A_tn A_nt / A_nn, the friction is
//
//   p_t(λ) = −(S + λ)⁻¹ y,   λ ≥ 0,
//
// and λ follows from one equation, |p_t| = bound(p_n). In the axes of S, and with t = s/(s + λ) for
// the mean s of its eigenvalues, that equation is nearly linear on 0 < t < 1.
#pragma once

#include "constraints/problem.hpp"

namespace tarsus::TARSUS_ISA {

// the viscous part of the bound goes out with the normal impulse, without a jump
template <class T>
TARSUS_INLINE T friction_bound(const Block<T>& block, const T& normal) {
    return mul_add(block.mu, normal, select(block.bound < normal, block.bound, normal));
}

template <class T>
struct SlipAxes {
    T value[2], mean;  // eigenvalues of S
    T cosine, sine;    // of its first axis
    T coupling[2];     // A_tn / A_nn in these axes
    T normal;          // 1 / A_nn

    // from the block's own rows of A
    TARSUS_INLINE void prepare(const T* own) {
        normal = T(1.0) / own[0];
        const T c1 = own[1] * normal, c2 = own[2] * normal;
        const T a = neg_mul_add(own[1], c1, own[4]), b = neg_mul_add(own[1], c2, own[5]);
        const T d = neg_mul_add(own[2], c2, own[8]);
        const T half = T(0.5) * (a - d), radius = square_root(mul_add(half, half, b * b));
        mean = T(0.5) * (a + d);
        // a touch keeps directions in which nothing can move finite
        const T touch = mul_add(T(1e-12), own[4] + own[8], T(1e-30));
        mean += touch;
        value[0] = mean + radius, value[1] = mean - radius;
        value[1] = select(value[1] < touch, touch, value[1]);
        // the axis of the larger eigenvalue: (b, λ − a) or (λ − d, b), whichever is longer
        const T first = select(half > T(0.0), half + radius, b);
        const T second = select(half > T(0.0), b, radius - half);
        const T length = square_root(mul_add(first, first, second * second));
        const T none = select(length > T(0.0), T(0.0), T(1.0));
        const T scale = T(1.0) / select(none > T(0.0), T(1.0), length);
        cosine = select(none > T(0.0), T(1.0), first * scale);
        sine = second * scale;
        coupling[0] = mul_add(sine, c2, cosine * c1);
        coupling[1] = neg_mul_add(sine, c1, cosine * c2);
    }

    // r: velocity without this contact, less the target; writes the impulse
    TARSUS_APART void solve(const Block<T>& block, const T* r, T* p) const {
        const T zero(0.0), one(1.0), pressed = -(r[0] * normal);
        const T r1 = mul_add(sine, r[2], cosine * r[1]),
                r2 = neg_mul_add(sine, r[1], cosine * r[2]);
        const T y[2] = {neg_mul_add(coupling[0], r[0], r1), neg_mul_add(coupling[1], r[0], r2)};
        // without any friction t = 0 is the answer; else t = 1, which does not rub at all, slips
        T running = select(friction_bound(block, pressed) > zero, one, zero);
        T low(0.0), high(1.0), t = running, push[2], load, length, limit, last(1e300);
        for (int i = 0; i < kSteps; ++i) {
            T size(0.0), size_rate(0.0), load_rate(0.0);
            load = pressed;
            for (int k = 0; k < 2; ++k) {
                const T scale = one / mul_add(value[k], t, mean * (one - t));
                push[k] = -(y[k] * (t * scale));
                const T rate = -(y[k] * (mean * scale * scale));
                size = mul_add(push[k], push[k], size);
                size_rate = mul_add(push[k], rate, size_rate);
                load = neg_mul_add(coupling[k], push[k], load);
                load_rate = neg_mul_add(coupling[k], rate, load_rate);
            }
            length = square_root(size);
            const T safe = select(length > zero, length, one);
            limit = friction_bound(block, select(load > zero, load, zero));
            // bound / |p_t| − 1 has no pole where S is singular (Moré & Sorensen 1983)
            const T over = one - limit / safe;
            running = select(absolute(over) > T(kSmall), running, zero);
            if (i + 1 == kSteps || !any(running > zero)) break;
            low = select(over > zero, low, t), high = select(over > zero, t, high);
            const T slope = (limit * size_rate / (safe * safe) - block.mu * load_rate) / safe;
            const T newton = t - over / select(absolute(slope) > zero, slope, one);
            const T middle = T(0.5) * (low + high);
            const T inside = select(newton > low, select(newton < high, one, zero), zero);
            const T better = select(absolute(over) < T(0.5) * last, inside, zero);
            const T next = select(better > zero, newton, middle);
            last = absolute(over);
            t = select(running > zero, next, t);
        }
        // whatever happened stays in the cone
        const T back = select(length > limit, limit / select(length > zero, length, one), one);
        p[0] = select(load > zero, load, zero);
        p[1] = neg_mul_add(sine, push[1], cosine * push[0]) * back;
        p[2] = mul_add(sine, push[0], cosine * push[1]) * back;
    }

   private:
    static constexpr int kSteps = 40;
    static constexpr double kSmall = 1e-13;
};

}  // namespace tarsus::TARSUS_ISA
