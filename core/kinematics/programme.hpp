// The quadratic programme of inverse kinematics, as plain arrays:
//
//   min  ½ Σ W_i (A_i v − b_i)² + ½ Σ D_j (v_j − v0_j)² + Σ ρ_k (s_k + ½ s_k²)
//   with low ≤ v ≤ high  and  row_low − s ≤ C v ≤ row_high + s,  s ≥ 0.
//
// A row whose penalty ρ is infinite has no slack s. Tasks come in levels: those of a level are
// solved for as far as what those before have reached stays as it is. Nothing here depends on how
// the solver was compiled.
#pragma once

#include <vector>

namespace tarsus {

// what all problems of a batch share
struct ProgrammeShape {
    int variables = 0, tasks = 0, rows = 0;
    std::vector<int> levels;  // how many of the tasks, in their order, are of each level
    int most_passes = 0;      // of a level
    double tolerance = 1e-9;  // by which rows and bounds may be missed
};

// Bounds and penalties from kLargestNumber on are none; other numbers beyond it, and positive ones
// below its inverse, make no sense: nothing that is computed from the others overflows.
constexpr double kLargestNumber = 1e30;

// One problem; matrices by rows. What a bound or a row is at: −1 low, 1 high, 0 neither, and ∓2 a
// row that is missed by its slack; an equation is at 0, or at 2 if it repeats others.
struct Programme {
    const double *task, *target, *weight;    // A (tasks, variables), b, W ≥ 0
    const double *damping, *reference;       // D > 0, v0
    const double *low, *high;                // infinite where there is no bound
    const double *row, *row_low, *row_high;  // C (rows, variables)
    const double* penalty;                   // ρ > 0, infinite for rows that must hold
    const signed char* start = nullptr;      // where to begin: bounds, then rows; or null
    // D and v0 of the last level, if they are not those of the others: what is drawn to a place of
    // its own costs no row
    const double *last_damping = nullptr, *last_reference = nullptr;
    const signed char* level_start = nullptr;  // as `start`, for each level; or null
};

enum class ProgrammeEnd : int { solved, infeasible, passes, not_finite };

struct ProgrammeAnswer {
    // D (v − v0) = Aᵀ y + Cᵀ λ + z, with y = W (b − A v) for tasks of the last level
    double *v, *bound_force, *task_force, *row_force;  // v, z, y, λ
    double* slack;                                     // by how much each row is missed
    signed char* at;                                   // bounds, then rows, as in `start`
    signed char* level_at = nullptr;                   // the same after each level, or null
    ProgrammeEnd end = ProgrammeEnd::solved;
    int worst = -1;     // of a problem that cannot be met: the bound, or variables + the row
    double missed = 0;  // and by how much
    int passes = 0;
};

struct ProgrammeKernel {
    // each answer has its arrays; one problem or many, in lanes
    void (*solve)(const ProgrammeShape&, const Programme*, ProgrammeAnswer*, long count);
};

}  // namespace tarsus
