// The class Compliant of tarsus._core: compliant contacts of a world, at states.
#include "bindings/compliant.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "bindings/flow_arguments.hpp"
#include "bindings/thread_pool.hpp"
#include "flow/compliant_kernel.hpp"
#include "flow/compliant_record.hpp"

namespace tarsus {

namespace {

struct CoreCompliant {
    CompliantNumbers numbers;
    nb::object owner;  // keeps the world alive
    const World* world;
};

template <class Law, size_t N>
Law law_of(const char* argument, const std::string& given, const char* const (&known)[N]) {
    std::string valid;
    for (size_t k = 0; k < N; ++k) {
        if (given == known[k]) return Law(int(k));
        valid += (k ? ", " : "") + std::string(known[k]);
    }
    throw std::invalid_argument(std::string(argument) + " is '" + given + "', must be one of " +
                                valid);
}

void set_number(CompliantNumbers& to, const std::string& name, double value) {
    const std::pair<const char*, double*> known[] = {{"normal_stiffness", &to.normal_stiffness},
                                                     {"exponent", &to.exponent},
                                                     {"dissipation", &to.dissipation},
                                                     {"stiffness", &to.stiffness},
                                                     {"twist_stiffness", &to.twist_stiffness},
                                                     {"damping", &to.damping},
                                                     {"twist_damping", &to.twist_damping},
                                                     {"share", &to.share},
                                                     {"roll", &to.roll},
                                                     {"slide_limit", &to.slide_limit},
                                                     {"twist_limit", &to.twist_limit},
                                                     {"stiction", &to.stiction},
                                                     {"stribeck", &to.stribeck},
                                                     {"torsion", &to.torsion}};
    if (!(value >= 0) || !std::isfinite(value)) {
        throw std::invalid_argument("numbers['" + name + "'] must be finite and not negative");
    }
    std::string valid;
    for (const auto& [each, place] : known) {
        if (name == each) {
            *place = value;
            return;
        }
        valid += (valid.empty() ? "" : ", ") + std::string(each);
    }
    throw std::invalid_argument("numbers has no '" + name + "'; names: " + valid);
}

void make(CoreCompliant* self, nb::object owner, const std::string& normal, const std::string& slip,
          const std::map<std::string, double>& numbers) {
    if (!nb::isinstance<CoreWorld>(owner)) throw WrongType("world must be a World");
    CompliantNumbers made;
    made.normal = law_of<NormalLaw>("normal", normal, {"spring", "hertz", "hunt_crossley"});
    made.slip = law_of<SlipLaw>("slip", slip, {"stick", "saturation", "bristle"});
    for (const auto& [name, value] : numbers) set_number(made, name, value);
    if (made.share > 1) throw std::invalid_argument("numbers['share'] must be from 0 to 1");
    const World* world = &nb::cast<const CoreWorld&>(owner).world;
    new (self) CoreCompliant{made, std::move(owner), world};
}

nb::tuple forces(const CoreCompliant& self, nb::handle given_parameters, nb::handle given_q,
                 nb::handle given_v, nb::handle given_deformation, nb::handle given_on) {
    const World& world = *self.world;
    Owned own[5];
    const Numbers parameters = given_array("parameters", given_parameters.ptr(), 2, own[0]);
    const Numbers q = given_array("q", given_q.ptr(), 2, own[1]);
    const Numbers v = given_array("v", given_v.ptr(), 2, own[2]);
    const Numbers deformation = given_array("deformation", given_deformation.ptr(), 2, own[3]);
    const Numbers on = given_array("on", given_on.ptr(), 2, own[4]);
    const size_t n = q.shape[0], nv = world.tree->nv, candidates = world.n_candidates();
    const size_t width = world.parameter_size();
    check_shape("parameters", parameters.shape[0], parameters.shape[1], n, width, true);
    check_shape("q", n, q.shape[1], n, world.tree->nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    check_shape("deformation", deformation.shape[0], deformation.shape[1], n,
                candidates * kDeformation, false);
    check_shape("on", on.shape[0], on.shape[1], n, candidates, false);
    const size_t nd = candidates * kDeformation, size = candidates * kTouchRecord;
    std::vector<double> tau(n * nv), rates(n * nd), records(n * size);
    const long stride = parameters.shape[0] == 1 ? 0 : long(width);
    if (n > 0 && !kernels().flow->compliant_forces(
                     world, self.numbers, long(n), parameters.data, stride, q.data, v.data,
                     deformation.data, on.data, tau.data(), rates.data(), records.data())) {
        PyErr_SetString(PyExc_ArithmeticError, "forces of contacts are not finite");
        throw nb::python_error();
    }
    return nb::make_tuple(rows_of(tau, npy_intp(n), npy_intp(nv)),
                          rows_of(rates, npy_intp(n), npy_intp(nd)),
                          rows_of(records, npy_intp(n), npy_intp(size)));
}

// efforts that a function of (t, q, v) computes, and Ctrl-C
class Efforts final : public HybridOutside {
   public:
    Efforts(const Tree& tree, nb::handle function) : tree_(tree), function_(function) {}

    void efforts(int, double t, const double* q, const double* v, double* tau) override {
        const Owned time(PyFloat_FromDouble(t)), at_q(row_of(q, tree_.nq)),
            at_v(row_of(v, tree_.nv));
        if (!time.object || !at_q.object || !at_v.object) throw PythonError();
        const Owned found(call_python(function_.ptr(), time.object, at_q.object, at_v.object));
        if (!found.object) throw PythonError();
        Owned keep;
        const Numbers numbers = given_array("effort", found.object, 1, keep);
        check_shape("effort", 1, numbers.size, 1, tree_.nv, false);
        for (int k = 0; k < tree_.nv; ++k) tau[k] += numbers.data[k];
    }
    double guard(int, int, double, const double*, const double*) override { return 0; }
    void reset(int, double, std::vector<double>&, std::vector<double>&) override {}
    const double* table(int, const double*) override { return nullptr; }
    bool interrupted() override { return interrupt_.stopped(); }
    bool abandoned() override { return interrupt_.stopped(); }

   private:
    const Tree& tree_;
    nb::handle function_;
    InterruptCheck interrupt_;
};

void flow(const CompliantStatement& statement, Efforts& outside, std::vector<HybridMotion>& motions,
          int threads) {
    const auto& kernel = *kernels().flow;
    if (statement.efforts) {
        kernel.compliant(statement, &outside, motions.data(), long(motions.size()));
        return;
    }
    const GilRelease release;
    const long chunk = 64, chunks = (long(motions.size()) + chunk - 1) / chunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    std::atomic<long> next{0};
    const auto share = [&](long) {
        // with one worker the lanes never wait for a chunk to end
        const long step = workers == 1 ? chunks : 1;
        for (long k = next.fetch_add(step); k < chunks; k = next.fetch_add(step)) {
            const long begin = k * chunk,
                       end = std::min(long(motions.size()), begin + step * chunk);
            kernel.compliant(statement, &outside, motions.data() + begin, end - begin);
            if (outside.interrupted()) return;
        }
    };
    if (!run_with_helpers(workers - 1, share, [&] { outside.interrupted(); })) {
        throw std::runtime_error(
            "the process was forked while threads computed motions, which the child has lost: "
            "do not fork in a signal handler, or use threads=1");
    }
}

// what a motion remembers while it pauses: counts of steps and events, when and how often events
// came at once, and whether a step follows
constexpr size_t kCounts = 5;

void remember(HybridMotion& motion, const double* row, size_t step, size_t exits, double end) {
    const double* s = row + kCounts;
    const auto counts = [](double x) { return x >= 0 && x < 1e9; };
    const bool paused = row[4] != 0;
    if (!(counts(row[0]) && counts(row[1]) && counts(row[3])) ||
        (paused && !(s[1] > 0 && s[1] <= end - s[0] && s[3] >= -1 && s[3] < double(exits))))
        throw std::invalid_argument("memory must be what an earlier run to the same end returned");
    motion.steps = long(row[0]), motion.n_events = long(row[1]);
    motion.first_event = row[2], motion.at_once = int(row[3]);
    if (paused) motion.step.assign(s, s + step);
}

nb::dict told(const std::vector<HybridMotion>& motions, size_t nq, size_t nv, size_t step) {
    std::vector<double> memory;
    for (const HybridMotion& motion : motions) {
        memory.insert(memory.end(),
                      {double(motion.steps), double(motion.n_events), motion.first_event,
                       double(motion.at_once), double(!motion.step.empty())});
        memory.insert(memory.end(), motion.step.begin(), motion.step.end());
        memory.resize(memory.size() + step - motion.step.size());
    }
    std::vector<double> q, v, status, events, event_q, before, after, samples, at_q, at_v;
    const auto add = [](std::vector<double>& to, const std::vector<double>& row) {
        to.insert(to.end(), row.begin(), row.end());
    };
    for (size_t k = 0; k < motions.size(); ++k) {
        const HybridMotion& motion = motions[k];
        add(q, motion.q), add(v, motion.v);
        add(status,
            {motion.t, double(motion.ended == HybridEnd::paused ? HybridEnd::time : motion.ended),
             double(motion.rejected)});
        for (const HybridEvent& event : motion.events) {
            add(events, {double(k), event.t, double(event.phase), double(event.exit)});
            add(event_q, event.q), add(before, event.v), add(after, event.next_v);
        }
        for (const HybridSample& sample : motion.samples) {
            add(samples, {double(k), sample.t});
            add(at_q, sample.q), add(at_v, sample.v);
        }
    }
    nb::dict found;
    const auto give = [&](const char* name, const std::vector<double>& rows, size_t width) {
        const npy_intp n = npy_intp(width ? rows.size() / width : 0);
        found[name] = rows_of(rows, n, npy_intp(width));
    };
    give("q", q, nq), give("v", v, nv), give("status", status, 3), give("events", events, 4);
    give("event_q", event_q, nq), give("before", before, nv), give("after", after, nv);
    give("samples", samples, 2), give("sample_q", at_q, nq), give("sample_v", at_v, nv);
    give("memory", memory, kCounts + step);
    return found;
}

nb::dict run(const CoreCompliant& self, nb::handle given_q, nb::handle given_v,
             nb::handle given_tau, nb::handle given_memory, nb::handle parts,
             nb::handle part_numbers, const std::vector<int>& linkage, bool friction,
             nb::handle efforts, double dt, long first, long last, long end, long every,
             double rtol, double atol, double longest_step, long most_events, long most_steps,
             int threads) {
    const World& world = *self.world;
    CompliantStatement statement;
    statement.world = &world, statement.contact = self.numbers, statement.friction = friction;
    if (!parts.is_none()) {
        statement.parts = smooth_parts(*world.tree, parts);
        statement.part_numbers = part_row(statement.parts, part_numbers);
    }
    const size_t nq = world.tree->nq, candidates = world.n_candidates();
    const size_t nv = size_t(world.tree->nv) * 4 + statement.parts.list.size() + kLosses +
                      (kDeformation + 1) * candidates;
    const size_t nt = world.tree->nv + 2;
    statement.linkage = linkage;
    check_shape("linkage", 1, linkage.size(), 1, nq + world.tree->nv, false);
    for (int each : linkage) {
        if (each < 0 || each > world.tree->n_bodies)
            throw std::invalid_argument("linkages must be numbers from 0");
        statement.linkages = std::max(statement.linkages, each + 1);
    }
    if (!(rtol > 0 && atol > 0 && dt > 0 && every > 0) || threads < 1 || threads > 1024)
        throw std::invalid_argument("rtol, atol, dt, every and threads must be positive");
    if (!(0 <= first && first < last && last <= end && (last - first) % every == 0))
        throw std::invalid_argument("first, last and end must rise from 0, by whole `every`");
    statement.dt = dt, statement.first = first, statement.every = every;
    statement.last = last < end ? last : last - every;  // at the end a motion is its last sample
    statement.numbers.rtol = rtol, statement.numbers.atol = atol;
    statement.numbers.duration = double(end) * dt, statement.numbers.pause = double(last) * dt;
    statement.numbers.longest_step = longest_step;
    statement.numbers.most_events = most_events, statement.numbers.most_steps = most_steps;
    statement.numbers.per_second = 1;
    statement.efforts = !efforts.is_none();
    Owned own[4];
    const Numbers q = given_array("q", given_q.ptr(), 2, own[0]);
    const Numbers v = given_array("v", given_v.ptr(), 2, own[1]);
    const Numbers tau = given_array("tau", given_tau.ptr(), 2, own[2]);
    Numbers memory{};
    if (!given_memory.is_none()) memory = given_array("memory", given_memory.ptr(), 2, own[3]);
    const size_t step = HybridMotion::step_size(nq + nv, candidates, candidates);
    const size_t n = q.shape[0];
    check_shape("q", n, q.shape[1], n, nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    check_shape("tau", tau.shape[0], tau.shape[1], n, nt, false);
    check_finite("q", q.data, q.size), check_finite("v", v.data, v.size);
    check_finite("tau", tau.data, tau.size);
    if (memory.data)
        check_shape("memory", memory.shape[0], memory.shape[1], n, kCounts + step, false),
            check_finite("memory", memory.data, memory.size);
    std::vector<HybridMotion> motions(n);
    for (size_t k = 0; k < n; ++k) {
        motions[k].t = double(first) * dt;
        if (memory.data)
            remember(motions[k], memory.data + k * (kCounts + step), step, candidates,
                     double(end) * dt);
        motions[k].q.assign(q.data + k * nq, q.data + (k + 1) * nq);
        motions[k].v.assign(v.data + k * nv, v.data + (k + 1) * nv);
        motions[k].tau.assign(tau.data + k * nt, tau.data + (k + 1) * nt);
    }
    Efforts outside(*world.tree, efforts);
    flow(statement, outside, motions, threads);
    if (PyErr_Occurred()) throw PythonError();
    return told(motions, nq, nv, step);
}

}  // namespace

void bind_compliant(nb::module_& m) {
    nb::class_<CoreCompliant>(m, "Compliant", "Compliant contacts of what may touch in a world.")
        .def("__init__", &make, nb::arg("world").none(), nb::arg("normal"), nb::arg("slip"),
             nb::arg("numbers"))
        .def("forces", &forces, nb::arg("parameters").none(), nb::arg("q").none(),
             nb::arg("v").none(), nb::arg("deformation").none(), nb::arg("on").none(),
             "Generalised forces (n, nv), rates of deformations (n, 8 candidates), and records (n, "
             "18 candidates) at n states with deformations (n, 8 candidates) of contacts that are "
             "on, 1 or 0 (n, candidates).")
        .def("run", &run, nb::arg("q").none(), nb::arg("v").none(), nb::arg("tau").none(),
             nb::arg("memory").none(), nb::arg("parts").none(), nb::arg("part_numbers").none(),
             nb::arg("linkage"), nb::kw_only(), nb::arg("friction"), nb::arg("efforts").none(),
             nb::arg("dt"), nb::arg("first"), nb::arg("last"), nb::arg("end"), nb::arg("every"),
             nb::arg("rtol"), nb::arg("atol"), nb::arg("longest_step"), nb::arg("most_events"),
             nb::arg("most_steps"), nb::arg("threads"),
             "Motions from q (n, nq) and v (n, velocities, deformations, works, switches) under "
             "efforts, friction and viscous friction tau (n, nv + 2), from `first` to `last` dt; "
             "forces may jump at `end` dt, where steps end. `memory` is what the last run has "
             "returned, or None. Returns arrays by name.");
}

}  // namespace tarsus
