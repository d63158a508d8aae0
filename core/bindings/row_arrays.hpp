// Arrays of calls for many states: rows that are read, and new ones.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/algorithms.hpp"
#include "bindings/arguments.hpp"
#include "bindings/gil.hpp"

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

// rows (B, size), infinite where there is no limit
inline Numbers limits_of(const char* name, nanobind::handle given, size_t size, Owned& keep) {
    const Numbers rows = given_array(name, given.ptr(), 2, keep);
    if (rows.shape[1] != size) {
        throw std::invalid_argument(std::string(name) + " must have rows of " +
                                    std::to_string(size) + " numbers");
    }
    return rows;
}

// values of users' coupling functions at states q (B, nq), or null; with the interpreter held
inline const double* table_of(const CoreModel& model, const Numbers& q, Owned& table) {
    if (!model.functions) return nullptr;
    const npy_intp states = npy_intp(q.shape[0]);
    const nanobind::object at = new_rows({states, model.tree.nq});
    std::copy_n(q.data, states * model.tree.nq, data_of(at));
    const Owned found(call_python(model.functions, at.ptr(), Py_False));
    if (!found.object) throw nanobind::python_error();
    table.reset(PyArray_FROM_OTF(found.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!table.object) throw nanobind::python_error();
    if (PyArray_SIZE(table.array()) != states * model.tree.table_size)
        throw std::invalid_argument("functions returned a table of a wrong size");
    return static_cast<const double*>(PyArray_DATA(table.array()));
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
