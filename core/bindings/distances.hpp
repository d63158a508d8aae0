#pragma once

#include <nanobind/nanobind.h>

#include "world/volume_pairs.hpp"

namespace tarsus {

// adds the class VolumePairs and the function swept_distance to the module
void bind_distances(nanobind::module_& m);

// those of an object of that class, which must outlive them
const VolumePairs& volume_pairs_of(nanobind::handle given);

}  // namespace tarsus
