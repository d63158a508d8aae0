#include "dynamics/articulated_inward.hpp"
#include "dynamics/articulated_outward.hpp"

namespace tarsus::TARSUS_ISA {

template void ArticulatedPasses<Lanes>::velocities(const Lanes*);
template void ArticulatedPasses<Lanes>::inertias<false>(const Lanes*);
template void ArticulatedPasses<Lanes>::accelerations(const Motion<Lanes>&, Lanes*);

}  // namespace tarsus::TARSUS_ISA
