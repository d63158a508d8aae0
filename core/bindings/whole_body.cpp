// Whole-body control as Python states it: one object for a machine, its tasks and its contacts.
#include "bindings/whole_body.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>

#include "bindings/algorithms.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/quaternions.hpp"
#include "bindings/row_arrays.hpp"
#include "bindings/thread_pool.hpp"
#include "kinematics/whole_body.hpp"

namespace nb = nanobind;

namespace tarsus {

namespace {

// kind, indices, numbers; contacts are twists, behind the tasks
using Stated = std::tuple<std::string, std::vector<int>, std::vector<double>>;
// levers, turns, edges, normal, and torsion, damping, most
using StatedContact = std::tuple<std::vector<double>, std::vector<double>, std::vector<double>,
                                 std::vector<double>, std::vector<double>>;

struct CoreBody {
    const CoreModel* model;
    TaskSet set;
    BodyStatement stated;
};

BodyContact contact_of(const StatedContact& given, const TwistRows& rows) {
    BodyContact made;
    made.row = rows.row, made.axes = rows.axes;
    std::vector<double> normal, numbers;
    std::tie(made.levers, made.turns, made.edges, normal, numbers) = given;
    if (normal.size() != 3 || numbers.size() != 3 || made.levers.size() % 3 ||
        made.turns.size() % 3 || made.edges.size() % 3)
        throw std::invalid_argument("a contact has the wrong numbers");
    for (const auto* some : {&made.levers, &made.turns, &made.edges, &normal, &numbers}) {
        if (!std::all_of(some->begin(), some->end(), [](double x) { return std::isfinite(x); }))
            throw std::invalid_argument("a contact has numbers that are not finite");
    }
    if (*std::min_element(numbers.begin(), numbers.end()) < 0)
        throw std::invalid_argument("torsion, damping or most of a contact is negative");
    std::copy_n(normal.begin(), 3, made.normal);
    made.torsion = numbers[0], made.damping = numbers[1], made.most = numbers[2];
    return made;
}

void check_indices(const std::vector<int>& indices, int first, int end, const char* name) {
    for (int k : indices) {
        if (k < first || k >= end)
            throw std::invalid_argument(std::string(name) + " is out of range");
    }
}

constexpr int kMostMotors = 100'000;

void make_body(CoreBody* self, const CoreModel& model, const std::vector<Stated>& tasks,
               const std::vector<std::vector<int>>& centres,
               const std::vector<StatedContact>& contacts, nb::handle weight, nb::handle gain,
               const std::vector<bool>& momentum, const std::vector<int>& levels,
               nb::handle damping, nb::handle lower, nb::handle upper,
               const std::vector<int>& position, nb::handle fastest, nb::handle acceleration,
               const std::vector<int>& idle, const std::vector<int>& driven, nb::handle effort,
               const std::vector<double>& numbers, bool springs, bool rubs, int loops, int motors) {
    const Tree& tree = model.tree;
    std::vector<TaskStatement> stated;
    for (const auto& [kind, indices, values] : tasks) stated.push_back({kind, indices, values});
    TaskSet set = make_task_set(tree, stated, centres);
    if (set.twists.size() != contacts.size() || numbers.size() != 6)
        throw std::invalid_argument("contacts and numbers do not fit");
    BodyStatement made;
    for (size_t c = 0; c < contacts.size(); ++c)
        made.contacts.push_back(contact_of(contacts[c], set.twists[c]));
    if (loops < 0 || long(loops) + 6 * long(contacts.size()) > set.rows)
        throw std::invalid_argument("loops do not fit the rows");
    const size_t rows = set.rows - loops - 6 * contacts.size();
    made.weight = numbers_of("weight", weight, rows), made.gain = numbers_of("gain", gain, rows);
    made.momentum.assign(momentum.begin(), momentum.end()), made.levels = levels;
    long sum = 0;
    for (int level : levels) {
        if (level < 0) throw std::invalid_argument("levels must not be negative");
        sum += level;
    }
    for (const PostureRow& posture : set.postures) {
        if (posture.row >= int(rows)) throw std::invalid_argument("twists must come last");
    }
    for (const TwistRows& twist : set.twists) {
        if (twist.row < int(rows) || twist.row + 6 > set.rows - loops)
            throw std::invalid_argument("twists must come after tasks, and loops last");
    }
    if (made.momentum.size() != rows || levels.empty() || sum != long(rows))
        throw std::invalid_argument("momentum and levels do not fit the rows");
    made.damping = numbers_of("damping", damping, tree.nv);
    made.lower = numbers_of("lower", lower, tree.nv);
    made.upper = numbers_of("upper", upper, tree.nv);
    made.fastest = numbers_of("fastest", fastest, tree.nv);
    made.acceleration = numbers_of("acceleration", acceleration, tree.nv);
    if (int(position.size()) != tree.nv) throw std::invalid_argument("position does not fit");
    check_indices(position, -1, tree.nq, "position");
    check_indices(idle, 0, tree.nv, "idle"), check_indices(driven, 0, tree.nv, "driven");
    made.position = position, made.idle = idle, made.driven = driven;
    // with motors drives are given: so many that are zero, and then those with limits
    made.motors = motors >= 0, made.loops = loops;
    made.zero = made.motors ? motors : int(idle.size());
    if (motors > kMostMotors || (made.motors && !(idle.empty() && driven.empty())))
        throw std::invalid_argument("motors do not fit idle and driven");
    made.effort = made.motors ? copied_array("effort", effort.ptr(), false)
                              : numbers_of("effort", effort, driven.size());
    made.force_damping = numbers[0], made.usual = numbers[1], made.approach = numbers[2];
    made.weight_force = numbers[3], made.holding = numbers[4], made.yielding = numbers[5];
    made.springs = springs, made.rubs = rubs;
    new (self) CoreBody{&model, std::move(set), std::move(made)};
}

nb::object new_integers(long size, int type) {
    npy_intp shape = size;
    PyObject* made = PyArray_SimpleNew(1, &shape, type);
    if (!made) throw nb::python_error();
    return nb::steal(made);
}
template <class X>
X* numbers_in(const nb::object& array) {
    return static_cast<X*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(array.ptr())));
}

constexpr long kChunk = 64;  // states that a thread takes at once, where others wait
constexpr long kLongChunk = 1024;

void run(const CoreBody& self, const BodyStates& states, const BodyAnswers& answers,
         const BodySizes& sizes, int threads, InterruptCheck& interrupt) {
    const long count = states.count, chunks = (count + kChunk - 1) / kChunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    const long step = workers == 1 ? kLongChunk : kChunk;
    std::atomic<long> next{0};
    run_with_helpers(workers - 1, [&](long) {
        for (long from = next.fetch_add(step); from < count && !interrupt.stopped();
             from = next.fetch_add(step)) {
            const long some = std::min(step, count - from);
            kernels().kinematics->body(self.model->tree, self.set, self.stated,
                                       part_of(states, sizes, from, some),
                                       part_of(answers, sizes, from));
        }
    });
}

nb::object solve(const CoreBody& self, nb::handle given_q, nb::handle given_v, nb::handle targets,
                 nb::handle rates, nb::handle loads, nb::object start, int threads,
                 nb::handle drives, nb::handle limit, nb::handle limit_low, nb::handle limit_high) {
    const Tree& tree = self.model->tree;
    Owned keep[10];
    const Numbers q = rows_of("q", given_q, tree.nq, keep[0]);
    const Numbers v = rows_of("v", given_v, tree.nv, keep[1]);
    const Numbers to = rows_of("targets", targets, self.set.targets, keep[2]);
    const Numbers moving = rows_of("rates", rates, self.set.targets, keep[3]);
    const Numbers load = rows_of("loads", loads, self.stated.contacts.size(), keep[4]);
    const long count = long(q.shape[0]), contacts = long(self.stated.contacts.size());
    const bool alike = long(v.shape[0]) == count && long(load.shape[0]) == count;
    if (!alike || to.shape[0] != moving.shape[0] ||
        (to.shape[0] != 1 && long(to.shape[0]) != count))
        throw std::invalid_argument("q, v, targets, rates and loads have not as many rows");
    check_quaternions(tree, q.data, count);
    const auto between = loads_between(self.stated, load.data, count);
    BodyStates states;
    states.count = count, states.q = q.data, states.v = v.data;
    states.table = table_of(*self.model, q, keep[5]);
    if (self.stated.motors) {
        const size_t all = size_t(self.stated.drives()) * tree.nv;
        const Numbers by = rows_of("drives", drives, all, keep[6]);
        if (long(by.shape[0]) != count)
            throw std::invalid_argument("drives must have a row for each state");
        states.drives = by.data;
    }
    if (!limit.is_none()) {
        const Numbers low = given_array("limit_low", limit_low.ptr(), 2, keep[7]);
        const size_t each = low.shape[1];
        const Numbers high = limits_of("limit_high", limit_high, each, keep[8]);
        const Numbers by = rows_of("limit", limit, each * tree.nv, keep[9]);
        for (const Numbers* of : {&low, &high, &by}) {
            if (long(of->shape[0]) != count)
                throw std::invalid_argument("limits must have a row for each state");
        }
        states.limits = int(each);
        states.limit = by.data, states.limit_low = low.data, states.limit_high = high.data;
    }
    const long drives_each = self.stated.drives();
    const long rows = drives_each + std::count(between.begin(), between.end(), 1) + states.limits;
    const long n = tree.nv + self.stated.forces(), size = count * (n + rows);
    nb::object x = new_rows({count, n}), tau = new_rows({count, tree.nv});
    nb::object slack = new_rows({count, rows}), told = new_rows({2, count});
    nb::object at = new_integers(size, NPY_INT8), ends = new_integers(3 * count, NPY_INT);
    states.targets = to.data, states.rates = moving.data;
    states.stride = to.shape[0] == 1 ? 0 : self.set.targets;
    states.loads = load.data, states.start = nullptr, states.between = between.data();
    if (!start.is_none()) {
        PyObject* given = start.ptr();
        if (!PyArray_Check(given)) throw std::invalid_argument("start is no array");
        auto* array = reinterpret_cast<PyArrayObject*>(given);
        if (PyArray_TYPE(array) != NPY_INT8 || !PyArray_IS_C_CONTIGUOUS(array))
            throw std::invalid_argument("start is not of int8, or not contiguous");
        const auto* from = static_cast<const signed char*>(PyArray_DATA(array));
        // another size is of other loads, which have other rows: there is nothing to begin with
        if (PyArray_SIZE(array) == size) {
            if (!std::all_of(from, from + size, [](int a) { return a >= -2 && a <= 2; }))
                throw std::invalid_argument("start must be from -2 to 2, as a working set is");
            states.start = from;
        }
    }
    int* end = numbers_in<int>(ends);
    const BodyAnswers answers{data_of(x),    data_of(tau),          data_of(slack),
                              data_of(told), data_of(told) + count, numbers_in<signed char>(at),
                              end,           end + count,           end + 2 * count};
    InterruptCheck interrupt;
    {
        std::optional<GilRelease> release;
        if (count > 1) release.emplace();
        const BodySizes sizes{tree.nq, tree.nv, contacts, n, rows, tree.table_size, drives_each};
        run(self, states, answers, sizes, threads, interrupt);
    }
    if (interrupt.stopped()) throw nb::python_error();
    return nb::make_tuple(x, tau, slack, told, at, ends);
}

}  // namespace

void bind_whole_body(nb::module_& m) {
    nb::class_<CoreBody>(m, "BodyController")
        .def("__init__", &make_body, nb::arg("model"), nb::arg("tasks"), nb::arg("centres"),
             nb::arg("contacts"), nb::kw_only(), nb::arg("weight"), nb::arg("gain"),
             nb::arg("momentum"), nb::arg("levels"), nb::arg("damping"), nb::arg("lower"),
             nb::arg("upper"), nb::arg("position"), nb::arg("fastest"), nb::arg("acceleration"),
             nb::arg("idle"), nb::arg("driven"), nb::arg("effort"), nb::arg("numbers"),
             nb::arg("springs"), nb::arg("rubs"), nb::arg("loops") = 0, nb::arg("motors") = -1,
             nb::keep_alive<1, 2>())
        .def("solve", &solve, nb::arg("q"), nb::arg("v"), nb::arg("targets"), nb::arg("rates"),
             nb::arg("loads"), nb::arg("start").none() = nb::none(), nb::arg("threads") = 1,
             nb::arg("drives").none() = nb::none(), nb::arg("limit").none() = nb::none(),
             nb::arg("limit_low").none() = nb::none(), nb::arg("limit_high").none() = nb::none(),
             "x (B, n), tau (B, nv), slack (B, rows), slip and missed (2, B), at, and ends (3 B).");
}

}  // namespace tarsus
