// Gyroscopic torques of bodies that turn freely, over the whole step.
//
// I ω̇ = −ω × I ω by its rate at the start of a step gives energy to whatever spins: a rod whose
// inertia about its own axis is next to nothing gains (ω dt)²/2 of its swing in each step, and is
// torn apart. Kahan's method takes each product of velocities once at the start and once at the
// end,
//
//   I δ = −dt ω × I ω − dt/2 (ω × I δ + δ × I ω),   δ = ω⁺ − ω,
//
// which is one linear system. Energy and momentum of a top then stay within bounds for ever, and a
// top of symmetry keeps them (Hirota & Kimura, "Discretization of the Euler top", 2000). What this
// differs by from the rate at the start, −½ (ω × I δ + δ × I ω), is a torque on the joint.
//
// That is for tops: bodies that carry no others, on spherical joints, or free and with their centre
// of mass at their origin. See whirling.hpp for states in which others turn fast, too.
#pragma once

#include "dynamics/articulated_constraints.hpp"

namespace tarsus::TARSUS_ISA {

// A body that turns more than a radian or so in a step about an axis that is not stable has no
// such δ. Then it keeps its spin in its own axes.
constexpr double kTurnsTooFar = 0.1;  // of the determinant of its inertia

inline bool turns_freely(const Link& link) {
    return link.own >= 0 && (link.kind == Kind::free || link.kind == Kind::spherical);
}
inline bool is_top(const Tree& tree, int body) {
    const Link& link = tree.links[body];
    if (!turns_freely(link) || !link.leaf) return false;
    if (tree.first_rotor[body] != tree.first_rotor[body + 1]) return false;
    const double* c = link.first;
    return link.kind == Kind::spherical || (c[0] == 0.0 && c[1] == 0.0 && c[2] == 0.0);
}

// what the gyroscopic torque is over a step more than at its start; all in the body's frame
template <class T>
TARSUS_INLINE Vec3<T> gyration(const Sym3<double>& I, const Vec3<T>& w, const T& dt) {
    const T zero(0.0), one(1.0), h = T(0.5) * dt;
    const Vec3<T> L = I * w, at_start = cross(w, L);
    // the columns of I + dt/2 ([ω]× I − [I ω]×)
    const auto column = [&](const Vec3<double>& own, const Vec3<T>& unit) {
        const Vec3<T> inertia{T(own.x), T(own.y), T(own.z)};
        return mul_add(cross(w, inertia) - cross(L, unit), h, inertia);
    };
    const Vec3<T> x = column(I.row_x(), {one, zero, zero});
    const Vec3<T> y = column(I.row_y(), {zero, one, zero});
    const Vec3<T> z = column(I.row_z(), {zero, zero, one});
    const Vec3<T> yz = cross(y, z), zx = cross(z, x), xy = cross(x, y);
    const T volume = dot(x, yz);
    const double still = dot(I.row_x(), cross(I.row_y(), I.row_z()));
    const T solved = select(volume > T(kTurnsTooFar * still), one, zero);
    const T scale = -(dt / select(solved > zero, volume, one));
    const Vec3<T> change = Vec3<T>{dot(at_start, yz), dot(at_start, zx), dot(at_start, xy)} * scale;
    const Vec3<T> later = (cross(w, I * change) + cross(change, L)) * T(-0.5);
    return {select(solved > zero, later.x, at_start.x), select(solved > zero, later.y, at_start.y),
            select(solved > zero, later.z, at_start.z)};
}

// Adds torques to forces (nv) on the users' velocities, but in lanes that are `whirling`;
// `velocity` of bodies, the world first.
template <class T>
TARSUS_INLINE void push_gyration(const Tree& tree, const Motion<T>* velocity, const T* mass_scale,
                                 const T& dt, const T& whirling, T* force) {
    const T zero(0.0), one(1.0);
    for (int i = 0; i < tree.n_bodies; ++i) {
        if (!is_top(tree, i)) continue;
        const Link& link = tree.links[i];
        const double* I = link.second;  // about the joint
        const Vec3<T> torque =
            gyration(Sym3<double>{I[0], I[1], I[2], I[3], I[4], I[5]}, velocity[i + 1].angular, dt);
        const T scale = select(whirling > zero, zero, mass_scale ? mass_scale[i] : one);
        T* to = force + link.own + (link.kind == Kind::free ? 3 : 0);
        to[0] = mul_add(torque.x, scale, to[0]), to[1] = mul_add(torque.y, scale, to[1]);
        to[2] = mul_add(torque.z, scale, to[2]);
    }
}

}  // namespace tarsus::TARSUS_ISA
