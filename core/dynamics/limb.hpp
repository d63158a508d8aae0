// A limb of three joints whose tip is held at a point p, seen from the trunk that carries it.
//
// With S the motions of its joints, in the trunk's axes at p, and J = S_linear, which is 3 × 3, the
// point does as it should, a_p, for q̈ = J⁻¹ (a_p − bias) − J⁻¹ A_p: what is left depends on the
// trunk's acceleration A alone. By the principle of virtual power the trunk then feels the inertia
//
//     I_c − F W − Wᵀ Fᵀ + Wᵀ H W,    W = [J⁻¹ 0],
//
// with the composite inertia I_c, forces F = I_c S and mass matrix H of the limb, and the force
// f − Wᵀ (n − τ), with f and n the forces of inverse dynamics at A = 0. It is the elimination of
// constraints within a branch (A. Vereshchagin, "Modeling and control of motion of manipulation
// robots", 1989; A. S. Sathya and J. Carpentier, "Constrained articulated body dynamics
// algorithms", 2024) where the branch has as many joints as rows, and costs less than the
// articulated inertias of a limb that is free.
//
// V are numbers of states, or of the limbs of one state; C are constants of the model, doubles or
// one for each limb.
#pragma once

#include "dynamics/arguments.hpp"
#include "model/limbs.hpp"

namespace tarsus::TARSUS_ISA {

// Sines of the angles between motions of the tip, multiplied, below which they are as good as
// dependent: beyond, round-off grows by the inverse.
constexpr double kRegularLimb = 1e-3;

// of a lambda: it vanishes into its caller
#ifdef __SANITIZE_ADDRESS__
#define TARSUS_WITHIN
#else
#define TARSUS_WITHIN __attribute__((always_inline))
#endif

// f for the joints outwards or inwards, whose numbers are known when it is compiled: what belongs
// to them stays in registers
template <class F>
TARSUS_INLINE void joints_outwards(F&& f) {
    static_assert(LimbGroup::kJoints == 3);
    f(std::integral_constant<int, 0>{});
    f(std::integral_constant<int, 1>{});
    f(std::integral_constant<int, 2>{});
}
template <class F>
TARSUS_INLINE void joints_inwards(F&& f) {
    joints_outwards([&](auto k) TARSUS_WITHIN {
        f(std::integral_constant<int, LimbGroup::kJoints - 1 - k>{});
    });
}

template <class C>
TARSUS_INLINE C limb_number(const double (&of)[LimbGroup::kMost], int limb) {
    if constexpr (std::is_same_v<C, double>) {
        return of[limb];
    } else {
        typename C::Vector x;
        std::memcpy(&x, of, sizeof x);
        return C(x);
    }
}
template <class C>
TARSUS_INLINE Vec3<C> limb_vector(const double (*of)[LimbGroup::kMost], int limb) {
    return {limb_number<C>(of[0], limb), limb_number<C>(of[1], limb), limb_number<C>(of[2], limb)};
}
template <class C>
TARSUS_INLINE Mat3<C> limb_matrix(const double (*of)[LimbGroup::kMost], int limb) {
    return {limb_vector<C>(of, limb), limb_vector<C>(of + 3, limb), limb_vector<C>(of + 6, limb)};
}
template <class C>
TARSUS_INLINE Inertia<C> limb_inertia(const LimbGroup::Joint& joint, int limb) {
    const auto second = [&](int k) { return limb_number<C>(joint.second[k], limb); };
    return {limb_number<C>(joint.mass, limb),
            limb_vector<C>(joint.first, limb),
            {second(0), second(1), second(2), second(3), second(4), second(5)}};
}

template <class V, class C>
TARSUS_INLINE Vec3<V> as_lanes(const Vec3<C>& a) {
    return {V(a.x), V(a.y), V(a.z)};
}

// the axes of a joint's frame, after those of its parent
template <class C, class V>
TARSUS_INLINE Mat3<V> turned_axes(const LimbGroup::Joint& joint, int limb, const Mat3<V>& parent) {
    switch (joint.turn) {
        case Turn::none:
            return parent;
        case Turn::cyclic:
            return Cyclic{}.behind(parent);
        case Turn::anticyclic:
            return Anticyclic{}.behind(parent);
        default:
            return parent * limb_matrix<C>(joint.rotation, limb);
    }
}

// where the bodies of a limb are on the trunk, its point, and how joints move it
template <class V>
struct LimbPlace {
    static constexpr int n = LimbGroup::kJoints;
    Mat3<V> R[n];
    Vec3<V> r[n], p;
    Motion<V> S[n];
};

// `turns`: all joints are revolute, which is known when it is compiled
template <class C, bool turns, class V>
TARSUS_INLINE LimbPlace<V> place_limb(const LimbGroup& group, int limb, const V* q) {
    LimbPlace<V> at;
    joints_outwards([&](auto j) TARSUS_WITHIN {
        const LimbGroup::Joint& joint = group.joint[j];
        const Vec3<C> position = limb_vector<C>(joint.position, limb);
        Mat3<V> axes;
        if constexpr (j == 0) {
            at.r[j] = as_lanes<V>(position);
            axes = turned_axes<C>(joint, limb, identity_matrix<V>());
        } else {
            at.r[j] = at.R[j - 1] * position + at.r[j - 1];
            axes = turned_axes<C>(joint, limb, at.R[j - 1]);
        }
        if (turns || joint.kind == Kind::revolute) {
            const Angle<V> angle = sincos_of(q[j]);
            at.R[j] = RotationZ<V>{angle.cosine, angle.sine}.behind(axes);
        } else {
            at.R[j] = axes;
            at.r[j] = mul_add(axes.z, q[j], at.r[j]);
        }
    });
    at.p = at.R[at.n - 1] * limb_vector<C>(group.point, limb) + at.r[at.n - 1];
    joints_outwards([&](auto j) TARSUS_WITHIN {
        const Vec3<V>& z = at.R[j].z;
        if (turns || group.joint[j].kind == Kind::revolute) at.S[j] = {cross(z, at.p - at.r[j]), z};
        else at.S[j] = {z, zero_vector<V>()};
    });
    return at;
}

// J⁻¹ by rows; regular is 1 where it is good for something, else 0
template <class V>
struct LimbInverse {
    Vec3<V> row[LimbGroup::kJoints];
    V regular;
};

template <class V>
TARSUS_INLINE LimbInverse<V> invert_limb(const LimbPlace<V>& at) {
    const Vec3<V>&a = at.S[0].linear, &b = at.S[1].linear, &c = at.S[2].linear;
    const Vec3<V> across = cross(b, c);
    const V determinant = dot(a, across), by = V(1.0) / determinant;
    const V largest = dot(a, a) * dot(b, b) * dot(c, c) * V(kRegularLimb * kRegularLimb);
    return {{across * by, cross(c, a) * by, cross(a, b) * by},
            select(determinant * determinant > largest, V(1.0), V(0.0))};
}

// seen at a point p that moves along
template <class V>
TARSUS_INLINE Motion<V> moved_to(const Vec3<V>& p, const Motion<V>& m) {
    return {cross_add(m.angular, p, m.linear), m.angular};
}

// what the trunk feels of a limb, and q̈ = bias − J⁻¹ A_p
template <class V>
struct LimbAnswer {
    Articulated<V> I;
    Force<V> p;
    V bias[LimbGroup::kJoints];
};

// the part of I_c − F W − Wᵀ Fᵀ + Wᵀ H W at the point
template <class V>
TARSUS_INLINE Articulated<V> held_inertia(const Inertia<V>& all, const Force<V>* F,
                                          const V (&H)[3][3], const Vec3<V>* w) {
    const V zero(0.0), half(0.5);
    const Vec3<V>& h = all.first;
    Articulated<V> I{{all.mass, zero, all.mass, zero, zero, all.mass},
                     {{zero, -h.z, h.y}, {h.z, zero, -h.x}, {-h.y, h.x, zero}},
                     all.second};
    joints_outwards([&](auto j) TARSUS_WITHIN {
        Vec3<V> G = F[j].linear;
        joints_outwards([&](auto k) TARSUS_WITHIN {
            G = neg_mul_add(w[k], half * (j < k ? H[j][k] : H[k][j]), G);
        });
        I.M = minus_outer(minus_outer(I.M, G, w[j]), w[j], G);
        I.H = {neg_mul_add(w[j], F[j].angular.x, I.H.x), neg_mul_add(w[j], F[j].angular.y, I.H.y),
               neg_mul_add(w[j], F[j].angular.z, I.H.z)};
    });
    return I;
}

// what a limb and its trunk do, and what its point shall: velocities and forces of the joints,
// velocity of the trunk, acceleration of the point
template <class V>
struct LimbTask {
    V v[LimbGroup::kJoints], tau[LimbGroup::kJoints];
    Motion<V> trunk;
    Vec3<V> want;
};

// All velocities and forces are zero unless it is `moving`.
template <class C, bool moving, class V>
TARSUS_INLINE LimbAnswer<V> answer_of(const LimbGroup& group, int limb, const LimbPlace<V>& at,
                                      const LimbInverse<V>& inverse, const LimbTask<V>& task) {
    constexpr int n = LimbGroup::kJoints;
    LimbAnswer<V> found;
    Motion<V> velocity[n], a[n];
    Vec3<V> left = task.want;
    if constexpr (moving) {
        Motion<V> before = moved_to(at.p, task.trunk), c = zero_motion<V>();
        joints_outwards([&](auto j) TARSUS_WITHIN {
            const Motion<V> own{at.S[j].linear * task.v[j], at.S[j].angular * task.v[j]};
            c = c + cross(before, own);
            before = before + own;
            velocity[j] = before, a[j] = c;
        });
        left = left - cross_add(before.angular, before.linear, c.linear);
    }
    Motion<V> sum = zero_motion<V>();
    joints_outwards([&](auto j) TARSUS_WITHIN {
        found.bias[j] = dot(inverse.row[j], left);
        sum = mul_add(at.S[j], found.bias[j], sum);
        a[j] = moving ? a[j] + sum : sum;
    });
    Force<V> F[n], f{zero_vector<V>(), zero_vector<V>()};
    Inertia<V> all;
    V H[n][n], missing[n];
    joints_inwards([&](auto j) TARSUS_WITHIN {
        const LimbGroup::Joint& joint = group.joint[j];
        const Inertia<V> own = shift(rotate(at.R[j], limb_inertia<C>(joint, limb)), at.r[j] - at.p);
        f = f + own * a[j];
        if constexpr (moving) f = f + cross(velocity[j], own * velocity[j]);
        all = j == n - 1 ? own : all + own;
        F[j] = all * at.S[j];
        joints_outwards([&](auto k) TARSUS_WITHIN {
            if constexpr (k <= j) H[k][j] = dot(at.S[k], F[j]);
        });
        const V armature(limb_number<C>(joint.armature, limb));
        H[j][j] += armature;
        missing[j] = mul_add(armature, found.bias[j], dot(at.S[j], f));
        if constexpr (moving) missing[j] -= task.tau[j];
    });
    joints_outwards([&](auto j) TARSUS_WITHIN {
        f.linear = neg_mul_add(inverse.row[j], missing[j], f.linear);
    });
    found.I = shifted(held_inertia(all, F, H, inverse.row), at.p);
    found.p = {f.linear, cross_add(at.p, f.linear, f.angular)};
    return found;
}

}  // namespace tarsus::TARSUS_ISA
