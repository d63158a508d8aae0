#include "bindings/methods.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <utility>

#include "bindings/call.hpp"

namespace nb = nanobind;

namespace tarsus {

namespace {

template <int index>
PyObject* method(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    if (!nb::inst_ready(self)) {
        return PyErr_Format(PyExc_TypeError, "the model was not initialised");
    }
    return call_algorithm(index, *nb::inst_ptr<CoreModel>(self), args, nargs, names);
}

using Method = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

constexpr int kMostAlgorithms = 64;

template <int... index>
constexpr auto method_pointers(std::integer_sequence<int, index...>) {
    return std::array<Method, sizeof...(index)>{method<index>...};
}

// the default value of a parameter, empty if it has none
std::string default_of(const Algorithm& algorithm, const Parameters& p, int slot) {
    if (slot < p.required || slot == p.frame || slot == p.prescribed) return "";
    if (slot == p.choice) return "'" + std::string(algorithm.choice->words[0]) + "'";
    if (slot == p.threads) return "1";
    return "None";
}

// the shape of what an algorithm returns, or "Name(first, second), each (…, nv)" for several arrays
std::string output_name(const Algorithm& algorithm) {
    const std::string shape = shape_name(algorithm.output);
    if (!algorithm.named) return shape;
    std::string text;
    for (const char* field : algorithm.named->fields)
        text += (text.empty() ? "" : ", ") + std::string(field);
    return algorithm.named->name + ("(" + text) + "), each " + shape;
}

std::string documentation(const Algorithm& algorithm, const std::string& name) {
    const Parameters p = parameters(algorithm);
    std::string text = name + "($self";
    for (int slot = 0; slot < int(p.names.size()); ++slot) {
        if (slot == p.by_name) text += ", *";
        text += ", " + std::string(p.names[slot]);
        const std::string value = default_of(algorithm, p, slot);
        if (!value.empty()) text += "=" + value;
    }
    text += ")\n--\n\n" + std::string(algorithm.summary) + "\n";
    for (const Input& input : algorithm.inputs) {
        text += "\n" + std::string(input.name) + ": " + shape_name(input.shape);
        if (input.shape == Shape::wrenches)
            text += ", wrenches [N, N·m] on the bodies, in body frames at their origins";
    }
    if (algorithm.of_frame) text += "\nframe: name of a frame";
    if (algorithm.choice) {
        text += "\n" + std::string(algorithm.choice->name) + ": one of";
        for (const char* word : algorithm.choice->words) text += " '" + std::string(word) + "'";
    }
    if (algorithm.prescribes) {
        text += "\nprescribed: names of joints, or a mask (nv,) of bool, the same for all states";
    }
    return text + "\nthreads: for batches\nout: " + (algorithm.named ? "arrays" : "array") +
           " for the result\n\nReturns " + output_name(algorithm) + ".";
}

const std::pair<const char*, const char*> kAliases[] = {
    {"rnea", "inverse_dynamics"}, {"aba", "forward_dynamics"}, {"crba", "mass_matrix"}};

}  // namespace

PyMethodDef* method_table() {
    static std::deque<std::string> texts;
    static std::vector<PyMethodDef> table;
    static const auto pointers =
        method_pointers(std::make_integer_sequence<int, kMostAlgorithms>{});
    if (!table.empty()) return table.data();
    const int count = int(algorithms().size());
    if (count > kMostAlgorithms) throw std::logic_error("kMostAlgorithms is too small");
    const auto add = [&](const char* name, int index) {
        texts.push_back(documentation(algorithms()[index], name));
        table.push_back(
            {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(pointers[index])),
             METH_FASTCALL | METH_KEYWORDS, texts.back().c_str()});
    };
    for (int k = 0; k < count; ++k) add(algorithms()[k].name, k);
    for (const auto& [alias, name] : kAliases) {
        for (int k = 0; k < count; ++k) {
            if (std::string(algorithms()[k].name) == name) add(alias, k);
        }
    }
    table.push_back({nullptr, nullptr, 0, nullptr});
    return table.data();
}

nb::list describe_algorithms() {
    nb::list list;
    for (PyMethodDef* entry = method_table(); entry->ml_name; ++entry) {
        for (const Algorithm& algorithm : algorithms()) {
            std::string target = entry->ml_name;
            for (const auto& [alias, name] : kAliases) {
                if (target == alias) target = name;
            }
            if (target != algorithm.name) continue;
            const Parameters p = parameters(algorithm);
            nb::list arguments;
            for (int slot = 0; slot < int(p.names.size()); ++slot) {
                const std::string value = default_of(algorithm, p, slot);
                const nb::object given = value.empty() ? nb::none() : nb::object(nb::cast(value));
                arguments.append(nb::make_tuple(p.names[slot], given));
            }
            list.append(nb::make_tuple(entry->ml_name, arguments, output_name(algorithm),
                                       algorithm.summary));
        }
    }
    return list;
}

}  // namespace tarsus
