// Tasks of inverse kinematics as Python states them: their rows, and searches for poses.
#include "bindings/kinematics.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cmath>
#include <optional>

#include "bindings/algorithms.hpp"
#include "bindings/arguments.hpp"
#include "bindings/distances.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/quaternions.hpp"
#include "bindings/row_arrays.hpp"
#include "bindings/thread_pool.hpp"
#include "kinematics/ik_step.hpp"

namespace nb = nanobind;

namespace tarsus {

namespace {

// kind, indices, numbers
using Stated = std::tuple<std::string, std::vector<int>, std::vector<double>>;

struct CoreTasks {
    const CoreModel* model;
    TaskSet set;
};

void make_tasks(CoreTasks* self, const CoreModel& model, const std::vector<Stated>& stated,
                const std::vector<std::vector<int>>& centres) {
    std::vector<TaskStatement> tasks;
    for (const auto& [kind, indices, numbers] : stated) tasks.push_back({kind, indices, numbers});
    new (self) CoreTasks{&model, make_task_set(model.tree, tasks, centres)};
}

// states and targets of a call: one target for all, or one a state
bool is_one_state(nb::handle q) {
    return PyArray_Check(q.ptr()) && PyArray_NDIM(reinterpret_cast<PyArrayObject*>(q.ptr())) == 1;
}
// rows (B, size), or one (size,)
Numbers states_of(nb::handle given, size_t size, Owned& keep) {
    if (!is_one_state(given)) return rows_of("q", given, size, keep);
    Numbers one = given_array("q", given.ptr(), 1, keep);
    if (one.size != size)
        throw std::invalid_argument("q must have " + std::to_string(size) + " numbers");
    check_finite("q", one.data, one.size);
    one.shape[0] = 1, one.shape[1] = size;
    return one;
}

struct States {
    Owned keep_q, keep_targets, keep_table;
    Numbers q, targets;
    long count;
    long stride;
    const double* table;

    States(const CoreTasks& tasks, nb::handle given_q, nb::handle given_targets)
        : q(states_of(given_q, tasks.model->tree.nq, keep_q)),
          targets(rows_of("targets", given_targets, tasks.set.targets, keep_targets)),
          count(long(q.shape[0])),
          stride(targets.shape[0] == 1 ? 0 : tasks.set.targets),
          table(nullptr) {
        if (targets.shape[0] != 1 && long(targets.shape[0]) != count)
            throw std::invalid_argument("targets must have one row, or one for each state");
        check_quaternions(tasks.model->tree, q.data, count);
        table = table_of(*tasks.model, q, keep_table);
    }
};

nb::object evaluate(const CoreTasks& self, nb::handle q, nb::handle targets) {
    const States states(self, q, targets);
    const int rows = self.set.rows, nv = self.model->tree.nv;
    nb::object error = new_rows({states.count, rows}), moved = new_rows({states.count, rows});
    nb::object jacobian = new_rows({states.count, rows, nv});
    double *to_error = data_of(error), *to_moved = data_of(moved);
    double* to_jacobian = data_of(jacobian);
    {
        const GilRelease release;
        kernels().kinematics->rows(
            self.model->tree, self.set,
            {states.count, states.q.data, states.targets.data, states.stride, states.table},
            to_error, to_moved, to_jacobian);
    }
    return nb::make_tuple(error, moved, jacobian);
}

nb::object search(const CoreTasks& self, nb::handle given_q, nb::handle given_targets,
                  nb::handle scale, nb::handle lower, nb::handle upper,
                  const std::vector<int>& position, double tolerance, double progress,
                  double gradient, int iterations, int starts, unsigned long seed, bool newton,
                  int threads) {
    const Tree& tree = self.model->tree;
    if (self.model->functions || !self.set.given.empty())
        throw std::invalid_argument("a search knows no functions and no given rows");
    const States states(self, given_q, given_targets);
    const auto scales = numbers_of("scale", scale, self.set.rows);
    const auto low = numbers_of("lower", lower, tree.nv),
               high = numbers_of("upper", upper, tree.nv);
    if (int(position.size()) != tree.nv)
        throw std::invalid_argument("position must have a number for each velocity");
    for (int k : position) {
        if (k >= tree.nq) throw std::invalid_argument("position is out of range");
    }
    const PoseSearch numbers{scales.data(), low.data(), high.data(), position.data(),
                             tolerance,     progress,   gradient,    iterations,
                             starts,        seed,       newton};
    nb::object q = new_rows({states.count, tree.nq}), told = new_rows({states.count, 4});
    double *to_q = data_of(q), *to_told = data_of(told);
    InterruptCheck interrupt;
    {
        const GilRelease release;
        std::vector<PoseState> every(states.count);
        for (long s = 0; s < states.count; ++s) {
            every[s].start = states.q.data + s * tree.nq;
            every[s].targets = states.targets.data + s * states.stride;
            every[s].q = to_q + s * tree.nq;
        }
        std::atomic<long> next{0};
        const auto share = [&](long) {
            kernels().kinematics->search(tree, self.set, numbers, [&]() -> PoseState* {
                if (interrupt.stopped()) return nullptr;
                const long k = next++;
                return k < states.count ? &every[k] : nullptr;
            });
        };
        if (!run_with_helpers(std::min<long>(std::max(1, threads), states.count) - 1, share)) {
            // what helpers were doing at a fork is lost in the child, which does all of it anew
            next = 0;
            share(0);
        }
        for (long s = 0; s < states.count; ++s) {
            double* row = to_told + 4 * s;
            row[0] = double(every[s].end), row[1] = every[s].error;
            row[2] = every[s].iterations, row[3] = every[s].starts;
        }
    }
    if (interrupt.stopped()) throw nb::python_error();
    return nb::make_tuple(q, told);
}

// A solver's statement, and what held in the last step, of as many states as that had.
struct CoreStepper {
    const CoreTasks* tasks;
    TaskSet set;
    StepStatement stated;
    nb::object pairs;  // kept for the statement
    std::vector<signed char> at;
};

constexpr int kMostGivenLimits = 100'000;

void check_statement(const Tree& tree, const TaskSet& set, const StepStatement& stated) {
    long rows = 0;
    for (int level : stated.levels) {
        if (level < 0) throw std::invalid_argument("levels must not be negative");
        rows += level;
    }
    if (rows != set.rows || stated.levels.empty() || int(stated.position.size()) != tree.nv)
        throw std::invalid_argument("levels and position do not fit");
    for (int k : stated.position) {
        if (k >= tree.nq) throw std::invalid_argument("position is out of range");
    }
    for (const FollowerLimit& each : stated.followers) {
        if (each.q < 0 || each.q >= tree.joint_nq || each.v < 0 || each.v >= tree.joint_nv)
            throw std::invalid_argument("a follower is out of range");
        if (!tree.clusters[tree.cluster_of[tree.body_of[each.v]]].coupled)
            throw std::invalid_argument("a follower follows nothing");
    }
    if (stated.loop_rows != 0 && stated.loop_rows != stated.levels[0])
        throw std::invalid_argument("loop_rows must be those of the first level, or 0");
    for (const PostureRow& posture : set.postures) {
        if (posture.row < stated.loop_rows) throw std::invalid_argument("a posture is no loop");
    }
    if (stated.pairs && stated.pairs->tree != &tree)
        throw std::invalid_argument("pairs are of another model");
}

// position and velocity among all joints', lower and upper end, highest speed
using Follower = std::tuple<int, int, double, double, double>;

void make_stepper(CoreStepper* self, const CoreTasks& tasks, nb::handle weight, nb::handle gain,
                  const std::vector<int>& levels, nb::handle damping, nb::handle calm,
                  nb::handle lower, nb::handle upper, const std::vector<int>& position,
                  nb::handle fastest, nb::handle acceleration, double share,
                  const std::vector<Follower>& followers, nb::object pairs, double margin,
                  double approach, int loop_rows, int given_limits) {
    const Tree& tree = tasks.model->tree;
    StepStatement made;
    made.weight = numbers_of("weight", weight, tasks.set.rows);
    made.gain = numbers_of("gain", gain, tasks.set.rows);
    made.damping = numbers_of("damping", damping, tree.nv);
    made.calm = numbers_of("calm", calm, tasks.set.rows);
    made.lower = numbers_of("lower", lower, tree.nv);
    made.upper = numbers_of("upper", upper, tree.nv);
    made.fastest = numbers_of("fastest", fastest, tree.nv);
    made.acceleration = numbers_of("acceleration", acceleration, tree.nv);
    made.position = position, made.levels = levels, made.share = share;
    for (const auto& [q, v, low, high, speed] : followers)
        made.followers.push_back({q, v, low, high, speed});
    if (!pairs.is_none() && !volume_pairs_of(pairs).pairs.empty())
        made.pairs = &volume_pairs_of(pairs);
    made.margin = margin, made.approach = approach;
    if (given_limits < 0 || given_limits > kMostGivenLimits)
        throw std::invalid_argument("given_limits is out of range");
    made.loop_rows = loop_rows, made.given_limits = given_limits;
    check_statement(tree, tasks.set, made);
    TaskSet set = tasks.set;
    set.placed = set.placed || made.pairs || !made.followers.empty();
    new (self) CoreStepper{&tasks, std::move(set), std::move(made), std::move(pairs), {}};
}

// velocities (B, nv), or null
const double* velocities_of(const char* name, nb::handle given, const States& states, int nv,
                            Owned& keep) {
    if (given.is_none()) return nullptr;
    const Numbers rows = rows_of(name, given, nv, keep);
    if (long(rows.shape[0]) != states.count)
        throw std::invalid_argument(std::string(name) + " must have a row for each state");
    return rows.data;
}

nb::object make_step(CoreStepper& self, nb::handle q, nb::handle targets, double dt,
                     nb::handle last, nb::handle wish, nb::handle limit, nb::handle limit_low,
                     nb::handle limit_high) {
    const CoreTasks& tasks = *self.tasks;
    const Tree& tree = tasks.model->tree;
    const States states(tasks, q, targets);
    const bool one = states.count == 1, flat = is_one_state(q);
    Owned keep[5];
    StepStates given;
    given.count = states.count, given.q = states.q.data;
    given.targets = states.targets.data, given.stride = states.stride;
    given.table = states.table;
    if (const size_t size = self.stated.given_limits; size > 0) {
        const Numbers rows = rows_of("limit", limit, size * tree.nv, keep[2]);
        const Numbers low = limits_of("limit_low", limit_low, size, keep[3]);
        const Numbers high = limits_of("limit_high", limit_high, size, keep[4]);
        for (const Numbers* each : {&rows, &low, &high}) {
            if (long(each->shape[0]) != states.count)
                throw std::invalid_argument("limits must have a row for each state");
        }
        given.limit = rows.data, given.limit_low = low.data, given.limit_high = high.data;
    }
    given.last = velocities_of("last", last, states, tree.nv, keep[0]);
    given.wish = velocities_of("wish", wish, states, tree.nv, keep[1]);
    const auto rows = [&](npy_intp size) {
        return flat ? new_rows({size}) : new_rows({states.count, size});
    };
    nb::object reached = rows(tree.nq), v = rows(tree.nv), missing = rows(self.set.rows);
    npy_intp size = states.count;
    PyObject* made = PyArray_SimpleNew(1, &size, NPY_INT);
    if (!made) throw nb::python_error();
    nb::object code = nb::steal(made);
    // each state begins where it ended, alone as in a batch; others may step the same solver
    std::vector<signed char> at = self.at;
    const size_t size_of_all = states.count * self.stated.memory();
    const bool warm = at.size() == size_of_all;
    at.resize(size_of_all);
    const StepAnswers answers{
        data_of(reached), data_of(v),
        data_of(missing), static_cast<int*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))),
        at.data(),        warm};
    InterruptCheck interrupt;
    {
        std::optional<GilRelease> release;
        if (!one) release.emplace();
        kernels().kinematics->step(tree, self.set, self.stated, given, dt, answers,
                                   [&] { return interrupt.stopped(); });
    }
    // what the solver remembers stays as it was before the step
    if (interrupt.stopped()) throw nb::python_error();
    self.at = std::move(at);
    if (flat) return nb::make_tuple(reached, v, missing, answers.code[0]);
    return nb::make_tuple(reached, v, missing, code);
}

}  // namespace

void bind_kinematics(nb::module_& m) {
    nb::class_<CoreTasks>(m, "TaskSet")
        .def("__init__", &make_tasks, nb::arg("model"), nb::arg("tasks"), nb::arg("centres"),
             nb::keep_alive<1, 2>())
        .def_prop_ro("rows", [](const CoreTasks& self) { return self.set.rows; })
        .def_prop_ro("targets", [](const CoreTasks& self) { return self.set.targets; })
        .def("evaluate", &evaluate, nb::arg("q"), nb::arg("targets"),
             "Errors and what targets' motion adds (B, rows), jacobians (B, rows, nv).")
        .def("search", &search, nb::arg("q"), nb::arg("targets"), nb::kw_only(), nb::arg("scale"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("position"), nb::arg("tolerance"),
             nb::arg("progress"), nb::arg("gradient"), nb::arg("iterations"), nb::arg("starts"),
             nb::arg("seed"), nb::arg("newton"), nb::arg("threads"),
             "Poses (B, nq), and how each ended (B, 4): code, error, iterations, starts.");
    nb::class_<CoreStepper>(m, "TaskStepper")
        .def("__init__", &make_stepper, nb::arg("tasks"), nb::kw_only(), nb::arg("weight"),
             nb::arg("gain"), nb::arg("levels"), nb::arg("damping"), nb::arg("calm"),
             nb::arg("lower"), nb::arg("upper"), nb::arg("position"), nb::arg("fastest"),
             nb::arg("acceleration"), nb::arg("share"), nb::arg("followers"),
             nb::arg("pairs").none(), nb::arg("margin"), nb::arg("approach"),
             nb::arg("loop_rows") = 0, nb::arg("given_limits") = 0, nb::keep_alive<1, 2>())
        .def(
            "step", &make_step, nb::arg("q"), nb::arg("targets"), nb::arg("dt"),
            nb::arg("last").none() = nb::none(), nb::arg("wish").none() = nb::none(),
            nb::arg("limit").none() = nb::none(), nb::arg("limit_low").none() = nb::none(),
            nb::arg("limit_high").none() = nb::none(),
            "Configurations (B, nq), velocities (B, nv), what rows miss (B, rows), codes (B,); for "
            "one state (nq,) each without B. Given limits are (B, given_limits nv) and between "
            "(B, given_limits).");
}

}  // namespace tarsus
