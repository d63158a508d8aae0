// Array arguments: which can be read in place, and how all others are made readable.
#pragma once

#include <algorithm>
#include <vector>

#include "bindings/algorithms.hpp"
#include "bindings/numpy.hpp"

namespace tarsus {

inline bool is_plain(PyObject* object) {
    if (!PyArray_CheckExact(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

// one state of exactly this shape, ready to be read in place
inline bool is_one_state(PyObject* object, Shape shape, const Tree& tree) {
    if (!is_plain(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    const Dimensions wanted = dimensions(shape, tree);
    return PyArray_NDIM(array) == wanted.count &&
           std::equal(wanted.begin(), wanted.end(), PyArray_DIMS(array));
}

// All of these return false with a Python exception set.

// the argument as an aligned, contiguous float64 array with the right trailing dimensions
bool read_array(PyObject* object, const Input& input, const Tree& tree, Owned& array);
// leading dimensions of all inputs, broadcast as NumPy does
bool broadcast(const Algorithm& algorithm, const Tree& tree, Owned* arrays,
               std::vector<npy_intp>& lead);
// the stride from state to state; an input that repeats in a pattern is spelled out
bool spread(Owned& array, int core, const std::vector<npy_intp>& lead, int size, long* stride);
bool check_out(PyObject* out, const std::vector<npy_intp>& shape, const char* name = "out");

bool overlap(PyArrayObject* a, PyArrayObject* b);

}  // namespace tarsus
