// Smooth motions of one state between given times. Efforts are numbers, or a function of (t, q, v);
// where nothing of Python is asked for, other threads of it run meanwhile.
#include "bindings/flow.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/parts.hpp"
#include "bindings/world_calls.hpp"
#include "flow/flow.hpp"

namespace tarsus {

namespace {

constexpr std::chrono::milliseconds kPatience{100};

// null with a Python exception set
PyObject* row_of(const double* numbers, npy_intp size) {
    PyObject* made = PyArray_SimpleNew(1, &size, NPY_DOUBLE);
    if (made) {
        std::copy_n(numbers, size,
                    static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))));
    }
    return made;
}

class PythonOutside final : public Outside {
   public:
    explicit PythonOutside(const CoreModel& model) : model_(model) {}

    // a function of (t, q, v), or numbers; returns whether Python is needed
    bool drive(PyObject* effort) {
        function_ = PyCallable_Check(effort) ? effort : nullptr;
        if (!function_) {
            Owned keep;
            const Numbers tau = given_array("effort", effort, 1, keep);
            check_shape("effort", 1, tau.size, 1, model_.tree.nv, false);
            check_finite("effort", tau.data, tau.size);
            held_.assign(tau.data, tau.data + tau.size);
        }
        asked_ = std::chrono::steady_clock::now();
        return function_ || model_.functions;
    }

    void efforts(double t, const double* q, const double* v, double* tau) override {
        const Tree& tree = model_.tree;
        if (!function_) {
            std::copy(held_.begin(), held_.end(), tau);
            return;
        }
        const Owned time(PyFloat_FromDouble(t)), at_q(row_of(q, tree.nq)), at_v(row_of(v, tree.nv));
        if (!time.object || !at_q.object || !at_v.object) throw PythonError();
        const Owned found(PyObject_CallFunctionObjArgs(function_, time.object, at_q.object,
                                                       at_v.object, nullptr));
        if (!found.object) throw PythonError();
        Owned keep;
        const Numbers numbers = given_array("effort", found.object, 1, keep);
        check_shape("effort", 1, numbers.size, 1, tree.nv, false);
        std::copy_n(numbers.data, numbers.size, tau);
    }

    const double* table(const double* q, long states) override {
        if (!model_.functions) return nullptr;
        npy_intp shape[2] = {states, model_.tree.nq};
        const Owned at(PyArray_SimpleNew(2, shape, NPY_DOUBLE));
        if (!at.object) throw PythonError();
        std::copy_n(q, shape[0] * shape[1], static_cast<double*>(PyArray_DATA(at.array())));
        const Owned found(
            PyObject_CallFunctionObjArgs(model_.functions, at.object, Py_False, nullptr));
        if (!found.object) throw PythonError();
        table_ = copied_array("functions", found.object, false);
        if (long(table_.size()) != states * model_.tree.table_size)
            throw std::invalid_argument("functions returned a table of a wrong size");
        return table_.data();
    }

    // now and then Python looks whether to go on
    bool interrupted() override { return std::chrono::steady_clock::now() - asked_ > kPatience; }

   private:
    const CoreModel& model_;
    PyObject* function_ = nullptr;  // borrowed for a call
    std::vector<double> held_, table_;
    std::chrono::steady_clock::time_point asked_;
};

struct CoreFlow {
    nb::object owner;  // keeps the tree alive
    const CoreModel& model;
    PythonOutside outside;
    std::unique_ptr<Flow> flow;
    std::atomic<bool> busy{false};

    CoreFlow(nb::object o, FlowMethod method, const FlowNumbers& numbers)
        : owner(std::move(o)),
          model(nb::cast<const CoreModel&>(owner)),
          outside(model),
          flow(kernels().flow->make(method, model.tree, numbers, outside)) {}
};

class Busy {
   public:
    explicit Busy(CoreFlow& flow) : flag_(flow.busy) {
        if (flag_.exchange(true))
            throw std::runtime_error("another thread is making steps of this flow");
    }
    ~Busy() { flag_ = false; }

   private:
    std::atomic<bool>& flag_;
};

// parts of this tree that smooth motions know
const Parts& smooth_parts(const Tree& tree, nb::handle given) {
    if (!nb::isinstance<CoreParts>(given)) throw WrongType("parts must be Parts");
    const CoreParts& parts = nb::cast<const CoreParts&>(given);
    if (parts.tree != &tree) throw std::invalid_argument("parts are of another model");
    for (const Part& part : parts.parts.list) {
        if (part.law == PartLaw::motor || part.coordinates == Coordinates::path)
            throw std::invalid_argument("motors and paths do not act in smooth motions");
    }
    return parts.parts;
}

// the numbers of one state; limits of forces may be infinite
std::vector<double> part_row(const Parts& parts, nb::handle given) {
    std::vector<double> row = copied_array("part_numbers", given.ptr(), false);
    check_shape("part_numbers", 1, row.size(), 1, parts.n_numbers, false);
    return row;
}

FlowMethod method_named(const std::string& name) {
    if (name == "radau") return FlowMethod::radau;
    if (name == "gauss") return FlowMethod::gauss;
    throw std::invalid_argument("method is '" + name + "', must be radau or gauss");
}

void make(CoreFlow* self, nb::object model, const std::string& method, double rtol, double atol,
          double step, bool friction, const std::vector<int>& linkage_of_q,
          const std::vector<int>& linkage_of_v, nb::handle parts, nb::handle part_numbers) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const Tree& tree = nb::cast<const CoreModel&>(model).tree;
    FlowNumbers numbers{rtol, atol, step, friction, linkage_of_q, linkage_of_v};
    if (!parts.is_none()) {
        numbers.parts = smooth_parts(tree, parts);
        numbers.part_numbers = part_row(numbers.parts, part_numbers);
    }
    const FlowMethod chosen = method_named(method);
    if (!(rtol > 0 && atol > 0 && step >= 0) || (chosen == FlowMethod::gauss && step == 0))
        throw std::invalid_argument("rtol, atol and step must be positive");
    check_shape("linkage_of_q", 1, linkage_of_q.size(), 1, tree.nq, false);
    check_shape("linkage_of_v", 1, linkage_of_v.size(), 1, tree.nv, false);
    for (const std::vector<int>* each : {&linkage_of_q, &linkage_of_v}) {
        for (int linkage : *each) {
            if (linkage < 0 || linkage > tree.n_bodies)
                throw std::invalid_argument("linkages must be numbers from 0");
            numbers.linkages = std::max(numbers.linkages, linkage + 1);
        }
    }
    new (self) CoreFlow(std::move(model), chosen, numbers);
}

Numbers state_array(const char* name, nb::handle given, size_t size, Owned& keep) {
    const Numbers numbers = given_array(name, given.ptr(), 1, keep);
    check_shape(name, 1, numbers.size, 1, size, false);
    check_finite(name, numbers.data, numbers.size);
    return numbers;
}

void start(CoreFlow& self, double t, nb::handle q, nb::handle v, nb::handle work) {
    const Busy busy(self);
    Owned own_q, own_v, own_work;
    const Tree& tree = self.model.tree;
    self.flow->start(t, state_array("q", q, tree.nq, own_q).data,
                     state_array("v", v, tree.nv, own_v).data,
                     state_array("work", work, self.flow->work.size(), own_work).data);
}

nb::object rows_of(const std::vector<double>& numbers, npy_intp rows, npy_intp width) {
    npy_intp shape[2] = {rows, width};
    PyObject* made = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (!made) throw nb::python_error();
    std::copy_n(numbers.data(), rows * width,
                static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))));
    return nb::steal(made);
}

nb::tuple go(CoreFlow& self, nb::handle given, double end, nb::handle effort) {
    const Busy busy(self);
    Owned keep;
    const Numbers times = given_array("times", given.ptr(), 1, keep);
    check_finite("times", times.data, times.size);
    for (size_t k = 0; k < times.size; ++k) {
        if (!(times.data[k] <= end && times.data[k] >= (k ? times.data[k - 1] : 0.0)))
            throw std::invalid_argument("times must rise from 0 up to end");
    }
    const npy_intp nq = self.model.tree.nq, nv = self.model.tree.nv;
    const npy_intp works = npy_intp(self.flow->work.size());
    std::vector<double> q(times.size * nq), v(times.size * nv), work(times.size * works);
    const bool needs_python = self.outside.drive(effort.ptr());
    std::optional<nb::gil_scoped_release> release;
    if (!needs_python) release.emplace();
    FlowEnd ended = FlowEnd::reached;
    size_t done = 0;
    for (; done < times.size; ++done) {
        ended = self.flow->go(times.data[done], end);
        // a pause may come just when the time is reached
        if (ended == FlowEnd::interrupted && self.flow->t >= times.data[done])
            ended = FlowEnd::reached;
        if (ended != FlowEnd::reached) break;
        self.flow->sample(times.data[done], q.data() + done * nq, v.data() + done * nv,
                          work.data() + done * works);
        if (self.outside.interrupted()) {
            ++done, ended = FlowEnd::interrupted;
            break;
        }
    }
    release.reset();
    const npy_intp n = npy_intp(done);
    return nb::make_tuple(rows_of(q, n, nq), rows_of(v, n, nv), rows_of(work, n, works),
                          int(ended));
}

nb::tuple project_state(nb::object model, nb::handle given_q, nb::handle given_v,
                        nb::handle given_parts, nb::handle given_numbers) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const size_t nq = core.tree.nq, nv = core.tree.nv;
    Owned own_q, own_v;
    const Numbers q = state_array("q", given_q, nq, own_q),
                  v = state_array("v", given_v, nv, own_v);
    std::vector<double> new_q(q.data, q.data + nq), new_v(v.data, v.data + nv);
    const Parts none;
    const Parts& parts = given_parts.is_none() ? none : smooth_parts(core.tree, given_parts);
    std::vector<double> numbers;
    if (!given_parts.is_none()) numbers = part_row(parts, given_numbers);
    PythonOutside outside(core);
    if (!kernels().flow->project(core.tree, parts, numbers.data(), outside, new_q.data(),
                                 new_v.data())) {
        PyErr_SetString(PyExc_ArithmeticError,
                        "loops or parts cannot be closed: the motion went through a singular "
                        "position, or they contradict each other");
        throw nb::python_error();
    }
    const Owned at_q(row_of(new_q.data(), npy_intp(nq))), at_v(row_of(new_v.data(), npy_intp(nv)));
    if (!at_q.object || !at_v.object) throw nb::python_error();
    return nb::make_tuple(nb::handle(at_q.object), nb::handle(at_v.object));
}

nb::tuple part_forces(nb::object model, nb::handle given_parts, nb::handle given_numbers,
                      nb::handle given_q, nb::handle given_v) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const Parts& parts = smooth_parts(core.tree, given_parts);
    const std::vector<double> numbers = part_row(parts, given_numbers);
    Owned own_q, own_v;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const size_t n = q.shape[0], nv = core.tree.nv, size = parts.record_size();
    check_shape("q", n, q.shape[1], n, core.tree.nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    std::vector<double> tau(n * nv), records(n * size);
    PythonOutside outside(core);
    if (n > 0 && !kernels().flow->part_forces(core.tree, parts, numbers.data(), outside, long(n),
                                              q.data, v.data, tau.data(), records.data())) {
        PyErr_SetString(PyExc_ArithmeticError, "forces of parts are not finite");
        throw nb::python_error();
    }
    return nb::make_tuple(rows_of(tau, npy_intp(n), npy_intp(nv)),
                          rows_of(records, npy_intp(n), npy_intp(size)));
}

nb::tuple held_accelerations(nb::object model, nb::handle given_parts, nb::handle given_numbers,
                             nb::handle given_q, nb::handle given_v, nb::handle given_tau) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const Parts& parts = smooth_parts(core.tree, given_parts);
    const std::vector<double> numbers = part_row(parts, given_numbers);
    Owned own_q, own_v, own_tau;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const Numbers tau = given_array("tau", given_tau.ptr(), 2, own_tau);
    const size_t n = q.shape[0], nv = core.tree.nv, size = parts.record_size();
    check_shape("q", n, q.shape[1], n, core.tree.nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    check_shape("tau", tau.shape[0], tau.shape[1], n, nv, false);
    std::vector<double> a(n * nv), records(n * size);
    PythonOutside outside(core);
    if (n > 0 &&
        !kernels().flow->held_accelerations(core.tree, parts, numbers.data(), outside, long(n),
                                            q.data, v.data, tau.data, a.data(), records.data())) {
        PyErr_SetString(PyExc_ArithmeticError, "accelerations are not finite");
        throw nb::python_error();
    }
    return nb::make_tuple(rows_of(a, npy_intp(n), npy_intp(nv)),
                          rows_of(records, npy_intp(n), npy_intp(size)));
}

nb::dict statistics(const CoreFlow& self) {
    const FlowStatistics& s = self.flow->statistics;
    nb::dict found;
    found["steps"] = s.steps, found["rejected"] = s.rejected, found["rates"] = s.rates;
    found["jacobians"] = s.jacobians, found["factorisations"] = s.factorisations;
    found["iterations"] = s.iterations;
    found["last_step"] = s.last_step, found["next_step"] = s.next_step;
    return found;
}

}  // namespace

void bind_flow(nb::module_& m) {
    nb::class_<CoreFlow>(m, "Flow", "A smooth motion of one state under way.")
        .def("__init__", &make, nb::arg("model").none(), nb::arg("method"), nb::kw_only(),
             nb::arg("rtol"), nb::arg("atol"), nb::arg("step"), nb::arg("friction"),
             nb::arg("linkage_of_q"), nb::arg("linkage_of_v"), nb::arg("parts").none() = nb::none(),
             nb::arg("part_numbers").none() = nb::none())
        .def("start", &start, nb::arg("t"), nb::arg("q").none(), nb::arg("v").none(),
             nb::arg("work").none(),
             "Begin at a time and a state, with what works were until then.")
        .def("go", &go, nb::arg("times").none(), nb::arg("end"), nb::arg("effort").none(),
             "States q, v and works at times, no step past end; and why it stopped: 0 at the last "
             "of them, 1 to look whether it may go on, 2 the step became too short, 3 stages were "
             "not solved, 4 no finite rates at `lost`, 5 velocities beyond all bounds.")
        .def_prop_ro("statistics", &statistics, "What was done since the flow was made.")
        .def_prop_ro(
            "t", [](const CoreFlow& self) { return self.flow->t; }, "How far it is [s].")
        .def_prop_ro(
            "lost",
            [](const CoreFlow& self) {
                const Flow& flow = *self.flow;
                return nb::make_tuple(rows_of(flow.lost_q, 1, npy_intp(flow.lost_q.size())),
                                      rows_of(flow.lost_v, 1, npy_intp(flow.lost_v.size())));
            },
            "q (1, nq) and v (1, nv) where rates had no finite value.");
    m.def("part_forces", &part_forces, nb::arg("model").none(), nb::arg("parts").none(),
          nb::arg("numbers").none(), nb::arg("q").none(), nb::arg("v").none(),
          "Generalised forces (n, nv) of parts at states, and their records (n, parts × 14), with "
          "powers in the place of works.");
    m.def(
        "project_state", &project_state, nb::arg("model").none(), nb::arg("q").none(),
        nb::arg("v").none(), nb::arg("parts").none() = nb::none(),
        nb::arg("numbers").none() = nb::none(),
        "The nearest q and v with unit quaternions, closed loops, and parts held that are held at "
        "once, in the metric of the mass matrix.");
    m.def("held_accelerations", &held_accelerations, nb::arg("model").none(),
          nb::arg("parts").none(), nb::arg("numbers").none(), nb::arg("q").none(),
          nb::arg("v").none(), nb::arg("tau").none(),
          "Accelerations (n, nv) of states under forces tau (n, nv) and parts that are held, and "
          "records (n, parts × 14) of these, with powers in the place of works.");
}

}  // namespace tarsus
