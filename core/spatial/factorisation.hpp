// Factors B(v, I) of a body's Coriolis force: B is linear in v and in I, and
//
//   B v = v ×* I v,   B + Bᵀ = dI/dt
//
// Every such B makes C = Σ Jᵀ(I J̇ + B J) a factor of the Coriolis forces with dH/dt = C + Cᵀ
// (Echeandia 2020, section 3.2). They differ by how C v' looks for a second velocity v'.
#pragma once

#include "spatial/motion.hpp"

namespace tarsus::TARSUS_ISA {

// a force without linear part
template <class T>
struct Couple {
    Vec3<T> moment;
};
template <class T>
TARSUS_INLINE T dot(const Motion<T>& m, const Couple<T>& couple) {
    return dot(m.angular, couple.moment);
}
template <class T>
TARSUS_INLINE Couple<T> operator+(const Couple<T>& a, const Couple<T>& b) {
    return {a.moment + b.moment};
}

// B = ½[(v ×*) I + (I v) ×̄* − I (v ×)] of Niemeyer and Slotine (1991), which belongs to the
// Christoffel symbols. Summed over particles m at r with velocity u it is, on a motion with angular
// velocity ω, the force ω × Σ m u and the moment Σ m [(r·u) ω − u (r·ω)]: it does not see linear
// velocities.
template <class T>
struct ChristoffelMatrix {
    Vec3<T> momentum;
    Mat3<T> M;  // Σ m [(r·u) 1 − u rᵀ]

    TARSUS_INLINE Force<T> operator*(const Motion<T>& m) const {
        return {cross(m.angular, momentum), M * m.angular};
    }
    TARSUS_INLINE Couple<T> transposed_times(const Motion<T>& m) const {
        return {cross_add(momentum, m.linear, tarsus::TARSUS_ISA::transposed_times(M, m.angular))};
    }
    TARSUS_INLINE ChristoffelMatrix operator+(const ChristoffelMatrix& b) const {
        return {momentum + b.momentum, {M.x + b.M.x, M.y + b.M.y, M.z + b.M.z}};
    }
};

struct Christoffel {
    template <class T>
    using Matrix = ChristoffelMatrix<T>;
    template <class T>
    using Transposed = Couple<T>;

    template <class T>
    static TARSUS_INLINE Matrix<T> matrix(const Motion<T>& v, const Inertia<T>& inertia) {
        const Vec3<T>&h = inertia.first, &u = v.linear, &w = v.angular;
        const Sym3<T>& j = inertia.second;
        // Σ m r rᵀ
        const T half = (j.xx + j.yy + j.zz) * T(0.5);
        const Sym3<T> spread{half - j.xx, -j.xy, half - j.yy, -j.xz, -j.yz, half - j.zz};
        const T trace = dot(u, h);
        Mat3<T> M{neg_mul_add(u, h.x, cross(spread.row_x(), w)),
                  neg_mul_add(u, h.y, cross(spread.row_y(), w)),
                  neg_mul_add(u, h.z, cross(spread.row_z(), w))};
        M.x.x += trace, M.y.y += trace, M.z.z += trace;
        return {cross_add(w, h, u * inertia.mass), M};
    }
    // B(v, I) m alone
    template <class T>
    static TARSUS_INLINE Force<T> force(const Motion<T>& v, const Inertia<T>& inertia,
                                        const Motion<T>& m) {
        return matrix(v, inertia) * m;
    }
};

// Any other factor, by its columns: force(v, I, unit motion).
template <class T>
struct FullMatrix {
    Force<T> column[6];

    TARSUS_INLINE Force<T> operator*(const Motion<T>& m) const {
        const T parts[6] = {m.linear.x,  m.linear.y,  m.linear.z,
                            m.angular.x, m.angular.y, m.angular.z};
        Force<T> sum{zero_vector<T>(), zero_vector<T>()};
        for (int k = 0; k < 6; ++k) sum = mul_add(column[k], parts[k], sum);
        return sum;
    }
    TARSUS_INLINE Force<T> transposed_times(const Motion<T>& m) const {
        return {{dot(m, column[0]), dot(m, column[1]), dot(m, column[2])},
                {dot(m, column[3]), dot(m, column[4]), dot(m, column[5])}};
    }
    TARSUS_INLINE FullMatrix operator+(const FullMatrix& b) const {
        FullMatrix sum;
        for (int k = 0; k < 6; ++k) sum.column[k] = column[k] + b.column[k];
        return sum;
    }
};

template <class Own>
struct FullFactorisation {
    template <class T>
    using Matrix = FullMatrix<T>;
    template <class T>
    using Transposed = Force<T>;

    template <class T>
    static TARSUS_INLINE Matrix<T> matrix(const Motion<T>& v, const Inertia<T>& inertia) {
        const Mat3<T> one = identity_matrix<T>();
        const Vec3<T> none = zero_vector<T>();
        const Motion<T> unit[6] = {{one.x, none}, {one.y, none}, {one.z, none},
                                   {none, one.x}, {none, one.y}, {none, one.z}};
        FullMatrix<T> B;
        for (int k = 0; k < 6; ++k) B.column[k] = Own::force(v, inertia, unit[k]);
        return B;
    }
};

// B = (v ×*) I: how the momentum of a second motion changes as a force
struct ForceFactorisation : FullFactorisation<ForceFactorisation> {
    template <class T>
    static TARSUS_INLINE Force<T> force(const Motion<T>& v, const Inertia<T>& inertia,
                                        const Motion<T>& m) {
        return cross(v, inertia * m);
    }
};

// B = (I v) ×̄* − I (v ×): by the momentum of the first motion
struct MomentumFactorisation : FullFactorisation<MomentumFactorisation> {
    template <class T>
    static TARSUS_INLINE Force<T> force(const Motion<T>& v, const Inertia<T>& inertia,
                                        const Motion<T>& m) {
        return cross(m, inertia * v) - inertia * cross(v, m);
    }
};

// f(factorisation) for the one that users name
template <class F>
TARSUS_INLINE void visit_factorisation(int choice, F&& f) {
    switch (choice) {
        case 0:
            return f(Christoffel{});
        case 1:
            return f(ForceFactorisation{});
        case 2:
            return f(MomentumFactorisation{});
    }
}

}  // namespace tarsus::TARSUS_ISA
