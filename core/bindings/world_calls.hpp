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

using Given = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using GivenVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
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
void check_mass_scale(const World& world, const double* scale);
// Threads take groups of lanes; one state alone takes the short way.
void advance_all(const World& world, const Run& run, int threads);

Result contacts(const CoreWorld& self, const Given& q);
nb::tuple contact_operator(const CoreWorld& self, const Given& q,
                           const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too);
Result solve_lcp_of(const Given& A, const GivenVector& b);

}  // namespace tarsus
