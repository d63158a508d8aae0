// Poses of many states: what is searched for and how, and what was found. Nothing here depends on
// how the search was compiled.
#pragma once

#include <functional>

#include "world/task_set.hpp"

namespace tarsus {

struct PoseSearch {
    const double* scale;          // of each row: the root of its weight, as a length; 0 for none
    const double *lower, *upper;  // of each users' velocity: ranges of its position, or infinite
    const int* position;          // … and which position it is the rate of, −1 for none
    double tolerance, progress, gradient;
    int iterations, starts;
    unsigned long seed;
    bool newton;
};

enum class PoseEnd : int { solved, limited, stalled, iterations, open_loop };

// one state: where it starts, and after the search where it is
struct PoseState {
    const double *start = nullptr, *targets = nullptr;
    double* q = nullptr;
    double error = 0;
    int iterations = 0, starts = 0;
    PoseEnd end = PoseEnd::iterations;
};

// states in plain memory, and their targets: stride 0 for one that all share
struct TaskStates {
    long count;
    const double *q, *targets;
    long stride;
    const double* table = nullptr;  // values of users' coupling functions, or null
};

struct StepStatement;  // in ik_step.hpp
struct StepStates;
struct StepAnswers;
struct BodyStatement;  // in whole_body.hpp
struct BodyStates;
struct BodyAnswers;

struct KinematicsKernel {
    // the rest is left out once `stopped` returns true
    void (*step)(const Tree&, const TaskSet&, const StepStatement&, const StepStates&, double dt,
                 const StepAnswers&, const std::function<bool()>& stopped);
    // errors and what targets' motion adds (count, rows), jacobians (count, rows, nv)
    void (*rows)(const Tree&, const TaskSet&, const TaskStates&, double* error, double* feedforward,
                 double* jacobian);
    // `next` gives the states one after the other, and null at the end
    void (*search)(const Tree&, const TaskSet&, const PoseSearch&,
                   const std::function<PoseState*()>& next);
    void (*body)(const Tree&, const TaskSet&, const BodyStatement&, const BodyStates&,
                 const BodyAnswers&);
};

}  // namespace tarsus
