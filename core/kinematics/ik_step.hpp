// One step of inverse kinematics: from tasks and limits to velocities. Nothing here depends on how
// it was compiled.
#pragma once

#include "kinematics/pose_search.hpp"
#include "world/volume_pairs.hpp"

namespace tarsus {

// a joint that follows others, and how far and how fast it may go
struct FollowerLimit {
    int q, v;  // among all joints'
    double lower, upper, fastest;
};

// what all steps of a solver share
struct StepStatement {
    std::vector<double> weight, gain;  // of each row; a gain below zero: within one step
    std::vector<int> levels;           // how many of the rows are of each level
    std::vector<double> damping;       // of each velocity
    std::vector<double> calm;          // of each row: how much more of it an error makes
    std::vector<double> lower, upper;  // ranges of positions, for each velocity
    std::vector<int> position;         // of which it is the rate, −1 for none
    std::vector<double> fastest;       // of each velocity
    std::vector<double> acceleration;  // of each velocity, infinite for none
    double share = 1;                  // of the way to a limit that a step may take
    std::vector<FollowerLimit> followers;
    const VolumePairs* pairs = nullptr;  // that are kept apart, or null
    double margin = 0;                   // [m] how near they may come
    double approach = 0;                 // [1/s] how fast
    int loop_rows = 0;                   // the first level, if these are not zero: loops
    int given_limits = 0;                // rows of limits that are evaluated elsewhere

    int n_pairs() const { return pairs ? int(pairs->pairs.size()) : 0; }
    // what may hold a velocity: bounds of its own, followers, pairs, given rows
    int holds() const { return int(damping.size() + followers.size()) + n_pairs() + given_limits; }
    // what is remembered of a state from step to step: which of these do, level by level
    long memory() const { return long(levels.size()) * holds(); }
};

// beside q and targets: velocities before the step, and those that tasks leave; or null. Given rows
// of limits (count, given_limits, nv), and between what they stay.
struct StepStates : TaskStates {
    const double *last = nullptr, *wish = nullptr;
    const double *limit = nullptr, *limit_low = nullptr, *limit_high = nullptr;
};

// where results of states go: q, v, what rows miss, codes; and what held, from step to step
struct StepAnswers {
    double *q, *v, *missing;
    int* code;
    signed char* at;  // (states, levels, holds)
    bool warm;
};

// how a step ended, and why it misses something of the first level if it does
enum class StepEnd : int { solved, infeasible, passes, not_finite, limited, singular, no_place };
constexpr int kOpenLoop = 8;  // is added where a loop cannot follow

}  // namespace tarsus
