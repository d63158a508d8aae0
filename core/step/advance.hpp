// Many steps of one state, or of a group of lanes. Compiled in two files, which takes half the
// time.
#pragma once

#include "step/lane_states.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void advance(const World& world, const Run& run, long first, int count,
                            std::byte* memory) {
    Scratch scratch(memory);
    Stepper<T> stepper(world, *run.parts, scratch);
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

void advance_lanes(const World& world, const Run& run, long begin, long end, std::byte* memory);
size_t advance_lanes_bytes(const World& world, const Parts& parts);

}  // namespace tarsus::TARSUS_ISA
