// The class Parts of tarsus._core: immutable, so that runs in other threads may use it.
#pragma once

#include <nanobind/nanobind.h>

#include "bindings/arguments.hpp"
#include "parts/part.hpp"
#include "world/world.hpp"

namespace tarsus {

namespace nb = nanobind;

struct CoreParts {
    Parts parts;
    const Tree* tree;
    nb::object model;  // keeps the tree alive
};

// throws unless these are parts of the world's model
const Parts& parts_of(const World& world, PyObject* given);
// throws unless numbers are (states or 1, n) and memory (states, n), without NaN
void check_part_arrays(const Parts& parts, const Numbers& numbers, const Numbers& memory,
                       size_t states);
void bind_parts(nb::module_& m);

}  // namespace tarsus
