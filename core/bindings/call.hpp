#pragma once

#include "bindings/algorithms.hpp"

namespace tarsus {

bool import_numpy();

// a new reference to the result, or null with an exception set
PyObject* call_algorithm(int index, const CoreModel& model, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* names);

}  // namespace tarsus
