#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds the class TaskSet to the module
void bind_kinematics(nanobind::module_& m);

}  // namespace tarsus
