// Forces on bodies at a moment of a smooth motion, from where bodies are and how they move to
// generalised forces: those who push add to `force` and `on_joints` between the two passes.
#pragma once

#include "dynamics/articulated_constraints.hpp"
#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct BodyForces {
    const Tree& tree;
    JointState<T> joints;
    Angle<T>* angles;
    Pose<T>* pose;      // the world first
    Motion<T>* motion;  // in body frames
    Force<T>* force;    // on each body, in its frame
    T* on_joints;       // along all joints

    BodyForces(const Tree& t, const T* table, const T* q, const T* v, Scratch& scratch)
        : BodyForces(t,
                     t.coupled
                         ? span_coupled(t, table, q, v, static_cast<const T*>(nullptr), scratch)
                         : JointState<T>{q, v, nullptr, nullptr},
                     scratch) {}
    // of joints whose state is known
    BodyForces(const Tree& t, const JointState<T>& j, Scratch& scratch)
        : tree(t),
          joints(j),
          angles(scratch.take<Angle<T>>(t.n_angles)),
          pose(scratch.take<Pose<T>>(t.n_bodies + 1)),
          motion(scratch.take<Motion<T>>(t.n_bodies + 1)),
          force(scratch.take<Force<T>>(t.n_bodies + 1)),
          on_joints(scratch.take<T>(t.joint_nv)) {}

    // of joints whose state is known; others take spanning_bytes more
    static size_t bytes(const Tree& t) {
        return bytes_of<Angle<T>>(t.n_angles) + bytes_of<Pose<T>>(t.n_bodies + 1) +
               bytes_of<Motion<T>>(t.n_bodies + 1) + bytes_of<Force<T>>(t.n_bodies + 1) +
               bytes_of<T>(t.joint_nv);
    }

    void outwards();
    void inwards(T* tau);
};

}  // namespace tarsus::TARSUS_ISA
