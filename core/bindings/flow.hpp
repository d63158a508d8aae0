#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// adds the class Flow to the module
void bind_flow(nanobind::module_& m);
// … and the function hybrid_flow
void bind_hybrid(nanobind::module_& m);
// … and the class ContactFlow
void bind_contact_flow(nanobind::module_& m);

}  // namespace tarsus
