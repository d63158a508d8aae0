#pragma once

#include <nanobind/nanobind.h>

#include "bindings/algorithms.hpp"

namespace tarsus {

// adds the class World to the module
void bind_world(nanobind::module_& m);

}  // namespace tarsus
