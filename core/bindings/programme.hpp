#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds the function solve_programmes to the module
void bind_programme(nanobind::module_& m);

}  // namespace tarsus
