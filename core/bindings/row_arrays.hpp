// Arrays of calls for many states: rows that are read, and new ones.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"

namespace tarsus {

inline nanobind::object new_rows(std::vector<npy_intp> shape) {
    PyObject* made = PyArray_SimpleNew(int(shape.size()), shape.data(), NPY_DOUBLE);
    if (!made) throw nanobind::python_error();
    return nanobind::steal(made);
}
inline double* data_of(const nanobind::object& array) {
    return static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}

// rows (B, size), finite
inline Numbers rows_of(const char* name, nanobind::handle given, size_t size, Owned& keep) {
    const Numbers rows = given_array(name, given.ptr(), 2, keep);
    if (rows.shape[1] != size) {
        throw std::invalid_argument(std::string(name) + " must have rows of " +
                                    std::to_string(size) + " numbers");
    }
    check_finite(name, rows.data, rows.size);
    return rows;
}

inline std::vector<double> numbers_of(const char* name, nanobind::handle given, size_t size) {
    std::vector<double> found = copied_array(name, given.ptr(), false);
    if (found.size() != size) {
        throw std::invalid_argument(std::string(name) + " must have " + std::to_string(size) +
                                    " numbers");
    }
    return found;
}

}  // namespace tarsus
