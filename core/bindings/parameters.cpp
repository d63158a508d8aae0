#include "bindings/parameters.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace tarsus {

namespace {

std::vector<int> indices(nb::handle given, int size, int end, bool some) {
    const auto found = nb::cast<std::vector<int>>(given);
    if (int(found.size()) != size) throw std::invalid_argument("a wide tree does not fit its own");
    for (int k : found) {
        if (k >= end || k < (some ? -1 : 0))
            throw std::invalid_argument("an index of a wide tree is out of range");
    }
    return found;
}

ParameterTerm term_of(const Tree& tree, nb::handle given, int parameters) {
    const auto [kind, parameter, index, numbers] =
        nb::cast<std::tuple<int, int, int, std::vector<double>>>(given);
    ParameterTerm term{ParameterTerm::Kind(kind), parameter, index, {}};
    using Kind = ParameterTerm::Kind;
    const int end = term.kind == Kind::length    ? tree.nv
                    : term.kind == Kind::inertia ? tree.n_bodies
                    : term.kind == Kind::gravity ? 1
                                                 : tree.joint_nv;
    if (kind < 0 || kind > int(Kind::friction) || parameter < 0 || parameter >= parameters ||
        index < 0 || index >= end || numbers.size() > std::size(term.numbers))
        throw std::invalid_argument("a term of a parameter is out of range");
    std::copy(numbers.begin(), numbers.end(), term.numbers);
    return term;
}

}  // namespace

std::vector<int> ways_of(const Tree& tree, nb::handle given) {
    const auto ways = nb::cast<std::vector<int>>(given);
    if (int(ways.size()) != tree.joint_nv)
        throw std::invalid_argument("there must be a way for each velocity of the joints");
    return ways;
}

Wide wide_of(const Tree& tree, nb::handle given) {
    Wide wide;
    if (given.is_none()) return wide;
    const nb::tuple t = nb::cast<nb::tuple>(given);
    if (!nb::isinstance<CoreModel>(t[0])) throw WrongType("a wide model must be a Model");
    const Tree& broad = nb::cast<const CoreModel&>(t[0]).tree;
    wide.tree = &broad;
    wide.q = indices(t[1], broad.nq, tree.nq, true);
    wide.v = indices(t[2], broad.nv, tree.nv, true);
    wide.own = indices(t[3], tree.nv, broad.nv, false);
    if (!t[4].is_none()) {
        wide.parts = smooth_parts(broad, t[4]);
        wide.part_numbers = part_row(wide.parts, t[5]);
    }
    wide.columns = nb::cast<int>(t[7]), wide.parameters = nb::cast<int>(t[8]);
    if (wide.parameters < 0 || wide.columns < wide.parameters ||
        broad.n_constraint_rows != tree.n_constraint_rows || broad.table_size > 0)
        throw std::invalid_argument("a wide tree does not fit its own");
    wide.ways = ways_of(broad, t[9]);
    for (nb::handle each : nb::cast<nb::list>(t[6]))
        wide.terms.push_back(term_of(broad, each, wide.parameters));
    return wide;
}

}  // namespace tarsus
