#include "dynamics/passive_inverse_dynamics.hpp"

#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_KERNEL(passive_inverse_dynamics, PassiveInverseDynamics);

}  // namespace tarsus::TARSUS_ISA
