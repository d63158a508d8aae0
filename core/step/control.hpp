// Controllers that run inside the step: torques from the state, a command and gains.
#pragma once

#include "dynamics/arguments.hpp"
#include "world/world.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Controller {
    const World& world;
    const T *q, *v, *parameters;
    const double* const* command;  // a row for each lane
    T *tau, *integral;
    T* diagonal;  // for each of the users' velocities: what implicit gains add to the mass matrix

    static size_t bytes(const World& world);
    void run(Scratch scratch) const;

   private:
    T wanted(int k) const;
    T wanted_velocity(int k) const { return wanted(world.tree->nq + k); }
    T wanted_last(int k) const { return wanted(world.tree->nq + world.tree->nv + k); }
    void feedback(const T* error) const;
    void inverse_dynamics(const T* error, Scratch& scratch) const;
    void passivity(const T* error, Scratch& scratch) const;
    Arguments<T> arguments(const T* third, const T* fourth, Scratch& scratch) const;
};

}  // namespace tarsus::TARSUS_ISA
