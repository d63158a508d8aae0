#pragma once

#include <nanobind/nanobind.h>

#include "world/volume_pairs.hpp"

namespace tarsus {

// adds the class VolumePairs and the function swept_distance to the module
void bind_distances(nanobind::module_& m);

// of the instruction set that this process uses
const DistanceKernel& distance_kernel();

}  // namespace tarsus
