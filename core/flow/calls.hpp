// Algorithms on rows of states in plain memory: one state in place, several in lanes.
#pragma once

#include <initializer_list>

#include "flow/flow.hpp"
#include "model/kernel.hpp"
#include "model/work_memory.hpp"

namespace tarsus::TARSUS_ISA {

// rows of `size` numbers, one for each state; null where an input is not given
struct InputRows {
    const double* data = nullptr;
    int size = 0;
};

class Calls {
   public:
    Calls(const Tree& tree, Outside& outside) : tree_(tree), outside_(outside) {}

    const Tree& tree() const { return tree_; }
    const double* table() const { return table_; }

    // Users' coupling functions are asked once for the configurations that the next calls are at.
    void at(const double* q, long states) {
        q_ = q, states_ = states;
        table_ = outside_.table(q, states);
    }

    // out (states, size) := algorithm(q, …); false if a number is not finite
    bool operator()(const Kernel& kernel, std::initializer_list<InputRows> inputs, double* out,
                    int size) {
        Call call;
        call.states = states_, call.out = out, call.out_size = size;
        give(call, 0, {q_, tree_.nq});
        int k = 1;
        for (const InputRows& input : inputs) give(call, k++, input);
        if (table_) give(call, kTable, {table_, tree_.table_size});
        if (states_ == 1) {
            return !kernel.one(tree_, call, memory_.get(kernel.bytes_one(tree_, call))).found();
        }
        std::byte* memory = memory_.get(kernel.bytes_lanes(tree_, call));
        return !kernel.lanes(tree_, call, 0, states_, memory).found();
    }

   private:
    static void give(Call& call, int k, const InputRows& rows) {
        call.in[k] = rows.data;
        call.size[k] = rows.data ? rows.size : 0;
        call.stride[k] = rows.size;
    }

    const Tree& tree_;
    Outside& outside_;
    WorkMemory memory_;
    const double *q_ = nullptr, *table_ = nullptr;
    long states_ = 0;
};

// those that flows use
#define TARSUS_USED(name) extern const Kernel name##_kernel;
TARSUS_USED(integrate)
TARSUS_USED(configuration_rate)
TARSUS_USED(joint_velocities)
TARSUS_USED(coupling_matrix)
TARSUS_USED(gravity_forces)
TARSUS_USED(inverse_dynamics)
TARSUS_USED(forward_dynamics)
TARSUS_USED(passive_forces)
TARSUS_USED(generalized_momentum)
TARSUS_USED(coriolis_transpose_forces)
#undef TARSUS_USED

}  // namespace tarsus::TARSUS_ISA
