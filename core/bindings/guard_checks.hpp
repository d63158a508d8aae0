#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds mistakes with work memory to the module, so that tests can see that they are found
void bind_guard_checks(nanobind::module_& m);

}  // namespace tarsus
