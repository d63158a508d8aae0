// The class World of tarsus._core: how it is made from arrays, and its methods.
#include "bindings/world.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>

#include "bindings/statements.hpp"
#include "bindings/world_calls.hpp"

namespace tarsus {

namespace {

using Numbers = std::map<std::string, double>;

LawNumbers law_numbers(const Numbers& given) {
    LawNumbers numbers;
    for (const auto& [name, value] : given) {
        if (!std::isfinite(value) || value < 0) {
            throw std::invalid_argument("law_numbers['" + name +
                                        "'] must be finite and not negative");
        }
        if (name == "iterations") numbers.iterations = int(std::min(value, 1e9));
        else if (name == "tolerance") numbers.tolerance = value;
        else if (name == "ahead") numbers.ahead = value != 0;
        else if (name == "newton") numbers.newton = value != 0;
        else if (name == "facets") numbers.facets = int(std::min(std::max(value, -1.0), 1e3));
        else if (name == "stiffness") numbers.stiffness = value;
        else if (name == "damping") numbers.damping = value;
        else if (name == "tangential_stiffness") numbers.tangential_stiffness = value;
        else if (name == "tangential_damping") numbers.tangential_damping = value;
        else if (name == "hunt_crossley") numbers.hunt_crossley = value != 0;
        else
            throw std::invalid_argument(
                "law_numbers has no '" + name +
                "'; names: iterations, tolerance, ahead, newton, facets, "
                "stiffness, damping, tangential_stiffness, tangential_damping, hunt_crossley");
    }
    return numbers;
}

using Flat = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

std::vector<double> numbers_of(const char* name, const Flat& array, bool finite = true) {
    std::vector<double> copy(array.data(), array.data() + array.size());
    for (double x : copy) {
        if (std::isnan(x) || (finite && std::isinf(x))) {
            throw std::invalid_argument(std::string(name) + " must be finite");
        }
    }
    return copy;
}

void make(CoreWorld* self, nb::object model, double dt, const std::string& law, bool explicit_euler,
          const std::vector<int>& point_body, const Flat& point_position, const Flat& point_radius,
          const std::vector<int>& ring_body, const Flat& ring_position, const Flat& ring_axis,
          const Flat& ring_radius, const std::vector<int>& solid_body,
          const std::vector<std::string>& solid_kind, const Flat& solid_placement,
          const Flat& solid_size, const std::vector<std::vector<int>>& pairs,
          const std::string& ground_kind, const Flat& ground_numbers, int max_contacts,
          const Numbers& numbers, bool joint_friction, bool joint_limits, const Flat& stiction,
          const std::string& controller, int control_steps, const Flat& effort,
          double torsional_friction, double rolling_friction, double limit_restitution,
          bool strict) {
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    WorldStatement s;
    s.dt = dt, s.law = law, s.controller = controller, s.ground_kind = ground_kind;
    s.explicit_euler = explicit_euler, s.joint_friction = joint_friction;
    s.joint_limits = joint_limits, s.max_contacts = max_contacts, s.control_steps = control_steps;
    s.point_body = point_body, s.ring_body = ring_body, s.solid_body = solid_body;
    s.solid_kind = solid_kind;
    for (const auto& pair : pairs) {
        if (pair.size() != 2) throw std::invalid_argument("pairs must have two columns");
        s.pairs.insert(s.pairs.end(), pair.begin(), pair.end());
    }
    s.point_position = numbers_of("point_position", point_position);
    s.point_radius = numbers_of("point_radius", point_radius);
    s.ring_position = numbers_of("ring_position", ring_position);
    s.ring_axis = numbers_of("ring_axis", ring_axis);
    s.ring_radius = numbers_of("ring_radius", ring_radius);
    s.solid_placement = numbers_of("solid_placement", solid_placement);
    s.solid_size = numbers_of("solid_size", solid_size);
    s.ground_numbers = numbers_of("ground_numbers", ground_numbers);
    s.stiction = numbers_of("stiction", stiction);
    s.effort = numbers_of("effort", effort, false);
    s.numbers = law_numbers(numbers);
    s.extras = {torsional_friction, rolling_friction};
    s.limit_restitution = limit_restitution, s.strict = strict;
    new (self) CoreWorld{make_world(core.tree, s), std::move(model)};
}

}  // namespace

void bind_world(nb::module_& m) {
    nb::class_<CoreWorld>(m, "World", "A model in a world that it touches, ready to be stepped.")
        .def("__init__", &make, nb::arg("model"), nb::kw_only(), nb::arg("dt"),
             nb::arg("law") = "exact", nb::arg("explicit") = false, nb::arg("point_body"),
             nb::arg("point_position"), nb::arg("point_radius"), nb::arg("ring_body"),
             nb::arg("ring_position"), nb::arg("ring_axis"), nb::arg("ring_radius"),
             nb::arg("solid_body"), nb::arg("solid_kind"), nb::arg("solid_placement"),
             nb::arg("solid_size"), nb::arg("pairs"), nb::arg("ground_kind"),
             nb::arg("ground_numbers"), nb::arg("max_contacts"), nb::arg("law_numbers"),
             nb::arg("joint_friction") = true, nb::arg("joint_limits") = true, nb::arg("stiction"),
             nb::arg("controller") = "torque", nb::arg("control_steps") = 1, nb::arg("effort"),
             nb::arg("torsional_friction") = 0.0, nb::arg("rolling_friction") = 0.0,
             nb::arg("limit_restitution") = 0.0, nb::arg("strict") = false)
        .def_prop_ro(
            "n_candidates", [](const CoreWorld& w) { return w.world.n_candidates(); },
            "Number of places that may touch.")
        .def_prop_ro(
            "memory_size", [](const CoreWorld& w) { return w.world.memory_size(); },
            "Numbers that a state keeps between calls.")
        .def_prop_ro(
            "parameter_size", [](const CoreWorld& w) { return w.world.parameter_size(); },
            "Numbers in a row of parameters.")
        .def_prop_ro(
            "energy_size", [](const CoreWorld& w) { return w.world.energy_size(); },
            "Numbers in a row of the ledger.")
        .def_prop_ro(
            "command_size", [](const CoreWorld& w) { return w.world.command_size(); },
            "Numbers in a row of commands.")
        .def_prop_ro(
            "max_contacts", [](const CoreWorld& w) { return w.world.max_contacts; },
            "The most contacts that one state may have at once.")
        .def_prop_ro(
            "unsolved", [](const CoreWorld& w) { return w.world.unsolved(); },
            "Where memory counts steps that were not solved; the worst residual comes after it.")
        .def(
            "advance", &advance, nb::arg("q").noconvert(), nb::arg("v").noconvert(),
            nb::arg("memory").noconvert(), nb::arg("parameters"), nb::arg("commands"),
            nb::kw_only(), nb::arg("hold") = 1, nb::arg("first_step") = 0, nb::arg("steps"),
            nb::arg("every") = 1, nb::arg("threads") = 1, nb::arg("ledger") = false,
            nb::arg("record") = nb::none(), nb::rv_policy::automatic,
            "Take steps, changing q (B, nq), v (B, nv) and memory in place; returns status (B, 3).")
        .def("energies", &energies, nb::arg("q"), nb::arg("v"), nb::arg("memory"),
             nb::arg("parameters"), nb::rv_policy::automatic,
             "The ledger's row (B, energy_size) of states.")
        .def("contacts", &contacts, nb::arg("q"), nb::rv_policy::automatic,
             "Gap, point and normal (B, n_candidates, 7) of every candidate.")
        .def("operator", &contact_operator, nb::arg("q"), nb::arg("candidates"),
             nb::arg("mass_scale") = std::vector<double>(), nb::arg("rows") = true,
             "J H⁻¹ Jᵀ (B, 3m, 3m) and J (B, 3m, nv) of candidates: normal and two tangents each; "
             "without rows, J is None.");
    m.def("solve_lcp", &solve_lcp_of, nb::arg("A"), nb::arg("b"), nb::rv_policy::automatic,
          "Solve 0 ≤ u ⊥ A u + b ≥ 0 by Lemke's method; returns u (n,).");
}

}  // namespace tarsus
