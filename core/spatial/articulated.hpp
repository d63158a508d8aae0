// Articulated-body inertia: a symmetric 6×6 matrix as 21 numbers, in blocks
//     [ M   H ]
//     [ Hᵀ  J ]      force = M v + H ω,  moment = Hᵀ v + J ω.
#pragma once

#include "spatial/motion.hpp"
#include "spatial/rotation.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Articulated {
    Sym3<T> M;
    Mat3<T> H;  // by columns
    Sym3<T> J;
};

template <class T>
TARSUS_INLINE Articulated<T> articulated(const Inertia<double>& body) {
    const T m(body.mass), zero(0.0);
    const Vec3<double>& h = body.first;
    const Sym3<double>& j = body.second;
    return {{m, zero, m, zero, zero, m},
            {{zero, T(-h.z), T(h.y)}, {T(h.z), zero, T(-h.x)}, {T(-h.y), T(h.x), zero}},
            {T(j.xx), T(j.xy), T(j.yy), T(j.xz), T(j.yz), T(j.zz)}};
}

template <class T>
TARSUS_INLINE Articulated<T> operator*(const Articulated<T>& a, const T& s) {
    const auto scaled = [&](const Sym3<T>& m) -> Sym3<T> {
        return {m.xx * s, m.xy * s, m.yy * s, m.xz * s, m.yz * s, m.zz * s};
    };
    return {scaled(a.M), {a.H.x * s, a.H.y * s, a.H.z * s}, scaled(a.J)};
}

template <class T>
TARSUS_INLINE Articulated<T> operator+(const Articulated<T>& a, const Articulated<T>& b) {
    return {a.M + b.M, {a.H.x + b.H.x, a.H.y + b.H.y, a.H.z + b.H.z}, a.J + b.J};
}

template <class T>
TARSUS_INLINE Force<T> operator*(const Articulated<T>& a, const Motion<T>& v) {
    return {mul_add(a.M, v.linear, a.H * v.angular),
            mul_add(a.J, v.angular, transposed_times(a.H, v.linear))};
}

// column k of the 6×6 matrix: the force for a unit motion, linear x y z then angular x y z
template <int k, class T>
TARSUS_INLINE Force<T> column(const Articulated<T>& a) {
    if constexpr (k == 0) return {a.M.row_x(), {a.H.x.x, a.H.y.x, a.H.z.x}};
    if constexpr (k == 1) return {a.M.row_y(), {a.H.x.y, a.H.y.y, a.H.z.y}};
    if constexpr (k == 2) return {a.M.row_z(), {a.H.x.z, a.H.y.z, a.H.z.z}};
    if constexpr (k == 3) return {a.H.x, a.J.row_x()};
    if constexpr (k == 4) return {a.H.y, a.J.row_y()};
    if constexpr (k == 5) return {a.H.z, a.J.row_z()};
}

template <class T>
TARSUS_INLINE Sym3<T> minus_outer(const Sym3<T>& s, const Vec3<T>& a, const Vec3<T>& b) {
    return {neg_mul_add(a.x, b.x, s.xx), neg_mul_add(a.x, b.y, s.xy), neg_mul_add(a.y, b.y, s.yy),
            neg_mul_add(a.x, b.z, s.xz), neg_mul_add(a.y, b.z, s.yz), neg_mul_add(a.z, b.z, s.zz)};
}

// I − U Vᵀ where the product is symmetric
template <class T>
TARSUS_INLINE Articulated<T> minus_outer(const Articulated<T>& a, const Force<T>& U,
                                         const Force<T>& V) {
    return {minus_outer(a.M, U.linear, V.linear),
            {neg_mul_add(U.linear, V.angular.x, a.H.x), neg_mul_add(U.linear, V.angular.y, a.H.y),
             neg_mul_add(U.linear, V.angular.z, a.H.z)},
            minus_outer(a.J, U.angular, V.angular)};
}

// R S Rᵀ and R H Rᵀ for any kind of rotation, through its action on vectors
template <class Rotation, class T>
TARSUS_INLINE Sym3<T> turned(const Rotation& rotation, const Sym3<T>& s) {
    const Mat3<T> rows = transpose(
        Mat3<T>{rotation.out(s.row_x()), rotation.out(s.row_y()), rotation.out(s.row_z())});
    const Vec3<T> x = rotation.out(rows.x), y = rotation.out(rows.y), z = rotation.out(rows.z);
    return {x.x, x.y, y.y, x.z, y.z, z.z};
}
template <class Rotation, class T>
TARSUS_INLINE Mat3<T> turned(const Rotation& rotation, const Mat3<T>& m) {
    const Mat3<T> rows =
        transpose(Mat3<T>{rotation.out(m.x), rotation.out(m.y), rotation.out(m.z)});
    return transpose(Mat3<T>{rotation.out(rows.x), rotation.out(rows.y), rotation.out(rows.z)});
}
template <class Rotation, class T>
TARSUS_INLINE Articulated<T> turned(const Rotation& rotation, const Articulated<T>& a) {
    return {turned(rotation, a.M), turned(rotation, a.H), turned(rotation, a.J)};
}

// What is left of an articulated inertia after a joint about z has yielded: nothing resists a turn
// about z, so column z of H and row z of J are zero, and 15 numbers remain.
template <class T>
struct YieldedAboutZ {
    Sym3<T> M;
    Vec3<T> Hx, Hy;
    T Jxx, Jxy, Jyy;
};

// I − U Vᵀ with U the column of I that belongs to the turn about z
template <class T>
TARSUS_INLINE YieldedAboutZ<T> yielded(const Articulated<T>& a, const Force<T>& U,
                                       const Force<T>& V) {
    return {minus_outer(a.M, U.linear, V.linear),
            neg_mul_add(U.linear, V.angular.x, a.H.x),
            neg_mul_add(U.linear, V.angular.y, a.H.y),
            neg_mul_add(U.angular.x, V.angular.x, a.J.xx),
            neg_mul_add(U.angular.x, V.angular.y, a.J.xy),
            neg_mul_add(U.angular.y, V.angular.y, a.J.yy)};
}

// p + I c for a c without z components, as a turn about z makes it
template <class T>
TARSUS_INLINE Force<T> mul_add(const YieldedAboutZ<T>& a, const Motion<T>& c, const Force<T>& p) {
    const T &x = c.linear.x, &y = c.linear.y, &u = c.angular.x, &v = c.angular.y;
    const auto moment = [&](const Vec3<T>& h, const T& jx, const T& jy, const T& n) {
        return mul_add(jy, v, mul_add(jx, u, mul_add(h.y, y, mul_add(h.x, x, n))));
    };
    return {mul_add(a.Hy, v,
                    mul_add(a.Hx, u, mul_add(a.M.row_y(), y, mul_add(a.M.row_x(), x, p.linear)))),
            {moment(a.Hx, a.Jxx, a.Jxy, p.angular.x), moment(a.Hy, a.Jxy, a.Jyy, p.angular.y),
             p.angular.z}};
}

// a rotation about z keeps the form
template <class S, class T>
TARSUS_INLINE YieldedAboutZ<T> turned(const RotationZ<S>& r, const YieldedAboutZ<T>& a) {
    const Vec3<T> hx = r.out(a.Hx), hy = r.out(a.Hy);
    const Vec3<T> jx = r.out(a.Jxx, a.Jxy), jy = r.out(a.Jxy, a.Jyy);
    const Vec3<T> kx = r.out(jx.x, jy.x), ky = r.out(jx.y, jy.y);
    return {turned(r, a.M),
            neg_mul_add(hy, r.sine, hx * r.cosine),
            mul_add(hx, r.sine, hy * r.cosine),
            kx.x,
            kx.y,
            ky.y};
}

// any other rotation mixes z in again
template <class Rotation, class T>
TARSUS_INLINE Articulated<T> turned(const Rotation& r, const YieldedAboutZ<T>& a) {
    const Vec3<T> hx = r.out(a.Hx), hy = r.out(a.Hy);
    const Vec3<T> jx = r.out(a.Jxx, a.Jxy), jy = r.out(a.Jxy, a.Jyy);
    const Vec3<T> row_x = r.out(hx.x, hy.x), row_y = r.out(hx.y, hy.y), row_z = r.out(hx.z, hy.z);
    const Vec3<T> kx = r.out(jx.x, jy.x), ky = r.out(jx.y, jy.y), kz = r.out(jx.z, jy.z);
    return {turned(r, a.M),
            transpose(Mat3<T>{row_x, row_y, row_z}),
            {kx.x, kx.y, ky.y, kx.z, ky.z, kz.z}};
}

// seen from an origin at −p: H' = H − M [p], J' = J − Hᵀ [p] + [p] H'
template <class T, class P>
TARSUS_INLINE Articulated<T> shifted(const Articulated<T>& a, const Vec3<P>& p) {
    // rows of M [p] are M_i × p; the columns of H' need the transpose
    const Mat3<T> mp =
        transpose(Mat3<T>{cross(a.M.row_x(), p), cross(a.M.row_y(), p), cross(a.M.row_z(), p)});
    const Mat3<T> H = {a.H.x - mp.x, a.H.y - mp.y, a.H.z - mp.z};
    const Vec3<T> x = cross(p, a.H.x), y = cross(p, a.H.y), z = cross(p, a.H.z);  // rows of −Hᵀ[p]
    const Vec3<T> u = cross(p, H.x), v = cross(p, H.y), w = cross(p, H.z);  // columns of [p]H'
    const Sym3<T>& J = a.J;
    return {a.M,
            H,
            {J.xx + x.x + u.x, J.xy + x.y + v.x, J.yy + y.y + v.y, J.xz + x.z + w.x,
             J.yz + y.z + w.y, J.zz + z.z + w.z}};
}

}  // namespace tarsus::TARSUS_ISA
