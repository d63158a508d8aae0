// The class World of tarsus._core: a simulated world, and the calls that advance states in it.
#include "bindings/world.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <stdexcept>

#include "bindings/records.hpp"
#include "bindings/statements.hpp"
#include "bindings/thread_pool.hpp"
#include "bindings/work_memory.hpp"
#include "contact/lcp.hpp"
#include "contact/world.hpp"

namespace tarsus {

namespace {

using Matrix = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Given = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Result = nb::ndarray<nb::numpy, double>;
using Numbers = std::map<std::string, double>;

struct CoreWorld {
    World world;
    nb::object model;  // keeps the tree alive
};

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
        else if (name == "block") numbers.block = value != 0;
        else if (name == "facets") numbers.facets = int(std::min(std::max(value, -1.0), 1e3));
        else if (name == "stiffness") numbers.stiffness = value;
        else if (name == "damping") numbers.damping = value;
        else if (name == "tangential_stiffness") numbers.tangential_stiffness = value;
        else if (name == "tangential_damping") numbers.tangential_damping = value;
        else if (name == "hunt_crossley") numbers.hunt_crossley = value != 0;
        else
            throw std::invalid_argument(
                "law_numbers has no '" + name +
                "'; names: iterations, tolerance, ahead, block, facets, "
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
          const std::string& controller, int control_steps, const Flat& effort) {
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
    new (self) CoreWorld{make_world(core.tree, s), std::move(model)};
}

void check(const char* name, size_t rows, size_t columns, size_t states, size_t width,
           bool or_one) {
    if (columns == width && (rows == states || (or_one && rows == 1))) return;
    throw std::invalid_argument(std::string(name) + " has shape (" + std::to_string(rows) + ", " +
                                std::to_string(columns) + "), expected (" + std::to_string(states) +
                                ", " + std::to_string(width) + ")");
}
// what cannot be: negative friction, bodies without mass
void check_parameters(const World& world, const Given& parameters) {
    const size_t width = world.parameter_size();
    for (size_t k = 0; k < parameters.size(); ++k) {
        const size_t column = k % width;
        const bool mass = column >= size_t(world.mass_scale());
        const double x = parameters.data()[k];
        if (!std::isfinite(x) || x < 0 || (mass && x == 0)) {
            throw std::invalid_argument("parameters[" + std::to_string(k / width) + ", " +
                                        std::to_string(column) + "] must be finite and " +
                                        (mass ? "positive" : "not negative"));
        }
    }
}
void check_finite(const char* name, const double* a, size_t size) {
    for (size_t k = 0; k < size; ++k) {
        if (!std::isfinite(a[k])) {
            throw std::invalid_argument(std::string(name) + " must be finite, element " +
                                        std::to_string(k) + " is not");
        }
    }
}

Result new_array(const std::vector<size_t>& shape, double** data) {
    size_t size = 1;
    for (size_t d : shape) size *= d;
    *data = new double[size]();
    nb::capsule owner(*data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return Result(*data, shape.size(), shape.data(), owner);
}

// the states of a call, with all sizes checked
Run states_of(
    const World& world, double* q, size_t states, double* v, double* memory,
    const Given& parameters,
    const nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>& commands) {
    Run run;
    run.states = long(states), run.q = q, run.v = v, run.memory = memory;
    check("parameters", parameters.shape(0), parameters.shape(1), states, world.parameter_size(),
          true);
    check_parameters(world, parameters);
    check_finite("q", q, states * world.tree->nq);
    check_finite("v", v, states * world.tree->nv);
    check_finite("memory", memory, states * world.memory_size());
    run.parameters = parameters.data();
    run.parameter_stride = parameters.shape(0) == 1 ? 0 : world.parameter_size();
    check("commands", commands.shape(0), commands.shape(2), states, world.command_size(), true);
    if (commands.shape(1) < 1) throw std::invalid_argument("commands has no rows");
    check_finite("commands", commands.data(), commands.size());
    run.commands = commands.data(), run.n_commands = long(commands.shape(1));
    run.command_stride =
        commands.shape(0) == 1 ? 0 : long(commands.shape(1)) * world.command_size();
    return run;
}

using Commands = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Threads take groups of lanes; one state alone takes the short way.
void advance_all(const World& world, const Run& run, int threads) {
    const StepKernel& kernel = *kernels().step;
    if (run.states == 1) {
        return kernel.one(world, run, 0, work_memory(kernel.bytes_one(world)));
    }
    const long lanes = kernels().lanes, groups = (run.states + lanes - 1) / lanes;
    const long workers = std::max(1L, std::min<long>(threads, groups));
    const size_t bytes = (kernel.bytes_lanes(world) + 63) / 64 * 64;
    std::byte* memory = work_memory(bytes * workers);
    std::atomic<long> next{0};
    run_with_helpers(workers - 1, [&](long worker) {
        for (long k = next++; k < groups; k = next++) {
            kernel.lanes(world, run, k * lanes, std::min(run.states, (k + 1) * lanes),
                         memory + bytes * worker);
        }
    });
}

Result advance(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
               const Given& parameters, const Commands& commands, long hold, long first_step,
               long steps, long every, int threads, bool ledger, nb::object record) {
    const World& world = self.world;
    const size_t states = q.shape(0);
    check("q", q.shape(0), q.shape(1), states, world.tree->nq, false);
    check("v", v.shape(0), v.shape(1), states, world.tree->nv, false);
    check("memory", memory.shape(0), memory.shape(1), states, world.memory_size(), false);
    if (hold < 1 || every < 1 || steps < 0 || first_step < 0 || threads < 1 || threads > 1024) {
        throw std::invalid_argument(
            "hold, every and threads must be at least 1, steps and first_step at least 0");
    }
    Run run = states_of(world, q.data(), states, v.data(), memory.data(), parameters, commands);
    run.hold = hold, run.first_step = first_step, run.steps = steps, run.every = every;
    run.ledger = ledger;
    read_record(world, record, run);
    refuse_overlaps(world, run);
    double* status;
    Result result = new_array({states, size_t(kStatus)}, &status);
    run.status = status;
    for (size_t s = 0; s < states; ++s) {
        status[kStatus * s] = run.memory[s * world.memory_size() + world.failed()];
    }
    if (states == 0) return result;
    nb::gil_scoped_release release;
    advance_all(world, run, threads);
    return result;
}

Result energies(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
                const Given& parameters) {
    const World& world = self.world;
    const size_t states = q.shape(0);
    check("q", q.shape(0), q.shape(1), states, world.tree->nq, false);
    check("v", v.shape(0), v.shape(1), states, world.tree->nv, false);
    check("memory", memory.shape(0), memory.shape(1), states, world.memory_size(), false);
    check("parameters", parameters.shape(0), parameters.shape(1), states, world.parameter_size(),
          true);
    check_parameters(world, parameters);
    check_finite("q", q.data(), q.size());
    check_finite("v", v.data(), v.size());
    check_finite("memory", memory.data(), memory.size());
    Run run;
    run.states = long(states), run.q = q.data(), run.v = v.data(), run.memory = memory.data();
    run.parameters = parameters.data();
    run.parameter_stride = parameters.shape(0) == 1 ? 0 : world.parameter_size();
    double* out;
    Result result = new_array({states, size_t(world.energy_size())}, &out);
    const StepKernel& kernel = *kernels().step;
    kernel.energies(world, run, out, work_memory(kernel.bytes_one(world)));
    return result;
}

Result contacts(const CoreWorld& self, const Given& q) {
    const World& world = self.world;
    check("q", q.shape(0), q.shape(1), q.shape(0), world.tree->nq, false);
    check_finite("q", q.data(), q.size());
    double* out;
    const size_t n = world.n_candidates();
    Result result = new_array({q.shape(0), n, 7}, &out);
    const StepKernel& kernel = *kernels().step;
    for (size_t s = 0; s < q.shape(0); ++s) {
        kernel.contacts(world, q.data() + s * world.tree->nq, out + 7 * n * s,
                        work_memory(kernel.bytes_one(world)));
    }
    return result;
}

nb::tuple contact_operator(const CoreWorld& self, const Given& q,
                           const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too) {
    const World& world = self.world;
    const size_t nv = world.tree->nv, rows = 3 * candidates.size();
    check("q", q.shape(0), q.shape(1), q.shape(0), world.tree->nq, false);
    check_finite("q", q.data(), q.size());
    for (int c : candidates) {
        if (c < 0 || c >= world.n_candidates()) {
            throw std::invalid_argument("candidates must be from 0 to " +
                                        std::to_string(world.n_candidates() - 1));
        }
    }
    check_finite("mass_scale", mass_scale.data(), mass_scale.size());
    if (!mass_scale.empty() && mass_scale.size() != size_t(world.tree->n_bodies)) {
        throw std::invalid_argument("mass_scale must have a number for each body");
    }
    double *A, *J;
    Result first = new_array({q.shape(0), rows, rows}, &A),
           second = new_array({q.shape(0), rows, nv}, &J);
    const StepKernel& kernel = *kernels().step;
    for (size_t s = 0; s < q.shape(0); ++s) {
        kernel.contact_operator(world, q.data() + s * world.tree->nq,
                                mass_scale.empty() ? nullptr : mass_scale.data(), candidates,
                                A + s * rows * rows, rows_too ? J + s * rows * nv : nullptr,
                                work_memory(kernel.bytes_one(world)));
    }
    return nb::make_tuple(first, second);
}

Result solve(const Given& A, const Array<double, 1>& b) {
    const size_t n = b.shape(0);
    check("A", A.shape(0), A.shape(1), n, n, false);
    check_finite("A", A.data(), A.size());
    check_finite("b", b.data(), n);
    double* u;
    Result result = new_array({n}, &u);
    const LcpReport report = solve_lcp(int(n), A.data(), b.data(), u);
    if (report.end == LcpEnd::ray)
        throw std::runtime_error("Lemke's method ended on a ray: no solution found");
    if (report.end == LcpEnd::tired)
        throw std::runtime_error("Lemke's method took too many pivots");
    return result;
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
             nb::arg("controller") = "torque", nb::arg("control_steps") = 1, nb::arg("effort"))
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
             "without rows, J is zero.");
    m.def("solve_lcp", &solve, nb::arg("A"), nb::arg("b"), nb::rv_policy::automatic,
          "Solve 0 ≤ u ⊥ A u + b ≥ 0 by Lemke's method; returns u (n,).");
}

}  // namespace tarsus
