// Many steps of one state, its energies, and the table of what the step offers.
#include "step/advance.hpp"

#include "constraints/lcp.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

size_t advance_one_bytes(const World& world, const Parts& parts) {
    return Stepper<double>::bytes(world, parts);
}
void advance_one(const World& world, const Run& run, long state, std::byte* memory) {
    advance<double>(world, run, state, 1, memory);
}

void energies(const World& world, const Run& run, double* out, double* parts, std::byte* memory) {
    for (long s = 0; s < run.states; ++s) {
        Scratch scratch(memory);
        Stepper<double> stepper(world, *run.parts, scratch);
        LaneStates<double> states(world, run, stepper, s, 1);
        states.load();
        const double lag = stepper.stored();
        states.write_energies(stepper.energies(), lag, 0, out + s * world.energy_size());
        states.write_parts(0, parts + s * run.parts->record_size());
    }
}

void part_rows(const World& world, const Run& run, double* values, double* rates,
               std::byte* memory) {
    const int n = run.parts->n_rows;
    for (long s = 0; s < run.states; ++s) {
        Scratch scratch(memory);
        Stepper<double> stepper(world, *run.parts, scratch);
        LaneStates<double> states(world, run, stepper, s, 1);
        states.load();
        stepper.look_at_parts(values + s * n, rates + s * n);
    }
}

}  // namespace

void find_all_contacts(const World& world, const double* q, double* out, std::byte* memory);
void contact_operator(const World& world, const double* q, const double* mass_scale,
                      const std::vector<int>& candidates, double* A, double* J, std::byte* memory);

extern const StepKernel step_kernel;
const StepKernel step_kernel = {
    advance_one_bytes, advance_lanes_bytes, advance_one, advance_lanes, energies,
    find_all_contacts, contact_operator,    part_rows,   solve_lcp};

}  // namespace tarsus::TARSUS_ISA
