#include "dynamics/articulated_inward.hpp"

namespace tarsus::TARSUS_ISA {

template void ArticulatedPasses<Lanes>::inertias<true>(const Lanes*);

}  // namespace tarsus::TARSUS_ISA
