#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds the class Flow to the module
void bind_flow(nanobind::module_& m);

}  // namespace tarsus
