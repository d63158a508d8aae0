// The Python module tarsus._core: the class Model with the algorithms as its methods.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bindings/call.hpp"
#include "bindings/methods.hpp"

namespace nb = nanobind;
using namespace tarsus;

namespace {

template <class T, int N>
using Array = nb::ndarray<const T, nb::ndim<N>, nb::c_contig, nb::device::cpu>;

Kind kind_named(const std::string& name) {
    std::string valid;
    for (int k = 0; k < kKinds; ++k) {
        if (name == kKindInfo[k].name) return Kind(k);
        valid += (k ? ", " : "") + std::string(kKindInfo[k].name);
    }
    throw std::invalid_argument("no joint kind is named '" + name + "'; kinds: " + valid);
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

void make_model(CoreModel* self, const std::vector<int>& parents,
                const std::vector<std::string>& kinds, const Array<double, 3>& placements,
                const Array<double, 3>& axes, const Array<double, 1>& pitches,
                const Array<double, 1>& masses, const Array<double, 2>& coms,
                const Array<double, 3>& inertias, const Array<double, 1>& gravity,
                const Array<double, 1>& armature, const Array<double, 1>& damping,
                const Array<double, 1>& friction, const Array<double, 1>& stiffness,
                const Array<double, 1>& rest, const Array<double, 1>& lower,
                const Array<double, 1>& upper, const std::vector<std::string>& frame_names,
                const std::vector<int>& frame_bodies, const Array<double, 3>& frame_placements) {
    const size_t n = parents.size(), n_frames = frame_names.size();
    if (kinds.size() != n) throw std::invalid_argument("kinds and parents differ in length");
    if (frame_bodies.size() != n_frames) {
        throw std::invalid_argument("frame_bodies and frame_names differ in length");
    }
    const auto placement = read("placements", placements, {n, 4, 4});
    const auto axis = read("axes", axes, {n, 2, 3});
    const auto pitch = read("pitches", pitches, {n});
    const auto mass = read("masses", masses, {n});
    const auto com = read("coms", coms, {n, 3});
    const auto inertia = read("inertias", inertias, {n, 3, 3});
    const auto field = read("gravity", gravity, {3});
    const auto on_body = read("frame_placements", frame_placements, {n_frames, 4, 4});

    std::vector<LinkStatement> links(n);
    for (size_t i = 0; i < n; ++i) {
        LinkStatement& link = links[i];
        link.parent = parents[i], link.kind = kind_named(kinds[i]);
        link.pitch = pitch[i], link.mass = mass[i];
        std::copy_n(&placement[16 * i], 16, link.placement);
        std::copy_n(&axis[6 * i], 3, link.axis);
        std::copy_n(&axis[6 * i + 3], 3, link.second_axis);
        std::copy_n(&com[3 * i], 3, link.com);
        std::copy_n(&inertia[9 * i], 9, link.inertia);
    }
    std::vector<FrameStatement> frames(n_frames);
    for (size_t i = 0; i < n_frames; ++i) {
        frames[i].body = frame_bodies[i];
        std::copy_n(&on_body[16 * i], 16, frames[i].placement);
    }
    Tree tree = make_tree(links, frames, field.data());
    const size_t nq = tree.nq, nv = tree.nv;
    tree.armature = read("armature", armature, {nv});
    tree.damping = read("damping", damping, {nv});
    tree.friction = read("friction", friction, {nv});
    tree.stiffness = read("stiffness", stiffness, {nv});
    tree.rest = read("rest", rest, {nq});
    tree.lower = read("lower", lower, {nq}, false);
    tree.upper = read("upper", upper, {nq}, false);

    nb::dict index;
    for (size_t i = 0; i < n_frames; ++i) index[frame_names[i].c_str()] = int(i);
    new (self) CoreModel(std::move(tree), index.release().ptr());
}

PyType_Slot* model_slots() {
    static PyType_Slot slots[] = {{Py_tp_methods, method_table()}, {0, nullptr}};
    return slots;
}

}  // namespace

NB_MODULE(_core, m) {
    if (!import_numpy()) throw nb::python_error();
    nb::set_leak_warnings(false);  // models may live in caches until the interpreter ends
    kernels();

    nb::class_<CoreModel>(m, "Model", nb::type_slots(model_slots()))
        .def("__init__", &make_model, nb::kw_only(), nb::arg("parents"), nb::arg("kinds"),
             nb::arg("placements"), nb::arg("axes"), nb::arg("pitches"), nb::arg("masses"),
             nb::arg("coms"), nb::arg("inertias"), nb::arg("gravity"), nb::arg("armature"),
             nb::arg("damping"), nb::arg("friction"), nb::arg("stiffness"), nb::arg("rest"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("frame_names"), nb::arg("frame_bodies"),
             nb::arg("frame_placements"))
        .def_prop_ro(
            "nq", [](const CoreModel& self) { return self.tree.nq; },
            "Number of configuration coordinates.")
        .def_prop_ro(
            "nv", [](const CoreModel& self) { return self.tree.nv; },
            "Number of velocity coordinates.")
        .def_prop_ro(
            "n_bodies", [](const CoreModel& self) { return self.tree.n_bodies; },
            "Number of moving bodies.");

    m.def(
        "joint_kinds",
        [] {
            nb::dict kinds;
            for (const KindInfo& kind : kKindInfo)
                kinds[kind.name] = nb::make_tuple(kind.nq, kind.nv);
            return kinds;
        },
        "Joint kinds with their numbers of configuration and velocity coordinates.");
    m.def(
        "axis_rotation",
        [](const Array<double, 1>& axis) {
            double* r = new double[9];
            nb::capsule owner(r, [](void* p) noexcept { delete[] static_cast<double*>(p); });
            axis_rotation(read("axis", axis, {3}).data(), r);
            return nb::ndarray<nb::numpy, double, nb::shape<3, 3>>(r, {3, 3}, owner);
        },
        nb::arg("axis"), "The rotation (3, 3) that takes z to the axis of a joint.");
    m.def(
        "instruction_set", [] { return kernels().instruction_set; },
        "The instruction set that the kernels use.");
    m.def("instruction_sets", &usable_instruction_sets,
          "The instruction sets that this processor runs; TARSUS_INSTRUCTION_SET chooses one.");
    m.def("_describe_algorithms", &describe_algorithms);
}
