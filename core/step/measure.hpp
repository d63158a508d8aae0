// Energies of a state, and the powers of gravity and springs.
#pragma once

#include "dynamics/articulated_constraints.hpp"
#include "world/world.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Energies {
    T kinetic, gravity, elastic;
    // of gravity, springs, velocity-product forces, and of axes that turn: what the half step by
    // which velocities lag behind positions moves between them
    T power;
};

template <class T>
TARSUS_INLINE size_t measure_bytes(const Tree& tree) {
    return spanning_bytes<T>(tree) + ArticulatedPasses<T>::bytes(tree) +
           bytes_of<Pose<T>>(tree.n_bodies + 1) + bytes_of<Motion<T>>(tree.n_bodies + 1) +
           bytes_of<Force<T>>(tree.n_bodies + 1) + bytes_of<T>(tree.joint_nv) +
           bytes_of<T>(tree.joint_nq);
}

// mass_scale may be null
template <class T>
Energies<T> measure(const Tree& tree, const T* q, const T* v, const T* mass_scale, Scratch scratch);

}  // namespace tarsus::TARSUS_ISA
