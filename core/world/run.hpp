// A call that advances states: where they are, what is recorded, and the compiled step.
#pragma once

#include <vector>

#include "parts/part.hpp"
#include "world/world.hpp"

namespace tarsus {

inline const Parts kNoParts;

// Where a call's states are and what it writes; pointers of records may be null.
struct Run {
    long states = 0;
    double *q = nullptr, *v = nullptr, *memory = nullptr, *status = nullptr;
    const double *parameters = nullptr, *commands = nullptr;
    long parameter_stride = 0, command_stride = 0, n_commands = 1, hold = 1;
    long first_step = 0, steps = 0, every = 1, samples = 0;
    bool ledger = false;
    double *record_q = nullptr, *record_v = nullptr, *record_tau = nullptr;
    double *record_energy = nullptr, *record_contacts = nullptr, *record_statistics = nullptr;
    double* record_limits = nullptr;
    const Parts* parts = &kNoParts;
    const double* part_numbers = nullptr;
    long part_number_stride = 0;
    double *part_memory = nullptr, *record_parts = nullptr;
    long record_room = 0;  // from state to state of a record, in samples; contacts have no gaps
};
constexpr int kStatus = 3, kContactNumbers = 13, kStatistics = 5;
enum class StepFault : int { none, not_finite, crowded, loops_lost, unsolved, diverged };

// The step as compiled for one instruction set.
struct StepKernel {
    size_t (*bytes_one)(const World&, const Parts&);
    size_t (*bytes_lanes)(const World&, const Parts&);
    void (*one)(const World&, const Run&, long state, std::byte* memory);
    void (*lanes)(const World&, const Run&, long begin, long end, std::byte* memory);
    // the ledger's row for each state, and the record of its parts, if there are any
    void (*energies)(const World&, const Run&, double* out, double* parts, std::byte* memory);
    // gap, point and normal of every candidate
    void (*contacts)(const World&, const double* q, double* out, std::byte* memory);
    // operator (3m × 3m) and rows (3m × nv) of these candidates
    void (*contact_operator)(const World&, const double* q, const double* parameters,
                             const std::vector<int>& candidates, double* A, double* J,
                             std::byte* memory);
    // values and rates of all rows of parts, for each state
    void (*part_rows)(const World&, const Run&, double* values, double* rates, std::byte* memory);
    LcpReport (*solve_lcp)(int n, const double* A, const double* b, double* u);
};

}  // namespace tarsus
