// The arguments of a call by name and position, and those of them that are not arrays.
#pragma once

#include <string>
#include <vector>

#include "bindings/algorithms.hpp"

namespace tarsus {

constexpr int kSlots = 12;

// what is known of an algorithm before any call
struct Prepared {
    const Algorithm* algorithm;
    Parameters parameters;
    std::vector<PyObject*> names;  // interned
};
const Prepared& prepared(int index);

// All of these return false, or -1, with a Python exception set.

// positional and keyword arguments into their slots, null where not given
bool fill_slots(const Prepared& p, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                PyObject** slots);
bool read_frame(PyObject* argument, const CoreModel& model, const char* method, int* frame);
// of all velocities those that are prescribed: joints by name, or a mask
bool read_prescribed(PyObject* argument, const CoreModel& model, const char* method, bool* mask);
bool read_threads(PyObject* argument, int* threads);
// the position of a word among those of a choice, 0 if it is not given
int read_word(PyObject* argument, const Choice& choice);

}  // namespace tarsus
