// Motions of one state with rigid contacts, between given times.
#include "flow/contact_flow.hpp"

#include <nanobind/stl/vector.h>

#include <optional>

#include "bindings/busy.hpp"
#include "bindings/flow.hpp"
#include "bindings/flow_arguments.hpp"

namespace tarsus {

namespace {

struct CoreContactFlow {
    nb::object owner;  // keeps the world alive
    const CoreWorld& world;
    PythonOutside outside;
    std::unique_ptr<ContactFlow> flow;
    std::atomic<bool> busy{false};

    CoreContactFlow(nb::object o, const ContactFlowNumbers& numbers)
        : owner(std::move(o)),
          world(nb::cast<const CoreWorld&>(owner)),
          outside(nb::cast<const CoreModel&>(world.model)),
          flow(kernels().flow->make_contact(world.world, numbers, outside)) {}
};

void make(CoreContactFlow* self, nb::object world, double rtol, double atol, double creep,
          const std::vector<int>& linkage, nb::handle parameters, nb::handle parts,
          nb::handle part_numbers) {
    if (!nb::isinstance<CoreWorld>(world)) throw WrongType("world must be a World");
    const World& of = nb::cast<const CoreWorld&>(world).world;
    const Tree& tree = *of.tree;
    ContactFlowNumbers numbers;
    numbers.rtol = rtol, numbers.atol = atol, numbers.linkage = linkage;
    numbers.creep = creep;
    if (!(rtol > 0 && atol > 0 && creep > 0))
        throw std::invalid_argument("rtol, atol and creep must be positive");
    check_shape("linkage", 1, linkage.size(), 1, tree.nq + tree.nv, false);
    for (int k : linkage) {
        if (k < 0 || k > tree.n_bodies)
            throw std::invalid_argument("linkages must be numbers from 0");
        numbers.linkages = std::max(numbers.linkages, k + 1);
    }
    numbers.parameters = copied_array("parameters", parameters.ptr(), false);
    check_shape("parameters", 1, numbers.parameters.size(), 1, of.parameter_size(), false);
    if (!parts.is_none()) {
        numbers.parts = smooth_parts(tree, parts);
        numbers.part_numbers = part_row(numbers.parts, part_numbers);
    }
    if (tree.table_size > 0)
        throw std::invalid_argument("couplings by functions do not go with located contacts");
    new (self) CoreContactFlow(std::move(world), numbers);
}

void start(CoreContactFlow& self, double t, nb::handle q, nb::handle v, nb::handle work) {
    const Busy busy(self);
    Owned own_q, own_v, own_work;
    const Tree& tree = *self.world.world.tree;
    self.flow->start(t, state_array("q", q, tree.nq, own_q).data,
                     state_array("v", v, tree.nv, own_v).data,
                     state_array("work", work, self.flow->work.size(), own_work).data);
}

nb::tuple go(CoreContactFlow& self, nb::handle given, double end, nb::handle effort,
             nb::handle stop) {
    const Busy busy(self);
    Owned keep;
    const Numbers times = given_array("times", given.ptr(), 1, keep);
    check_finite("times", times.data, times.size);
    for (size_t k = 0; k < times.size; ++k) {
        if (!(times.data[k] <= end && times.data[k] >= (k ? times.data[k - 1] : 0.0)))
            throw std::invalid_argument("times must rise from 0 up to end");
    }
    const Tree& tree = *self.world.world.tree;
    ContactFlow& flow = *self.flow;
    flow.samples.clear();
    const bool needs_python = self.outside.drive(effort.ptr());
    self.outside.stop = stop.is_none() ? nullptr : stop.ptr();
    FlowEnd ended = FlowEnd::reached;
    {
        std::optional<GilRelease> release;
        if (!needs_python) release.emplace();
        if (times.size > 0) ended = flow.go(times.data, long(times.size), end);
    }
    std::vector<double> q, v, work;
    nb::list contacts;
    for (const ContactSample& sample : flow.samples) {
        q.insert(q.end(), sample.q.begin(), sample.q.end());
        v.insert(v.end(), sample.v.begin(), sample.v.end());
        work.insert(work.end(), sample.work.begin(), sample.work.end());
        const npy_intp rows = npy_intp(sample.contacts.size() / kContactNumbers);
        contacts.append(rows_of(sample.contacts, rows, kContactNumbers));
    }
    const npy_intp n = npy_intp(flow.samples.size());
    return nb::make_tuple(rows_of(q, n, tree.nq), rows_of(v, n, tree.nv),
                          rows_of(work, n, npy_intp(flow.work.size())), int(ended), contacts);
}

// rows of (time, kind, index, point (3), impulse (3), lost)
nb::object events(CoreContactFlow& self) {
    const Busy busy(self);
    std::vector<double> rows;
    for (const ContactEvent& event : self.flow->events) {
        rows.insert(rows.end(), {event.t, double(event.kind), double(event.index)});
        rows.insert(rows.end(), event.point, event.point + 3);
        rows.insert(rows.end(), event.impulse, event.impulse + 3);
        rows.push_back(event.lost);
    }
    return rows_of(rows, npy_intp(self.flow->events.size()), 10);
}

nb::dict statistics(const CoreContactFlow& self) {
    const FlowStatistics& s = self.flow->statistics;
    nb::dict found;
    found["steps"] = s.steps, found["rejected"] = s.rejected, found["rates"] = s.rates;
    found["merged"] = self.flow->merged;
    return found;
}

}  // namespace

void bind_contact_flow(nb::module_& m) {
    nb::class_<CoreContactFlow>(m, "ContactFlow",
                                "A motion of one state with rigid contacts under way.")
        .def("__init__", &make, nb::arg("world").none(), nb::kw_only(), nb::arg("rtol"),
             nb::arg("atol"), nb::arg("creep"), nb::arg("linkage"), nb::arg("parameters").none(),
             nb::arg("parts").none() = nb::none(), nb::arg("part_numbers").none() = nb::none())
        .def("start", &start, nb::arg("t"), nb::arg("q").none(), nb::arg("v").none(),
             nb::arg("work").none(),
             "Begin at a time and a state, with what works were until then.")
        .def("go", &go, nb::arg("times").none(), nb::arg("end"), nb::arg("effort").none(),
             nb::arg("stop").none() = nb::none(),
             "States q, v, works at times, why it stopped, and contacts (n, 13) of each.")
        .def_prop_ro("events", &events,
                     "Events (n, 10): time, kind, index, point, impulse, energy lost.")
        .def_prop_ro(
            "entered", [](const CoreContactFlow& self) { return self.flow->entered; },
            "The candidate that has entered something unseen, −1 for none.")
        .def_prop_ro("statistics", &statistics, "What was done since the flow was made.")
        .def_prop_ro(
            "t", [](const CoreContactFlow& self) { return self.flow->t; }, "How far it is [s].")
        .def_prop_ro(
            "lost",
            [](const CoreContactFlow& self) {
                const ContactFlow& flow = *self.flow;
                return nb::make_tuple(rows_of(flow.lost_q, 1, npy_intp(flow.lost_q.size())),
                                      rows_of(flow.lost_v, 1, npy_intp(flow.lost_v.size())));
            },
            "q (1, nq) and v (1, nv) where it could not go on.");
}

}  // namespace tarsus
