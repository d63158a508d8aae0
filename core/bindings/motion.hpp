// The class Motion of tarsus._core: states that make a few steps a call.
#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

void bind_motion(nanobind::module_& m);

}  // namespace tarsus
