// From the constructor's arguments to statements about a mechanism, checked for shape and number.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "model/tree.hpp"

namespace tarsus {

namespace nb = nanobind;

template <class T, int N>
using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

inline Kind kind_named(const std::string& name) {
    std::string valid;
    for (int k = 0; k < kKinds; ++k) {
        if (name == kKindInfo[k].name) return Kind(k);
        valid += (k ? ", " : "") + std::string(kKindInfo[k].name);
    }
    throw std::invalid_argument("no joint kind is named '" + name + "'; kinds: " + valid);
}

inline SurfaceKind surface_named(const std::string& name) {
    std::string valid;
    for (int k = 0; k < kSurfaceKinds; ++k) {
        if (name == kSurfaceInfo[k].name) return SurfaceKind(k);
        valid += (k ? ", " : "") + std::string(kSurfaceInfo[k].name);
    }
    throw std::invalid_argument("no surface is named '" + name + "'; surfaces: " + valid);
}

// a copy of an array argument, its dimensions and numbers checked
template <class Argument>
std::vector<double> read(const char* name, const Argument& array,
                         std::initializer_list<size_t> shape, bool finite = true) {
    size_t k = 0, size = 1;
    for (size_t d : shape) {
        if (array.shape(k) != d) {
            throw std::invalid_argument(std::string(name) + " has size " +
                                        std::to_string(array.shape(k)) + " in dimension " +
                                        std::to_string(k) + ", expected " + std::to_string(d));
        }
        size *= d, ++k;
    }
    std::vector<double> copy(array.data(), array.data() + size);
    for (size_t i = 0; i < size; ++i) {
        if (std::isnan(copy[i]) || (finite && std::isinf(copy[i]))) {
            throw std::invalid_argument(std::string(name) + " must be finite, element " +
                                        std::to_string(i) + " is not");
        }
    }
    return copy;
}

// for each joint the surface of the body and that of the ground, one after the other
inline std::vector<Surface> read_surfaces(const std::vector<std::vector<std::string>>& kinds,
                                          const Array<double, 3>& numbers, size_t n) {
    const auto number = read("surface_numbers", numbers, {n, 2, kMostSurfaceNumbers});
    if (kinds.size() != n) {
        throw std::invalid_argument("surface_kinds and parents differ in length");
    }
    std::vector<Surface> surfaces(2 * n);
    for (size_t i = 0; i < 2 * n; ++i) {
        if (kinds[i / 2].size() != 2) {
            throw std::invalid_argument("surface_kinds must have two for each joint");
        }
        surfaces[i].kind = surface_named(kinds[i / 2][i % 2]);
        std::copy_n(&number[kMostSurfaceNumbers * i], kMostSurfaceNumbers, surfaces[i].numbers);
    }
    return surfaces;
}

inline std::vector<Role> read_roles(const std::vector<int>& roles) {
    std::vector<Role> read;
    for (int role : roles) {
        if (role < 0 || role > 2) throw std::invalid_argument("roles must be 0, 1 or 2");
        read.push_back(Role(role));
    }
    return read;
}

inline std::vector<CouplingStatement> read_couplings(
    const std::vector<std::string>& kinds, const std::vector<std::vector<int>>& leaders,
    const std::vector<std::vector<int>>& followers,
    const std::vector<std::vector<double>>& numbers) {
    const char* known[] = {"linear", "spindle", "tilting_spindle", "parallel_ankle", "function"};
    const size_t n = kinds.size();
    if (leaders.size() != n || followers.size() != n || numbers.size() != n) {
        throw std::invalid_argument("coupling_leaders, _followers and _numbers differ in length");
    }
    std::vector<CouplingStatement> couplings(n);
    for (size_t i = 0; i < n; ++i) {
        const auto* at = std::find(std::begin(known), std::end(known), kinds[i]);
        if (at == std::end(known)) {
            throw std::invalid_argument("no coupling is of kind '" + kinds[i] + "'");
        }
        for (double number : numbers[i]) {
            if (!std::isfinite(number))
                throw std::invalid_argument("coupling_numbers must be finite");
        }
        couplings[i] = {CouplingKind(at - known), leaders[i], followers[i], numbers[i]};
    }
    return couplings;
}

inline std::vector<LoopStatement> read_loops(const std::vector<std::string>& kinds,
                                             const std::vector<std::string>& names,
                                             const std::vector<std::vector<int>>& bodies,
                                             const Array<double, 4>& placements,
                                             const std::vector<double>& lengths,
                                             const std::vector<bool>& in_cluster,
                                             const std::vector<std::vector<bool>>& kept) {
    const size_t n = kinds.size();
    if (names.size() != n || bodies.size() != n || lengths.size() != n || in_cluster.size() != n ||
        kept.size() != n) {
        throw std::invalid_argument("the loop arguments differ in length");
    }
    const auto placement = read("loop_placements", placements, {n, 2, 4, 4});
    std::vector<LoopStatement> loops(n);
    for (size_t i = 0; i < n; ++i) {
        if (bodies[i].size() != 2) throw std::invalid_argument("a loop joins two bodies");
        if (kinds[i] == "distance" && !(lengths[i] > 0 && std::isfinite(lengths[i]))) {
            throw std::invalid_argument("loop '" + names[i] + "' needs a length above zero");
        }
        LoopStatement& loop = loops[i];
        loop.name = names[i], loop.kind = kinds[i];
        loop.a.body = bodies[i][0], loop.b.body = bodies[i][1];
        std::copy_n(&placement[32 * i], 16, loop.a.placement);
        std::copy_n(&placement[32 * i + 16], 16, loop.b.placement);
        loop.length = lengths[i], loop.in_cluster = in_cluster[i], loop.kept = kept[i];
    }
    return loops;
}

}  // namespace tarsus
