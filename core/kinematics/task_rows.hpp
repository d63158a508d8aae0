// Errors of tasks and their jacobians, all tasks in one pass over the bodies that move them.
#pragma once

#include "dynamics/spanning.hpp"
#include "kinematics/pose_search.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class TaskRows {
   public:
    TaskRows(const Tree& tree, const TaskSet& set, Scratch& scratch);
    static size_t bytes(const Tree& tree, const TaskSet& set);

    // at users' positions q; users' coupling functions are not known here
    void at(const T* q, const T* targets);

    T *error, *jacobian;  // (rows) and (rows, nv)

   private:
    void place(const T* q, const Angle<T>* angles);
    void frame(const FrameRows& rows, const T* G, const T* targets);

    const Tree& tree_;
    const TaskSet& set_;
    Pose<T>* pose_;       // of each body
    Motion<T>* columns_;  // of each joint velocity: at its body's origin, in world axes
    Motion<T>* sums_;     // of each users' velocity
    Angle<T>* angles_;
    Scratch scratch_;
};

// of many states, in lanes
void task_rows(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
               double* jacobian);

}  // namespace tarsus::TARSUS_ISA
