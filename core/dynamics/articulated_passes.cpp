#include "dynamics/articulated_inward.hpp"
#include "dynamics/articulated_outward.hpp"

namespace tarsus::TARSUS_ISA {

template void ArticulatedPasses<double>::velocities(const double*);
template void ArticulatedPasses<double>::inertias<false>(const double*);
template void ArticulatedPasses<double>::accelerations(const Motion<double>&, double*);

}  // namespace tarsus::TARSUS_ISA
