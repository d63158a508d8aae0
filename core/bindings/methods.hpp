// The algorithms as methods of the Python class.
#pragma once

#include <nanobind/nanobind.h>

namespace tarsus {

// One entry for each algorithm and alias, then an empty one; lives as long as the process.
PyMethodDef* method_table();

// What the stub generator needs: (name, [(parameter, default or None)], output shape, summary).
nanobind::list describe_algorithms();

}  // namespace tarsus
