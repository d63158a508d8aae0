// Smooth motions of one state, or of several together, between given times. Efforts are numbers, or
// a function of (t, q, v); where nothing of Python is asked for, other threads of it run meanwhile.
#include "bindings/flow.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/busy.hpp"
#include "bindings/flow_arguments.hpp"

namespace tarsus {

namespace {

struct CoreFlow {
    nb::object owner;  // keeps the tree alive
    const CoreModel& model;
    PythonOutside outside;
    std::unique_ptr<Flow> flow;
    std::atomic<bool> busy{false};
    const bool together;  // several states

    CoreFlow(nb::object o, FlowMethod method, const FlowNumbers& numbers)
        : owner(std::move(o)),
          model(nb::cast<const CoreModel&>(owner)),
          outside(model),
          flow(kernels().flow->make(method, model.tree, numbers, outside)),
          together(method == FlowMethod::runge_kutta) {
        outside.several = together;
    }
};

FlowMethod method_named(const std::string& name) {
    if (name == "radau") return FlowMethod::radau;
    if (name == "gauss") return FlowMethod::gauss;
    if (name == "dormand_prince") return FlowMethod::dormand_prince;
    if (name == "rk4") return FlowMethod::runge_kutta;
    throw std::invalid_argument("method is '" + name +
                                "', must be radau, gauss, dormand_prince or rk4");
}

void make(CoreFlow* self, nb::object model, const std::string& method, double rtol, double atol,
          double step, bool friction, const std::vector<int>& linkage_of_q,
          const std::vector<int>& linkage_of_v, nb::handle parts, nb::handle part_numbers) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const Tree& tree = nb::cast<const CoreModel&>(model).tree;
    FlowNumbers numbers;
    numbers.rtol = rtol, numbers.atol = atol, numbers.step = step, numbers.friction = friction;
    numbers.linkage_of_q = linkage_of_q, numbers.linkage_of_v = linkage_of_v;
    if (!parts.is_none()) {
        numbers.parts = smooth_parts(tree, parts);
        numbers.part_numbers = part_row(numbers.parts, part_numbers);
    }
    const FlowMethod chosen = method_named(method);
    if (!(rtol > 0 && atol > 0 && step >= 0) ||
        (step == 0 && (chosen == FlowMethod::gauss || chosen == FlowMethod::runge_kutta)))
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

void start(CoreFlow& self, double t, nb::handle given_q, nb::handle given_v, nb::handle given_work,
           long states) {
    const Busy busy(self);
    if (states < 1 || (states > 1 && !self.together))
        throw std::invalid_argument("states must be 1, or with method rk4 at least 1");
    Owned own_q, own_v, own_work;
    const Tree& tree = self.model.tree;
    Flow& flow = *self.flow;
    const size_t works = flow.work.size() / flow.states;
    const Numbers q = state_array("q", given_q, states * tree.nq, own_q);
    const Numbers v = state_array("v", given_v, states * tree.nv, own_v);
    const Numbers work = state_array("work", given_work, states * works, own_work);
    flow.states = self.outside.states = states;
    flow.start(t, q.data, v.data, work.data);
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
    const npy_intp nq = npy_intp(self.flow->q.size()), nv = npy_intp(self.flow->v.size());
    const npy_intp works = npy_intp(self.flow->work.size());
    std::vector<double> q(times.size * nq), v(times.size * nv), work(times.size * works);
    const bool needs_python = self.outside.drive(effort.ptr());
    std::optional<GilRelease> release;
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
    nb::class_<CoreFlow>(m, "Flow", "A smooth motion under way: of one state, by rk4 of several.")
        .def("__init__", &make, nb::arg("model").none(), nb::arg("method"), nb::kw_only(),
             nb::arg("rtol"), nb::arg("atol"), nb::arg("step"), nb::arg("friction"),
             nb::arg("linkage_of_q"), nb::arg("linkage_of_v"), nb::arg("parts").none() = nb::none(),
             nb::arg("part_numbers").none() = nb::none())
        .def("start", &start, nb::arg("t"), nb::arg("q").none(), nb::arg("v").none(),
             nb::arg("work").none(), nb::arg("states") = 1,
             "Begin at a time and a state, or several one after the other, with what works were "
             "until then.")
        .def(
            "go", &go, nb::arg("times").none(), nb::arg("end"), nb::arg("effort").none(),
            "States q, v and works at times, those of several states one after the other in a row, "
            "no step past end; and why it stopped: 0 at the last "
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
    bind_smooth_states(m);
}

}  // namespace tarsus
