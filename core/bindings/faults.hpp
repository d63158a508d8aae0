// What a kernel found wrong, as a Python exception that names the argument, state and reason.
#pragma once

#include <vector>

#include "bindings/algorithms.hpp"
#include "bindings/numpy.hpp"

namespace tarsus {

// always null, with the exception set; lead are the leading dimensions of the call
PyObject* raise_fault(const Algorithm& algorithm, const Tree& tree, const Call& call,
                      const Fault& fault, const std::vector<npy_intp>& lead);

}  // namespace tarsus
