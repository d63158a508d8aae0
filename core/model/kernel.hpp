// The door between the bindings and the compiled recursions: one Kernel for each algorithm and
// instruction set. Nothing here depends on how a kernel was compiled.
#pragma once

#include <cstddef>

#include "model/tree.hpp"

namespace tarsus {

constexpr int kInputs = 6;
constexpr int kTable = 5;  // the input that holds values of users' coupling functions

enum class Reference : int { local, world, local_world_aligned };

// A batch of states: input k of state s starts at in[k] + s * stride[k]; the output is contiguous.
struct Call {
    long states = 1;
    const double* in[kInputs] = {};  // null where an optional input is not given
    long stride[kInputs] = {};
    int size[kInputs] = {};
    double* out = nullptr;
    int out_size = 0;
    int frame = 0;
    const bool* prescribed = nullptr;  // for each velocity: its acceleration is given
    int choice = 0;  // among the words of an algorithm's option, such as a Reference
    int parts = 1;   // results are so many arrays, one after the other for all states

    int part_size() const { return out_size / parts; }
    // where element k of a state's result is
    double* place(long state, int k) const {
        const int size = part_size(), part = size ? k / size : 0;
        return out + (part * states + state) * size + (k - part * size);
    }
};

// The first number that was not finite; `input` is kInputs for a result.
struct Fault {
    int input = -1;
    long state = 0;
    int element = 0;
    bool found() const { return input >= 0; }
};

// Why couplings or loops have no answer in a state; a loop is lost on the way of a step.
struct ClosureFault {
    enum class Reason { none, coupling, open, singular, lost } reason = Reason::none;
    int index = 0;   // of the coupling, as stated, or of the loop
    double gap = 0;  // of an open loop
};

struct Kernel {
    // bytes of work memory, for one state and for a group of lanes
    size_t (*bytes_one)(const Tree&, const Call&);
    size_t (*bytes_lanes)(const Tree&, const Call&);
    Fault (*one)(const Tree&, const Call&, std::byte* memory);
    Fault (*lanes)(const Tree&, const Call&, long begin, long end, std::byte* memory);
};

// X(name): every algorithm of the core, in the order of the tables below.
#define TARSUS_KERNELS(X)              \
    X(integrate)                       \
    X(difference)                      \
    X(configuration_rate)              \
    X(sample)                          \
    X(close)                           \
    X(joint_positions)                 \
    X(joint_velocities)                \
    X(joint_accelerations)             \
    X(coupling_matrix)                 \
    X(loop_gaps)                       \
    X(constraint_jacobian)             \
    X(forward_kinematics)              \
    X(frame_pose)                      \
    X(frame_velocity)                  \
    X(frame_acceleration)              \
    X(frame_jacobian)                  \
    X(frame_jacobian_rate)             \
    X(inverse_dynamics)                \
    X(bias_forces)                     \
    X(gravity_forces)                  \
    X(reaction_wrenches)               \
    X(loop_wrenches)                   \
    X(mass_matrix)                     \
    X(mass_matrix_rate)                \
    X(coriolis_matrix)                 \
    X(christoffel_symbols)             \
    X(christoffel_symbols_packed)      \
    X(generalized_momentum)            \
    X(coriolis_transpose_forces)       \
    X(passive_inverse_dynamics)        \
    X(inertial_regressor)              \
    X(inverse_dynamics_derivatives)    \
    X(forward_dynamics_derivatives)    \
    X(inverse_mass_matrix)             \
    X(forward_dynamics)                \
    X(forward_dynamics_sparse)         \
    X(forward_dynamics_dense)          \
    X(hybrid_dynamics)                 \
    X(center_of_mass)                  \
    X(center_of_mass_velocity)         \
    X(center_of_mass_jacobian)         \
    X(centroidal_momentum)             \
    X(centroidal_momentum_matrix)      \
    X(centroidal_momentum_matrix_rate) \
    X(kinetic_energy)                  \
    X(potential_energy)                \
    X(elastic_energy)                  \
    X(passive_forces)

struct StepKernel;        // in world/run.hpp
struct FlowKernel;        // in flow/flow.hpp
struct ProgrammeKernel;   // in kinematics/programme.hpp
struct KinematicsKernel;  // in kinematics/pose_search.hpp
struct DistanceKernel;

struct Kernels {
    const char* instruction_set;
    int lanes;
#define TARSUS_FIELD(name) const Kernel* name;
    TARSUS_KERNELS(TARSUS_FIELD)
#undef TARSUS_FIELD
    const StepKernel* step;
    const FlowKernel* flow;
    // at q, or where dv is given after that step from q
    ClosureFault (*closure_fault)(const Tree&, const double* table, const double* q,
                                  const double* dv);
    const ProgrammeKernel* programme;
    const KinematicsKernel* kinematics;
    const DistanceKernel* distances;
};

// those that this build has
namespace baseline {
extern const Kernels kernels;
}
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}

}  // namespace tarsus
