// The Python module tarsus._core: the class Model with the algorithms as its methods.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bindings/arguments.hpp"
#include "bindings/blocks.hpp"
#include "bindings/call.hpp"
#include "bindings/compliant.hpp"
#include "bindings/distances.hpp"
#include "bindings/flow.hpp"
#include "bindings/guard_checks.hpp"
#include "bindings/kinematics.hpp"
#include "bindings/methods.hpp"
#include "bindings/motion.hpp"
#include "bindings/parts.hpp"
#include "bindings/programme.hpp"
#include "bindings/statements.hpp"
#include "bindings/whole_body.hpp"
#include "bindings/world.hpp"

namespace nb = nanobind;
using namespace tarsus;

namespace {

void make_model(
    CoreModel* self, const std::vector<int>& parents, const std::vector<std::string>& kinds,
    const Array<double, 3>& placements, const Array<double, 3>& axes,
    const Array<double, 1>& pitches, const Array<double, 1>& radii, const Array<double, 1>& tracks,
    const std::vector<std::vector<std::string>>& surface_kinds,
    const Array<double, 3>& surface_numbers, const Array<double, 1>& masses,
    const Array<double, 2>& coms, const Array<double, 3>& inertias, const Array<double, 1>& gravity,
    const Array<double, 1>& armature, const Array<double, 1>& damping,
    const Array<double, 1>& friction, const Array<double, 1>& stiffness,
    const Array<double, 1>& rest, const Array<double, 1>& lower, const Array<double, 1>& upper,
    const std::vector<std::string>& joint_names, const std::vector<std::string>& frame_names,
    const std::vector<int>& frame_bodies, const Array<double, 3>& frame_placements,
    const std::vector<int>& cluster_sizes, const std::vector<int>& roles,
    const std::vector<std::string>& coupling_kinds, const std::vector<std::string>& coupling_names,
    const std::vector<std::vector<int>>& coupling_leaders,
    const std::vector<std::vector<int>>& coupling_followers,
    const std::vector<std::vector<double>>& coupling_numbers, nb::object functions,
    const std::vector<std::string>& loop_kinds, const std::vector<std::string>& loop_names,
    const std::vector<std::vector<int>>& loop_bodies, const Array<double, 4>& loop_placements,
    const std::vector<double>& loop_lengths, const std::vector<bool>& loop_in_cluster,
    const std::vector<std::vector<bool>>& loop_rows_kept, const Array<double, 1>& neutral) {
    const size_t n = parents.size(), n_frames = frame_names.size();
    if (kinds.size() != n) throw std::invalid_argument("kinds and parents differ in length");
    if (joint_names.size() != n) {
        throw std::invalid_argument("joint_names and parents differ in length");
    }
    if (frame_bodies.size() != n_frames) {
        throw std::invalid_argument("frame_bodies and frame_names differ in length");
    }
    const auto placement = read("placements", placements, {n, 4, 4});
    const auto axis = read("axes", axes, {n, 2, 3});
    const auto pitch = read("pitches", pitches, {n});
    const auto radius = read("radii", radii, {n});
    const auto track = read("tracks", tracks, {n});
    const auto surfaces = read_surfaces(surface_kinds, surface_numbers, n);
    const auto mass = read("masses", masses, {n});
    const auto com = read("coms", coms, {n, 3});
    const auto inertia = read("inertias", inertias, {n, 3, 3});
    const auto field = read("gravity", gravity, {3});
    const auto on_body = read("frame_placements", frame_placements, {n_frames, 4, 4});

    std::vector<LinkStatement> links(n);
    for (size_t i = 0; i < n; ++i) {
        LinkStatement& link = links[i];
        link.parent = parents[i], link.kind = kind_named(kinds[i]);
        link.pitch = pitch[i], link.radius = radius[i], link.track = track[i], link.mass = mass[i];
        link.surface = surfaces[2 * i], link.ground = surfaces[2 * i + 1];
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
    const ClusterStatements clusters{
        cluster_sizes, read_roles(roles),
        read_couplings(coupling_kinds, coupling_leaders, coupling_followers, coupling_numbers),
        read_loops(loop_kinds, loop_names, loop_bodies, loop_placements, loop_lengths,
                   loop_in_cluster, loop_rows_kept)};
    Tree tree = make_tree(links, frames, clusters, field.data());
    const size_t nq = tree.joint_nq, nv = tree.joint_nv;
    tree.armature = read("armature", armature, {nv});
    tree.damping = read("damping", damping, {nv});
    tree.friction = read("friction", friction, {nv});
    tree.stiffness = read("stiffness", stiffness, {nv});
    tree.rest = read("rest", rest, {nq});
    tree.lower = read("lower", lower, {nq}, false);
    tree.upper = read("upper", upper, {nq}, false);
    if (!functions.is_none() && !PyCallable_Check(functions.ptr())) {
        throw std::invalid_argument("functions must be callable");
    }
    weigh_gears(tree);
    tree.coupling_names = coupling_names;
    if (coupling_names.size() != coupling_kinds.size()) {
        throw std::invalid_argument("coupling_names and coupling_kinds differ in length");
    }
    tree.neutral = read("neutral", neutral, {size_t(tree.nq)});
    if ((tree.table_size > 0) != !functions.is_none()) {
        throw std::invalid_argument(
            "functions must be given for function couplings, and only then");
    }

    const auto numbered = [](const std::vector<std::string>& names) {
        nb::dict index;
        for (size_t i = 0; i < names.size(); ++i) index[names[i].c_str()] = int(i);
        return index.release().ptr();
    };
    new (self) CoreModel(std::move(tree), numbered(frame_names), numbered(joint_names),
                         functions.is_none() ? nullptr : functions.release().ptr());
}

PyType_Slot* model_slots() {
    static PyType_Slot slots[] = {{Py_tp_methods, method_table()}, {0, nullptr}};
    return slots;
}

// functions that nanobind calls throw what `guarded` ones do
void translate(const std::exception_ptr& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (const PythonError&) {
    } catch (const WrongType& error) {
        PyErr_SetString(PyExc_TypeError, error.what());
    }
}

}  // namespace

NB_MODULE(_core, m) {
    if (!import_numpy()) throw nb::python_error();
    nb::set_leak_warnings(false);  // models may live in caches until the interpreter ends
    nb::register_exception_translator(translate);
    kernels();

    nb::class_<CoreModel>(m, "Model", nb::type_slots(model_slots()))
        .def("__init__", &make_model, nb::kw_only(), nb::arg("parents"), nb::arg("kinds"),
             nb::arg("placements"), nb::arg("axes"), nb::arg("pitches"), nb::arg("radii"),
             nb::arg("tracks"), nb::arg("surface_kinds"), nb::arg("surface_numbers"),
             nb::arg("masses"), nb::arg("coms"), nb::arg("inertias"), nb::arg("gravity"),
             nb::arg("armature"), nb::arg("damping"), nb::arg("friction"), nb::arg("stiffness"),
             nb::arg("rest"), nb::arg("lower"), nb::arg("upper"), nb::arg("joint_names"),
             nb::arg("frame_names"), nb::arg("frame_bodies"), nb::arg("frame_placements"),
             nb::arg("cluster_sizes"), nb::arg("roles"), nb::arg("coupling_kinds"),
             nb::arg("coupling_names"), nb::arg("coupling_leaders"), nb::arg("coupling_followers"),
             nb::arg("coupling_numbers"), nb::arg("functions").none(), nb::arg("loop_kinds"),
             nb::arg("loop_names"), nb::arg("loop_bodies"), nb::arg("loop_placements"),
             nb::arg("loop_lengths"), nb::arg("loop_in_cluster"), nb::arg("loop_rows_kept"),
             nb::arg("neutral"))
        .def_prop_ro(
            "nq", [](const CoreModel& self) { return self.tree.nq; },
            "Number of configuration coordinates.")
        .def_prop_ro(
            "nv", [](const CoreModel& self) { return self.tree.nv; },
            "Number of velocity coordinates.")
        .def_prop_ro(
            "n_bodies", [](const CoreModel& self) { return self.tree.n_bodies; },
            "Number of moving bodies.")
        .def_prop_ro(
            "christoffel_indices",
            [](const CoreModel& self) {
                auto* indices = new std::vector<int>(symbol_indices(self.tree));
                nb::capsule owner(
                    indices, [](void* p) noexcept { delete static_cast<std::vector<int>*>(p); });
                return nb::ndarray<nb::numpy, int, nb::ndim<2>>(indices->data(),
                                                                {indices->size() / 3, 3}, owner);
            },
            nb::rv_policy::automatic,
            "i, j, k of each value of christoffel_symbols_packed (symbols, 3).");

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
        "surface_kinds",
        [] {
            nb::dict kinds;
            for (const SurfaceInfo& kind : kSurfaceInfo)
                kinds[kind.name] = nb::make_tuple(kind.numbers, kind.rolls, kind.ground);
            return kinds;
        },
        "Surfaces with their numbers of numbers, whether they roll and whether they are grounds.");
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
    m.def(
        "new_array",
        [](const std::vector<npy_intp>& shape) {
            for (npy_intp d : shape) {
                if (d < 0) throw std::invalid_argument("shape must not be negative");
            }
            if (shape.size() > 8) throw std::invalid_argument("shape has too many dimensions");
            PyObject* made = new_array(int(shape.size()), shape.data());
            if (!made) throw nb::python_error();
            return nb::steal(made);
        },
        nb::arg("shape"), "An array of float64 numbers that are not set, as results are made.");
    m.def(
        "block_bytes", [] { return nb::make_tuple(block_bytes().kept, block_bytes().most); },
        "Bytes that results have given back and that wait for others, and the most there may be.");
    m.def("free_blocks", &free_blocks, "Give memory that waits for results back to the system.");
    bind_parts(m);
    bind_world(m);
    bind_motion(m);
    bind_flow(m);
    bind_compliant(m);
    bind_hybrid(m);
    bind_contact_flow(m);
    bind_distances(m);
    bind_programme(m);
    bind_kinematics(m);
    bind_whole_body(m);
#ifdef TARSUS_SANITIZE
    bind_guard_checks(m);
#endif
    m.def("_describe_algorithms", &describe_algorithms);
}
