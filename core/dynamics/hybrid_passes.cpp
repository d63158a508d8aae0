#include "dynamics/articulated_inward.hpp"

namespace tarsus::TARSUS_ISA {

template void ArticulatedPasses<double>::inertias<true>(const double*);

}  // namespace tarsus::TARSUS_ISA
