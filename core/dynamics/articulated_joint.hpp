// The three passes of the articulated-body algorithm for a body on its own joint.
#pragma once

#include "dynamics/newton_euler.hpp"
#include "dynamics/small_inverse.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct ArticulatedBody {
    Motion<T> v;  // in the last pass: acceleration
    Motion<T> c;
    Articulated<T> I;  // of the children only, until the body's turn comes
    Force<T> p;
};

// what the last pass needs of each velocity coordinate
template <class T>
struct ArticulatedDof {
    Force<T> U;
    T inverse[6];  // its row of D⁻¹
    T u;
};

// What is added to the mechanism, where it is. By a simulation: inertia of each joint velocity
// (damping that acts at the end of a step) and a factor on each body's mass. By hybrid dynamics:
// which of the users' velocities are held to prescribed accelerations. Those yield to no force,
// D⁻¹ = 0, and what they do is part of c. Passes that know of it are compiled apart: they would
// slow the others.
template <class T>
struct Loads {
    const T* diagonal = nullptr;
    const T* mass_scale = nullptr;
    const Articulated<T>* inertia =
        nullptr;  // of bodies with their rotors, where masses have factors
    const bool* held = nullptr;

    TARSUS_INLINE bool all_held(int v, int n) const {
        for (int k = v; k < v + n; ++k) {
            if (!held[k]) return false;
        }
        return true;
    }
    TARSUS_INLINE bool any_held(int v, int n) const {
        for (int k = v; k < v + n; ++k) {
            if (held[k]) return true;
        }
        return false;
    }

    TARSUS_INLINE T armature(const Tree& tree, int w) const {
        const T own(tree.armature[w]);
        return diagonal ? own + diagonal[w] : own;
    }
    TARSUS_INLINE T spin_inertia(const Spin& spin) const {
        const T own(spin.inertia);
        return mass_scale ? own * mass_scale[spin.body] : own;
    }
    // without what rotors have more or less than their carrier
    TARSUS_INLINE Force<T> scaled(int body, const Force<T>& p) const {
        return mass_scale ? p * mass_scale[body] : p;
    }
    TARSUS_INLINE T beyond_carrier(const CarriedRotor& rotor) const {
        return mass_scale[rotor.body] - mass_scale[rotor.carrier];
    }
    // something that is linear in the inertia of a body with the rotors that it carries, each of
    // them with its own factor
    template <class F>
    TARSUS_INLINE auto carried(const Tree& tree, int i, F&& linear) const {
        auto sum = linear(inertia_of(tree.carried[i]));
        if (!mass_scale) return sum;
        sum = sum * mass_scale[i];
        for (int k = tree.first_rotor[i]; k < tree.first_rotor[i + 1]; ++k) {
            const CarriedRotor& rotor = tree.rotors[k];
            sum = sum + linear(inertia_of(rotor.inertia)) * beyond_carrier(rotor);
        }
        return sum;
    }
};

// … with the inertias, which are the same for all passes
template <class T>
TARSUS_APART Loads<T> with_inertias(const Tree& tree, Loads<T> loads, Scratch& scratch) {
    if (!loads.mass_scale) return loads;
    Articulated<T>* inertia = scratch.take<Articulated<T>>(tree.n_bodies);
    for (int i = 0; i < tree.n_bodies; ++i) {
        inertia[i] =
            loads.carried(tree, i, [](const Inertia<double>& I) { return articulated<T>(I); });
    }
    loads.inertia = inertia;
    return loads;
}

// a joint's articulated quantities, from the whole articulated inertia of its body
template <bool hybrid, class Joint, class T, class Subspace>
TARSUS_INLINE void project_inertia(const Subspace& S, const Articulated<T>& I, const Force<T>& p,
                                   const Tree& tree, const Link& link, const Loads<T>& loads,
                                   const T* tau, ArticulatedDof<T>* dof) {
    constexpr int n = Joint::nv;
    Force<T> U[n];
    S.times(I, U);
    T D[n][n], inverse[n][n], bias[n];
    for (int k = 0; k < n; ++k) {
        S.project(U[k], D[k]);
        D[k][k] += loads.armature(tree, link.v + k);
    }
    S.project(p, bias);
    if constexpr (hybrid) invert_free(n, loads.held + link.own, &D[0][0], &inverse[0][0]);
    else invert_symmetric(n, &D[0][0], &inverse[0][0]);
    for (int k = 0; k < n; ++k) {
        dof[k].U = U[k];
        dof[k].u = tau[k] - bias[k];
        for (int l = 0; l < n; ++l) dof[k].inverse[l] = inverse[k][l];
    }
}

// D⁻¹ Uᵀ, row k
template <int n, class T>
TARSUS_INLINE Force<T> scaled_row(const ArticulatedDof<T>* dof, int k) {
    Force<T> W{dof[0].U.linear * dof[k].inverse[0], dof[0].U.angular * dof[k].inverse[0]};
    for (int l = 1; l < n; ++l) {
        const T& d = dof[k].inverse[l];
        W = {mul_add(dof[l].U.linear, d, W.linear), mul_add(dof[l].U.angular, d, W.angular)};
    }
    return W;
}

template <class T>
TARSUS_INLINE Force<T> add_scaled(const Force<T>& W, const T& u, const Force<T>& p) {
    return {mul_add(W.linear, u, p.linear), mul_add(W.angular, u, p.angular)};
}

// What the parent feels of a body whose joint is free to yield: the inertia I − U D⁻¹ Uᵀ, returned,
// and the force p + (I − U D⁻¹ Uᵀ) c + U D⁻¹ u, left in p.
template <class Joint, class T>
TARSUS_INLINE Articulated<T> yield_through(const ArticulatedDof<T>* dof, const Motion<T>& c,
                                           Articulated<T> I, Force<T>& p) {
    for (int k = 0; k < Joint::nv; ++k) {
        const Force<T> W = scaled_row<Joint::nv>(dof, k);
        I = minus_outer(I, dof[k].U, W);
        p = add_scaled(W, dof[k].u, p);
    }
    p = p + I * c;
    return I;
}
// the same for a revolute joint without armature, where D is the inertia about the axis itself
template <class T>
TARSUS_INLINE YieldedAboutZ<T> yield_about_z(const ArticulatedDof<T>* dof, const Motion<T>& c,
                                             const Articulated<T>& I, Force<T>& p) {
    const Force<T> W = scaled_row<1>(dof, 0);
    const YieldedAboutZ<T> left = yielded(I, dof[0].U, W);
    p = mul_add(left, c, add_scaled(W, dof[0].u, p));
    return left;
}

// the parent takes over what it feels of a body: the inertia I and the force p
template <class T, class Transform, class Inertia>
TARSUS_INLINE void hand_down(const Link& link, const Transform& X, const Inertia& I,
                             const Force<T>& p, ArticulatedBody<T>* body) {
    if (link.parent < 0) return;
    ArticulatedBody<T>& parent = body[link.parent + 1];
    const Articulated<T> felt = X.to_parent(I);
    parent.I = link.last_sibling ? felt : parent.I + felt;
    parent.p = parent.p + X.to_parent(p);
}

// inertia of the body itself, with that of all it carries
template <class T>
TARSUS_INLINE Articulated<T> whole_inertia(const Tree& tree, int i, const ArticulatedBody<T>& me,
                                           const Loads<T>& loads) {
    const Articulated<T> own =
        loads.inertia ? loads.inertia[i] : articulated<T>(inertia_of(tree.carried[i]));
    return tree.links[i].leaf ? own : own + me.I;
}

template <class Joint, class T>
TARSUS_INLINE void velocities(Joint, const Tree& tree, int i, const At<T>& at,
                              const JointState<T>& joints, const T* external, const Loads<T>& loads,
                              ArticulatedBody<T>* body) {
    const T* joint_velocity = joints.v + at.link.v;
    const auto S = Joint::subspace(at);
    ArticulatedBody<T>& me = body[i + 1];
    me.v = S.add(Joint::transform(at).to_child(body[at.link.parent + 1].v), joint_velocity);
    me.c = S.cross(me.v, joint_velocity);
    if constexpr (!Joint::kConstantSubspace) me.c = me.c + Joint::bias(at, joint_velocity);
    if (at.link.own < 0) me.c = S.add(me.c, joints.a + at.link.v);
    me.p = loads.scaled(i, cross(me.v, inertia_of(tree.carried[i]) * me.v));
    if (external) me.p = me.p - wrench_in_core(tree, i, external);
}

template <bool hybrid, class Joint, class T>
TARSUS_INLINE void inertias(Joint, const Tree& tree, int i, const At<T>& at, const T* tau,
                            const Loads<T>& loads, ArticulatedBody<T>* body,
                            ArticulatedDof<T>* dof) {
    const Link& link = at.link;
    ArticulatedBody<T>& me = body[i + 1];
    const Articulated<T> I = whole_inertia(tree, i, me, loads);
    Force<T> p = me.p;
    project_inertia<hybrid, Joint>(Joint::subspace(at), I, p, tree, link, loads, tau, dof);
    if (link.parent < 0) return;
    if constexpr (std::is_same_v<Joint, Revolute>) {
        if (tree.armature[link.v] == 0.0 && !loads.diagonal) {
            const YieldedAboutZ<T> left = yield_about_z(dof, me.c, I, p);
            return hand_down(link, Joint::transform(at), left, p, body);
        }
    }
    const Articulated<T> left = yield_through<Joint>(dof, me.c, I, p);
    hand_down(link, Joint::transform(at), left, p, body);
}

template <class Joint, class T>
TARSUS_INLINE void accelerations(Joint, int i, const At<T>& at, ArticulatedBody<T>* body,
                                 const ArticulatedDof<T>* dof, T* out) {
    constexpr int n = Joint::nv;
    ArticulatedBody<T>& me = body[i + 1];
    const Motion<T> given = Joint::transform(at).to_child(body[at.link.parent + 1].v) + me.c;
    T missing[n];
    for (int k = 0; k < n; ++k) missing[k] = dof[k].u - dot(given, dof[k].U);
    for (int k = 0; k < n; ++k) {
        T a = dof[k].inverse[0] * missing[0];
        for (int l = 1; l < n; ++l) a = mul_add(dof[k].inverse[l], missing[l], a);
        out[k] = a;
    }
    me.v = Joint::subspace(at).add(given, out);
}

}  // namespace tarsus::TARSUS_ISA
