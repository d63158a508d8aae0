// The calls of a World, for `bind_world`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/algorithms.hpp"
#include "bindings/arguments.hpp"
#include "world/run.hpp"

namespace tarsus {

namespace nb = nanobind;

using Result = nb::ndarray<nb::numpy, double>;

struct CoreWorld {
    World world;
    nb::object model;  // keeps the tree alive
};

// methods that are called once a step or once a run, and read their arguments themselves
PyMethodDef* world_methods();

// throws unless the shape is (states, width), or one row where that stands for all
void check_shape(const char* name, size_t rows, size_t columns, size_t states, size_t width,
                 bool or_one);
// throws if there is negative friction, a body without mass …
void check_parameters(const World& world, const double* parameters, size_t states);
// throws unless the states q (states, nq) are finite and their quaternions rotations
void check_positions(const World& world, const Numbers& q);
// throws if steps could not be counted: faults tell the step as a float64 number
void check_steps(long first, long steps);
// Threads take groups of lanes; one state alone takes the short way.
void advance_all(const World& world, const Run& run, int threads);

Result contacts(const CoreWorld& self, nb::handle q);
nb::tuple contact_operator(const CoreWorld& self, nb::handle q, const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too);
Result solve_lcp_of(nb::handle A, nb::handle b);

}  // namespace tarsus
