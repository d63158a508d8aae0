// Dual<T>: a value and its rate along a motion.
//
// The rate of a Jacobian or of a momentum matrix is that matrix computed on dual numbers, with
// the configuration's own rate as the seed: one recursion, both results, for every joint.
#pragma once

#include "scalar/sincos.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Dual {
    T value, rate;

    Dual() = default;
    TARSUS_INLINE Dual(double constant) : value(constant), rate(0.0) {}
    TARSUS_INLINE Dual(T a, T b) : value(a), rate(b) {}

    friend TARSUS_INLINE Dual operator+(Dual a, Dual b) {
        return {a.value + b.value, a.rate + b.rate};
    }
    friend TARSUS_INLINE Dual operator-(Dual a, Dual b) {
        return {a.value - b.value, a.rate - b.rate};
    }
    friend TARSUS_INLINE Dual operator-(Dual a) { return {-a.value, -a.rate}; }
    friend TARSUS_INLINE Dual operator*(Dual a, Dual b) {
        return {a.value * b.value, mul_add(a.value, b.rate, a.rate * b.value)};
    }
    friend TARSUS_INLINE Dual operator*(double a, Dual b) { return {a * b.value, a * b.rate}; }
    friend TARSUS_INLINE Dual operator*(Dual a, double b) { return b * a; }
    friend TARSUS_INLINE Dual operator/(Dual a, Dual b) {
        const T quotient = a.value / b.value;
        return {quotient, neg_mul_add(quotient, b.rate, a.rate) / b.value};
    }
    TARSUS_INLINE Dual& operator+=(Dual a) { return *this = *this + a; }
    TARSUS_INLINE Dual& operator-=(Dual a) { return *this = *this - a; }

    friend TARSUS_INLINE Dual mul_add(Dual a, Dual b, Dual c) {
        return {mul_add(a.value, b.value, c.value),
                mul_add(a.value, b.rate, mul_add(a.rate, b.value, c.rate))};
    }
    friend TARSUS_INLINE Dual mul_add(double a, Dual b, Dual c) {
        return {mul_add(T(a), b.value, c.value), mul_add(T(a), b.rate, c.rate)};
    }
    friend TARSUS_INLINE Dual mul_add(Dual a, double b, Dual c) { return mul_add(b, a, c); }
    friend TARSUS_INLINE Dual neg_mul_add(Dual a, Dual b, Dual c) { return mul_add(-a, b, c); }
    friend TARSUS_INLINE Dual neg_mul_add(double a, Dual b, Dual c) { return mul_add(-a, b, c); }
    friend TARSUS_INLINE Dual neg_mul_add(Dual a, double b, Dual c) { return mul_add(-b, a, c); }

    friend TARSUS_INLINE Dual square_root(Dual a) {
        const T root = square_root(a.value);
        return {root, a.rate / (root + root)};
    }
    // values alone decide, and the rates are those of what is chosen
    using Choice = decltype(T() < T());
    friend TARSUS_INLINE Choice operator<(Dual a, Dual b) { return a.value < b.value; }
    friend TARSUS_INLINE Choice operator>(Dual a, Dual b) { return a.value > b.value; }
    friend TARSUS_INLINE Dual select(Choice condition, Dual a, Dual b) {
        return {select(condition, a.value, b.value), select(condition, a.rate, b.rate)};
    }
    // the angle of the point (x, y)
    friend TARSUS_INLINE Dual arctangent(Dual y, Dual x) {
        const T square = mul_add(x.value, x.value, y.value * y.value);
        return {arctangent(y.value, x.value),
                neg_mul_add(y.value, x.rate, x.value * y.rate) / square};
    }
    friend TARSUS_INLINE Angle<Dual> sincos_of(const Dual& x) {
        const Angle<T> at = sincos_of(x.value);
        return {{at.cosine, -at.sine * x.rate}, {at.sine, at.cosine * x.rate}};
    }
};

template <class T>
constexpr bool kIsDual = false;
template <class T>
constexpr bool kIsDual<Dual<T>> = true;

// the scalar whose rates a dual number carries
template <class T>
struct BaseOf {
    using type = T;
};
template <class T>
struct BaseOf<Dual<T>> {
    using type = T;
};
template <class T>
using Base = typename BaseOf<T>::type;

}  // namespace tarsus::TARSUS_ISA
