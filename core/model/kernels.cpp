// The table of all kernels of one instruction set; compiled once for each.
#include "model/kernel.hpp"
#include "scalar/pack.hpp"

#define TARSUS_TEXT(name) TARSUS_QUOTE(name)
#define TARSUS_QUOTE(name) #name

namespace tarsus::TARSUS_ISA {

#define TARSUS_DECLARE(name) extern const Kernel name##_kernel;
TARSUS_KERNELS(TARSUS_DECLARE)

extern const StepKernel step_kernel;
extern const FlowKernel flow_kernel;
extern const ProgrammeKernel programme_kernel;
extern const KinematicsKernel kinematics_kernel;
extern const DistanceKernel distance_kernel;

#define TARSUS_LIST(name) &name##_kernel,
ClosureFault find_closure_fault(const Tree&, const double* table, const double* q,
                                const double* dv);

extern const Kernels kernels;
const Kernels kernels = {TARSUS_TEXT(TARSUS_ISA),
                         kLanes,
                         TARSUS_KERNELS(TARSUS_LIST) & step_kernel,
                         &flow_kernel,
                         find_closure_fault,
                         &programme_kernel,
                         &kinematics_kernel,
                         &distance_kernel};

}  // namespace tarsus::TARSUS_ISA
