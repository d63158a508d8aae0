// The calls of a World, for `bind_world`.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <vector>

#include "bindings/algorithms.hpp"
#include "world/run.hpp"

namespace tarsus {

namespace nb = nanobind;

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Given = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Commands = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using GivenVector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double>;

struct CoreWorld {
    World world;
    nb::object model;  // keeps the tree alive
};

Result advance(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
               const Given& parameters, const Commands& commands, long hold, long first_step,
               long steps, long every, int threads, bool ledger, nb::object record);
Result energies(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
                const Given& parameters);
Result contacts(const CoreWorld& self, const Given& q);
nb::tuple contact_operator(const CoreWorld& self, const Given& q,
                           const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too);
Result solve_lcp_of(const Given& A, const GivenVector& b);

}  // namespace tarsus
