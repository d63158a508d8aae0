// The class World of tarsus._core: how it is made from arrays, and its methods.
#include "bindings/world.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <set>
#include <stdexcept>

#include "bindings/world_calls.hpp"

namespace tarsus {

namespace {

using LawMap = std::map<std::string, double>;

LawNumbers law_numbers(const LawMap& given) {
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

// The arguments by their names, whatever they are: what does not fit is told by name, too.
class Statements {
   public:
    explicit Statements(const nb::kwargs& given) : given_(given) {}

    template <class T>
    T read(const char* name, const char* kind) {
        T found;
        const nb::handle value = find(name);
        if (!value.is_valid()) throw WrongType("World() needs '" + std::string(name) + "'");
        if (nb::try_cast<T>(value, found)) return found;
        const nb::str text = nb::repr(value);
        throw WrongType(std::string(name) + " must be " + kind + ", got " + text.c_str());
    }
    template <class T>
    T read(const char* name, const char* kind, const T& absent) {
        return given_.contains(name) ? read<T>(name, kind) : absent;
    }
    std::vector<double> numbers(const char* name, bool finite = true) {
        return copied_array(name, read<nb::object>(name, "an array").ptr(), finite);
    }
    std::vector<double> numbers_if_any(const char* name) {
        return given_.contains(name) ? numbers(name) : std::vector<double>();
    }
    void refuse_others() const {
        for (const auto& [name, value] : given_) {
            if (seen_.count(nb::cast<std::string>(name))) continue;
            throw WrongType("World() has no argument '" + nb::cast<std::string>(name) + "'");
        }
    }

   private:
    nb::handle find(const char* name) {
        seen_.insert(name);
        return given_.contains(name) ? nb::handle(given_[name]) : nb::handle();
    }

    const nb::kwargs& given_;
    std::set<std::string> seen_;
};

void make(CoreWorld* self, nb::object model, const nb::kwargs& given) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    using Indices = std::vector<int>;
    using Words = std::vector<std::string>;
    constexpr const char *kNumber = "a number", *kWord = "a word", *kYesOrNo = "True or False",
                         *kInteger = "an integer below 2**31", *kIntegers = "integers",
                         *kWords = "words";
    Statements of(given);
    WorldStatement s;
    s.dt = of.read<double>("dt", kNumber);
    s.law = of.read<std::string>("law", kWord, "exact");
    s.explicit_euler = of.read<bool>("explicit", kYesOrNo, false);
    s.point_body = of.read<Indices>("point_body", kIntegers);
    s.point_position = of.numbers("point_position");
    s.point_radius = of.numbers("point_radius");
    s.ring_body = of.read<Indices>("ring_body", kIntegers);
    s.ring_position = of.numbers("ring_position");
    s.ring_axis = of.numbers("ring_axis");
    s.ring_radius = of.numbers("ring_radius");
    s.ring_tube = of.numbers_if_any("ring_tube");
    s.ellipsoid_body = of.read<Indices>("ellipsoid_body", kIntegers, {});
    s.ellipsoid_placement = of.numbers_if_any("ellipsoid_placement");
    s.ellipsoid_size = of.numbers_if_any("ellipsoid_size");
    s.solid_body = of.read<Indices>("solid_body", kIntegers);
    s.solid_kind = of.read<Words>("solid_kind", kWords);
    s.solid_placement = of.numbers("solid_placement");
    s.solid_size = of.numbers("solid_size");
    s.hull_counts = of.read<Indices>("hull_counts", kIntegers, {});
    s.hull_corners = of.numbers_if_any("hull_corners");
    s.hull_faces = of.read<std::vector<std::vector<Indices>>>("hull_faces", "loops of faces", {});
    for (const Indices& pair : of.read<std::vector<Indices>>("pairs", "pairs of integers")) {
        if (pair.size() != 2) throw std::invalid_argument("pairs must have two columns");
        s.pairs.insert(s.pairs.end(), pair.begin(), pair.end());
    }
    s.ground_kind = of.read<std::string>("ground_kind", kWord);
    s.ground_numbers = of.numbers("ground_numbers");
    s.max_contacts = of.read<int>("max_contacts", kInteger);
    s.numbers = law_numbers(of.read<LawMap>("law_numbers", "numbers by their names"));
    s.joint_friction = of.read<bool>("joint_friction", kYesOrNo, true);
    s.joint_limits = of.read<bool>("joint_limits", kYesOrNo, true);
    s.stiction = of.numbers("stiction");
    s.controller = of.read<std::string>("controller", kWord, "torque");
    s.control_steps = of.read<int>("control_steps", kInteger, 1);
    s.effort = of.numbers("effort", false);
    s.extras = {of.read<double>("torsional_friction", kNumber, 0.0),
                of.read<double>("rolling_friction", kNumber, 0.0)};
    s.limit_restitution = of.read<double>("limit_restitution", kNumber, 0.0);
    s.strict = of.read<bool>("strict", kYesOrNo, false);
    s.candidate_friction = of.numbers_if_any("candidate_friction");
    s.candidate_restitution = of.numbers_if_any("candidate_restitution");
    s.candidate_extras = of.numbers_if_any("candidate_extras");
    s.candidate_springs = of.numbers_if_any("candidate_springs");
    of.refuse_others();
    const Tree& tree = nb::cast<const CoreModel&>(model).tree;
    new (self) CoreWorld{make_world(tree, s), std::move(model)};
}

PyType_Slot* world_slots() {
    static PyType_Slot slots[] = {{Py_tp_methods, world_methods()}, {0, nullptr}};
    return slots;
}

}  // namespace

void bind_world(nb::module_& m) {
    nb::class_<CoreWorld>(m, "World", nb::type_slots(world_slots()),
                          "A model in a world that it touches, ready to be stepped.")
        .def("__init__", &make, nb::arg("model").none(), nb::arg("statements"))
        .def_prop_ro(
            "limit_velocities",
            [](const CoreWorld& self) {
                std::vector<int> found;
                for (const Limit& limit : self.world.limits) found.push_back(limit.w);
                return found;
            },
            "The joint velocity of each limit, among those of all joints.")
        .def_prop_ro(
            "friction_velocities",
            [](const CoreWorld& self) {
                std::vector<int> found;
                for (const DryFriction& dry : self.world.friction) found.push_back(dry.w);
                return found;
            },
            "The joint velocity of each dry friction.")
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
            "springs",
            [](const CoreWorld& self) {
                std::vector<std::vector<double>> found;
                for (const ContactSpring& own : self.world.candidate_springs) {
                    found.push_back({own.stiffness, own.damping, own.tangential_stiffness,
                                     own.tangential_damping});
                }
                return found;
            },
            "Stiffness and damping of each candidate, normal and tangential, if they have own "
            "ones.")
        .def_prop_ro(
            "max_contacts", [](const CoreWorld& w) { return w.world.max_contacts; },
            "The most contacts that one state may have at once.")
        .def_prop_ro(
            "unsolved", [](const CoreWorld& w) { return w.world.unsolved(); },
            "Where memory counts steps that were not solved; the worst residual comes after it.")
        .def_prop_ro(
            "failed", [](const CoreWorld& w) { return w.world.failed(); },
            "Where memory tells why a state stands still; 0: it moves.")
        .def("contacts", &contacts, nb::arg("q").none(), nb::rv_policy::automatic,
             "Gap, point and normal (B, n_candidates, 7) of every candidate.")
        .def("operator", &contact_operator, nb::arg("q").none(), nb::arg("candidates"),
             nb::arg("mass_scale") = std::vector<double>(), nb::arg("rows") = true,
             "J H⁻¹ Jᵀ (B, 3m, 3m) and J (B, 3m, nv) of candidates: normal and two tangents each; "
             "without rows, J is None.");
    m.def("solve_lcp", &solve_lcp_of, nb::arg("A").none(), nb::arg("b").none(),
          nb::rv_policy::automatic, "Solve 0 ≤ u ⊥ A u + b ≥ 0 by Lemke's method; returns u (n,).");
}

}  // namespace tarsus
