// One step of inverse kinematics: from tasks and limits to velocities. Nothing here depends on how
// it was compiled.
#pragma once

#include "kinematics/pose_search.hpp"

namespace tarsus {

// what all steps of a solver share
struct StepStatement {
    std::vector<double> weight, gain;  // of each row; a gain below zero: within one step
    std::vector<int> levels;           // how many of the rows are of each level
    std::vector<double> damping;       // of each velocity
    std::vector<double> lower, upper;  // ranges of positions, for each velocity
    std::vector<int> position;         // of which it is the rate, −1 for none
    std::vector<double> fastest;       // of each velocity
    double share = 1;                  // of the way to a limit that a step may take
    int most_passes = 0;
};

// where results of states go: q, v, what rows miss, codes; and where bounds are, from step to step
struct StepAnswers {
    double *q, *v, *missing;
    int* code;
    signed char* at;
    bool warm;
};

// how a step ended, and whether it misses something of the first level, at a bound or not
enum class StepEnd : int { solved, infeasible, passes, not_finite, limited, misses, open_loop };

}  // namespace tarsus
