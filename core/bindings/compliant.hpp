#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds the class Compliant to the module
void bind_compliant(nanobind::module_& m);

}  // namespace tarsus
