// How parts are stated, one more or one less at a time, and where their numbers are.
#include "bindings/parts.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "bindings/algorithms.hpp"
#include "bindings/world_calls.hpp"

namespace tarsus {

namespace {

const Part& part_at(const CoreParts& self, int index) {
    if (index < 0 || index >= int(self.parts.list.size()))
        throw std::invalid_argument("there is no part " + std::to_string(index));
    return self.parts.list[index];
}

void make(CoreParts* self, nb::object model) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const Tree& tree = nb::cast<const CoreModel&>(model).tree;
    new (self) CoreParts{{}, &tree, std::move(model)};
}

using Words = std::vector<std::string>;
using Indices = std::vector<int>;
using Doubles = std::vector<double>;

CoreParts added(const CoreParts& self, const std::string& coordinates, const std::string& law,
                int body_a, int body_b, const Doubles& placement_a, const Doubles& placement_b,
                const Words& rows, const Indices& axes, const Indices& joints,
                const Doubles& ratios, const Doubles& path, bool closed) {
    const PartStatement statement{coordinates, law,  body_a, body_b, placement_a, placement_b,
                                  rows,        axes, joints, ratios, path,        closed};
    return {with_part(*self.tree, self.parts, statement), self.tree, self.model};
}

// where each number of a part is, by its name: on, target, and those of its law
nb::dict numbers_of(const CoreParts& self, int index) {
    const Part& part = part_at(self, index);
    nb::dict found;
    const auto note = [&](const std::string& name, int at) {
        const nb::str key(name.c_str());
        if (!found.contains(key)) found[key] = nb::make_tuple(at, 0);
        const nb::tuple before = nb::cast<nb::tuple>(found[key]);
        found[key] = nb::make_tuple(before[0], nb::cast<int>(before[1]) + 1);
    };
    int at = part.numbers;
    note("on", at++);
    for (int k = 0; k < part.n_target(); ++k) note("target", at++);
    std::istringstream names(kPartLaws[int(part.law)].numbers);
    for (std::string name; names >> name;) note(name, at++);
    return found;
}

}  // namespace

const Parts& parts_of(const World& world, PyObject* given) {
    if (!nb::isinstance<CoreParts>(nb::handle(given))) throw WrongType("parts must be Parts");
    const CoreParts& parts = nb::cast<const CoreParts&>(nb::handle(given));
    if (parts.tree != world.tree)
        throw std::invalid_argument("parts are of another model than the world");
    return parts.parts;
}

void check_part_arrays(const Parts& parts, const Numbers& numbers, const Numbers& memory,
                       size_t states) {
    check_shape("part_numbers", numbers.shape[0], numbers.shape[1], states, parts.n_numbers, true);
    check_shape("part_memory", memory.shape[0], memory.shape[1], states, parts.n_memory, false);
    for (size_t k = 0; k < numbers.size; ++k) {
        if (std::isnan(numbers.data[k]))
            throw std::invalid_argument("part_numbers must be numbers, element " +
                                        std::to_string(k) + " is not");
    }
    check_finite("part_memory", memory.data, memory.size);
}

void bind_parts(nb::module_& m) {
    nb::class_<CoreParts>(m, "Parts", "What acts on a model beside its tree, by numbers.")
        .def("__init__", &make, nb::arg("model").none())
        .def("added", &added, nb::arg("coordinates"), nb::arg("law"), nb::arg("body_a"),
             nb::arg("body_b"), nb::arg("placement_a"), nb::arg("placement_b"), nb::arg("rows"),
             nb::arg("axes"), nb::arg("joints"), nb::arg("ratios"), nb::arg("path"),
             nb::arg("closed"), "These parts and one more.")
        .def(
            "without",
            [](const CoreParts& self, int index) {
                return CoreParts{without_part(self.parts, index), self.tree, self.model};
            },
            nb::arg("index"), "These parts without one.")
        .def("__len__", [](const CoreParts& self) { return self.parts.list.size(); })
        .def("numbers", &numbers_of, nb::arg("index"),
             "Where the numbers of a part are in a row of them, by name: (first, how many).")
        .def(
            "memory", [](const CoreParts& self, int index) { return part_at(self, index).memory; },
            nb::arg("index"), "Where the memory of a part starts.")
        .def(
            "n_rows", [](const CoreParts& self, int index) { return part_at(self, index).n_rows; },
            nb::arg("index"), "How many coordinates of a part there are.")
        .def_prop_ro(
            "number_size", [](const CoreParts& self) { return self.parts.n_numbers; },
            "Numbers of all parts in a state.")
        .def_prop_ro(
            "memory_size", [](const CoreParts& self) { return self.parts.n_memory; },
            "Numbers that a state keeps of all parts.")
        .def_prop_ro(
            "record_size", [](const CoreParts& self) { return self.parts.record_size(); },
            "Numbers in a record of all parts.");
    m.attr("PART_MEMORY") = nb::dict();
    nb::dict memory = nb::cast<nb::dict>(m.attr("PART_MEMORY"));
    memory["impulse"] = int(Part::kImpulse), memory["value"] = int(Part::kValue);
    memory["rate"] = int(Part::kRate), memory["push"] = int(Part::kPush);
    memory["missed"] = int(Part::kMissed), memory["worst"] = int(Part::kWorst);
    memory["work"] = int(Part::kWork);
    memory["age"] = int(Part::kAge), memory["own"] = int(Part::kOwn),
    memory["size"] = int(Part::kMemory);
}

}  // namespace tarsus
