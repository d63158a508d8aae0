// Motion subspaces S: which motions of the child a joint allows, in the child's frame.
//   add(m, v)        m + S v
//   project(f, out)  Sᵀ f
//   cross(m, v)      m × (S v)
//   columns_in(R, out)   the columns, in the outer axes of R
//   times(inertia)   the forces I S, column by column
#pragma once

#include "spatial/articulated.hpp"

namespace tarsus::TARSUS_ISA {

template <int row, class T>
TARSUS_INLINE T& component(Vec3<T>& linear, Vec3<T>& angular) {
    Vec3<T>& part = row < 3 ? linear : angular;
    if constexpr (row % 3 == 0) return part.x;
    if constexpr (row % 3 == 1) return part.y;
    if constexpr (row % 3 == 2) return part.z;
}

// a × e_axis s, added to c
template <int axis, class T>
TARSUS_INLINE Vec3<T> cross_unit_add(const Vec3<T>& a, const T& s, const Vec3<T>& c) {
    if constexpr (axis == 0) return {c.x, mul_add(a.z, s, c.y), neg_mul_add(a.y, s, c.z)};
    if constexpr (axis == 1) return {neg_mul_add(a.z, s, c.x), c.y, mul_add(a.x, s, c.z)};
    if constexpr (axis == 2) return {mul_add(a.y, s, c.x), neg_mul_add(a.x, s, c.y), c.z};
}

// S made of unit vectors: rows 0–2 linear, 3–5 angular.
template <int... rows>
struct UnitColumns {
    template <class T>
    TARSUS_INLINE Motion<T> add(Motion<T> m, const T* v) const {
        int k = 0;
        ((component<rows>(m.linear, m.angular) += v[k++]), ...);
        return m;
    }
    template <class T>
    TARSUS_INLINE void project(Force<T> f, T* out) const {
        int k = 0;
        ((out[k++] = component<rows>(f.linear, f.angular)), ...);
    }
    template <class T>
    TARSUS_INLINE Motion<T> cross(const Motion<T>& m, const T* v) const {
        Motion<T> r = zero_motion<T>();
        int k = 0;
        ((r = cross_one<rows>(m, v[k++], r)), ...);
        return r;
    }
    template <class T>
    TARSUS_INLINE void columns_in(const Mat3<T>& axes, Motion<T>* out) const {
        int k = 0;
        ((out[k++] = unit_in<rows>(axes)), ...);
    }
    template <class T>
    TARSUS_INLINE void times(const Articulated<T>& inertia, Force<T>* out) const {
        int k = 0;
        ((out[k++] = column<rows>(inertia)), ...);
    }

   private:
    template <int row, class T>
    TARSUS_INLINE static Motion<T> unit_in(const Mat3<T>& axes) {
        const Vec3<T>& axis = row % 3 == 0 ? axes.x : row % 3 == 1 ? axes.y : axes.z;
        if constexpr (row < 3) return {axis, zero_vector<T>()};
        else return {zero_vector<T>(), axis};
    }
    template <int row, class T>
    TARSUS_INLINE static Motion<T> cross_one(const Motion<T>& m, const T& v, const Motion<T>& r) {
        if constexpr (row < 3) return {cross_unit_add<row>(m.angular, v, r.linear), r.angular};
        else
            return {cross_unit_add<row - 3>(m.linear, v, r.linear),
                    cross_unit_add<row - 3>(m.angular, v, r.angular)};
    }
};

// S by its columns, for joints whose subspace mixes directions or moves in the child.
template <int N, class S>
struct Columns {
    Motion<S> s[N];

    template <class T>
    TARSUS_INLINE Motion<T> add(Motion<T> m, const T* v) const {
        for (int k = 0; k < N; ++k) {
            m = {mul_add(s[k].linear, v[k], m.linear), mul_add(s[k].angular, v[k], m.angular)};
        }
        return m;
    }
    template <class T>
    TARSUS_INLINE void project(const Force<T>& f, T* out) const {
        for (int k = 0; k < N; ++k) out[k] = dot(s[k], f);
    }
    template <class T>
    TARSUS_INLINE Motion<T> cross(const Motion<T>& m, const T* v) const {
        const Motion<T> joint = add(zero_motion<T>(), v);
        return {
            cross_add(m.linear, joint.angular, tarsus::TARSUS_ISA::cross(m.angular, joint.linear)),
            tarsus::TARSUS_ISA::cross(m.angular, joint.angular)};
    }
    template <class T>
    TARSUS_INLINE void columns_in(const Mat3<T>& axes, Motion<T>* out) const {
        for (int k = 0; k < N; ++k) out[k] = {axes * s[k].linear, axes * s[k].angular};
    }
    template <class T>
    TARSUS_INLINE void times(const Articulated<T>& inertia, Force<T>* out) const {
        for (int k = 0; k < N; ++k) out[k] = inertia * s[k];
    }
};

}  // namespace tarsus::TARSUS_ISA
