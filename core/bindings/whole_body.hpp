// Whole-body control as Python states it.
#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

void bind_whole_body(nanobind::module_& m);

}  // namespace tarsus
