// Many steps of one state, or of a group of lanes.
#include "constraints/lcp.hpp"
#include "step/lane_states.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

template <class T>
TARSUS_FLATTEN void advance(const World& world, const Run& run, long first, int count,
                            std::byte* memory) {
    Scratch scratch(memory);
    Stepper<T> stepper(world, scratch);
    LaneStates<T> states(world, run, stepper, first, count);
    states.load();
    const double* command[Stepper<T>::kCount];
    long samples = 0;
    for (long k = 0; k < run.steps; ++k) {
        if (any(stepper.alive > T(0.0))) {
            const long step = run.first_step + k;
            states.commands(step, command);
            stepper.step(command, step % world.control_steps == 0, run.ledger);
            states.note_faults(step);
        }
        if ((k + 1) % run.every == 0 && samples < run.samples) states.sample(samples++);
    }
    states.store();
}

template <class T>
size_t advance_bytes(const World& world) {
    return Stepper<T>::bytes(world);
}

void advance_one(const World& world, const Run& run, long state, std::byte* memory) {
    advance<double>(world, run, state, 1, memory);
}
void advance_lanes(const World& world, const Run& run, long begin, long end, std::byte* memory) {
    for (long s = begin; s < end; s += kLanes) {
        advance<Lanes>(world, run, s, int(std::min<long>(kLanes, end - s)), memory);
    }
}

void energies(const World& world, const Run& run, double* out, std::byte* memory) {
    for (long s = 0; s < run.states; ++s) {
        Scratch scratch(memory);
        Stepper<double> stepper(world, scratch);
        LaneStates<double> states(world, run, stepper, s, 1);
        states.load();
        states.write_energies(stepper.energies(), 0, out + s * world.energy_size());
    }
}

}  // namespace

void find_all_contacts(const World& world, const double* q, double* out, std::byte* memory);
void contact_operator(const World& world, const double* q, const double* mass_scale,
                      const std::vector<int>& candidates, double* A, double* J, std::byte* memory);

extern const StepKernel step_kernel;
const StepKernel step_kernel = {
    advance_bytes<double>, advance_bytes<Lanes>, advance_one, advance_lanes, energies,
    find_all_contacts,     contact_operator,     solve_lcp};

}  // namespace tarsus::TARSUS_ISA
