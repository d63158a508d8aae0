// Motions with events: phases, guards and resets as Python states them, and what became of each
// motion.
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <atomic>

#include "bindings/flow.hpp"
#include "bindings/parameters.hpp"
#include "bindings/thread_pool.hpp"

namespace tarsus {

namespace {

using Rows = std::vector<std::vector<double>>;
constexpr size_t kTermNumbers = 15;

// kind, coefficient, index, other, body a and a point on it, body b and a point on it, direction
GuardTerm term_of(const Tree& tree, const std::vector<double>& row) {
    if (row.size() != kTermNumbers) throw std::invalid_argument("a term of a guard has 15 numbers");
    GuardTerm term{TermKind(int(row[0])), row[1],      int(row[2]),
                   int(row[3]),           int(row[4]), int(row[8])};
    const auto place = [&](int body, const double* point, double* on) {
        const std::vector<double> placement = {1, 0, 0, point[0], 0, 1, 0, point[1],
                                               0, 0, 1, point[2], 0, 0, 0, 1};
        const FrameOnBody frame = frame_on_body(tree, body, placement);
        std::copy_n(frame.position, 3, on);
    };
    place(term.a, &row[5], term.on_a), place(term.b, &row[9], term.on_b);
    std::copy_n(&row[12], 3, term.direction);
    const auto between = [](int index, int end) {
        if (index < 0 || index >= end)
            throw std::invalid_argument("a guard's index is out of range");
    };
    if (term.kind == TermKind::position)
        between(term.index, tree.joint_nq), between(term.other, tree.joint_nv);
    if (term.kind == TermKind::velocity) between(term.index, tree.nv);
    return term;
}

GuardSum guard_of(const Tree& tree, nb::handle given) {
    const auto [constant, rows] = nb::cast<std::pair<double, Rows>>(given);
    GuardSum sum{constant, {}};
    for (const std::vector<double>& row : rows) sum.terms.push_back(term_of(tree, row));
    return sum;
}

const Tree& tree_of(nb::handle model) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    return nb::cast<const CoreModel&>(model).tree;
}

// (kind, matrix, shift, rates, model, function, nq, nv, wide): of a linear map, a projection or a
// function
ResetStep reset_of(nb::handle given) {
    const nb::tuple t = nb::cast<nb::tuple>(given);
    ResetStep step;
    step.kind = ResetStep::Kind(nb::cast<int>(t[0]));
    step.matrix = nb::cast<std::vector<double>>(t[1]);
    step.shift = nb::cast<std::vector<double>>(t[2]);
    step.rates = nb::cast<std::vector<double>>(t[3]);
    if (step.kind == ResetStep::Kind::project) {
        step.tree = &tree_of(t[4]);
        step.wide = wide_of(*step.tree, t[8]);
    }
    step.function = nb::cast<int>(t[5]);
    step.nq = nb::cast<int>(t[6]), step.nv = nb::cast<int>(t[7]);
    return step;
}

// sizes of states must fit from reset to reset and into the next phase
void check_resets(const Exit& exit, const std::vector<Phase>& phases, const Tree& from) {
    int nq = from.nq, nv = from.nv;
    const auto refuse = [] { throw std::invalid_argument("a reset does not fit its phases"); };
    for (const ResetStep& step : exit.reset) {
        if (step.kind == ResetStep::Kind::linear) {
            if (long(step.matrix.size()) != long(step.nq) * nq ||
                int(step.shift.size()) != step.nq || long(step.rates.size()) != long(step.nv) * nv)
                refuse();
        } else if (step.kind == ResetStep::Kind::project) {
            if (step.tree->nq != nq || step.tree->nv != nv) refuse();
            continue;
        }
        nq = step.nq, nv = step.nv;
    }
    if (exit.to >= int(phases.size())) throw std::invalid_argument("an exit leads to no phase");
    if (exit.to >= 0 && (phases[exit.to].tree->nq != nq || phases[exit.to].tree->nv != nv))
        refuse();
}

// What users' functions compute, with the interpreter held.
class PythonHybrid final : public HybridOutside {
   public:
    std::vector<const CoreModel*> models;
    std::vector<nb::object> efforts_of;  // a function of (t, q, v) for each phase, or None
    std::vector<nb::object> functions;
    // (t, q, v) → derivatives by rows, for each phase and for each function, or None
    std::vector<nb::object> derivatives_of_efforts, derivatives;

    void efforts(int phase, double t, const double* q, const double* v, double* tau) override {
        const Tree& tree = models[phase]->tree;
        const nb::object found = call(efforts_of[phase], t, q, tree.nq, v, tree.nv);
        Owned keep;
        const Numbers numbers = given_array("tau", found.ptr(), 1, keep);
        check_shape("tau", 1, numbers.size, 1, tree.nv, false);
        for (size_t k = 0; k < numbers.size; ++k) tau[k] += numbers.data[k];
    }
    double guard(int function, int phase, double t, const double* q, const double* v) override {
        const Tree& tree = models[phase]->tree;
        const nb::object found = call(functions[function], t, q, tree.nq, v, tree.nv);
        const double value = PyFloat_AsDouble(found.ptr());
        if (value == -1.0 && PyErr_Occurred()) throw PythonError();
        return value;
    }
    void reset(int function, double t, std::vector<double>& q, std::vector<double>& v) override {
        const nb::object found =
            call(functions[function], t, q.data(), long(q.size()), v.data(), long(v.size()));
        const auto [next_q, next_v] =
            nb::cast<std::pair<std::vector<double>, std::vector<double>>>(found);
        q = next_q, v = next_v;
    }
    std::vector<double> derivative(int function, double t, const double* q, long nq,
                                   const double* v, long nv, long rows) override {
        return rows_of(call(derivatives[function], t, q, nq, v, nv), rows, 2 * nv + 1);
    }
    std::vector<double> efforts_derivative(int phase, double t, const double* q,
                                           const double* v) override {
        const Tree& tree = models[phase]->tree;
        const nb::object found = call(derivatives_of_efforts[phase], t, q, tree.nq, v, tree.nv);
        return rows_of(found, tree.nv, 2 * tree.nv + 1);
    }
    const double* table(int phase, const double* q) override {
        PythonOutside& tabulates = *tables_[phase];
        return tabulates.table(q, 1);
    }
    bool interrupted() override { return interrupt_.stopped(); }
    bool abandoned() override { return interrupt_.stopped(); }
    void prepare() {
        for (const CoreModel* model : models)
            tables_.push_back(std::make_unique<PythonOutside>(*model));
    }

   private:
    static std::vector<double> rows_of(const nb::object& found, long rows, long columns) {
        Owned keep;
        const Numbers numbers = given_array("derivative", found.ptr(), 2, keep);
        check_shape("derivative", numbers.shape[0], numbers.shape[1], rows, columns, false);
        return {numbers.data, numbers.data + numbers.size};
    }
    static nb::object call(const nb::object& function, double t, const double* q, long nq,
                           const double* v, long nv) {
        const Owned time(PyFloat_FromDouble(t)), at_q(row_of(q, nq)), at_v(row_of(v, nv));
        if (!time.object || !at_q.object || !at_v.object) throw PythonError();
        PyObject* found = call_python(function.ptr(), time.object, at_q.object, at_v.object);
        if (!found) throw PythonError();
        return nb::steal(found);
    }

    std::vector<std::unique_ptr<PythonOutside>> tables_;
    InterruptCheck interrupt_;
};

// (model, exits, parts, part_numbers, linkage, efforts, wide, derivative of efforts, ways)
void read_phases(nb::list given, HybridStatement& statement, PythonHybrid& outside) {
    for (nb::handle each : given) {
        const nb::tuple t = nb::cast<nb::tuple>(each);
        Phase phase;
        phase.tree = &tree_of(t[0]);
        phase.limbs = find_limbs(*phase.tree);
        const CoreModel& model = nb::cast<const CoreModel&>(t[0]);
        outside.models.push_back(&model);
        statement.needs_python = statement.needs_python || model.functions;
        if (!t[2].is_none()) {
            phase.parts = smooth_parts(*phase.tree, t[2]);
            phase.part_numbers = part_row(phase.parts, t[3]);
        }
        phase.linkage = nb::cast<std::vector<int>>(t[4]);
        check_shape("linkage", 1, phase.linkage.size(), 1, phase.tree->nq + phase.tree->nv, false);
        for (int linkage : phase.linkage) {
            if (linkage < 0 || linkage > phase.tree->n_bodies)
                throw std::invalid_argument("linkages must be numbers from 0");
            phase.linkages = std::max(phase.linkages, linkage + 1);
        }
        phase.efforts = !t[5].is_none();
        statement.needs_python = statement.needs_python || phase.efforts;
        outside.efforts_of.push_back(nb::borrow(t[5]));
        phase.wide = wide_of(*phase.tree, t[6]);
        outside.derivatives_of_efforts.push_back(nb::borrow(t[7]));
        phase.ways = ways_of(*phase.tree, t[8]);
        statement.derivatives = phase.wide.tree != nullptr;
        statement.phases.push_back(std::move(phase));
    }
    int k = 0;
    for (nb::handle each : given) {
        Phase& phase = statement.phases[k++];
        for (nb::handle way : nb::cast<nb::list>(nb::cast<nb::tuple>(each)[1])) {
            const nb::tuple e = nb::cast<nb::tuple>(way);
            Exit exit;
            exit.guard = guard_of(*phase.tree, e[0]);
            for (nb::handle condition : nb::cast<nb::list>(e[1]))
                exit.conditions.push_back(guard_of(*phase.tree, condition));
            exit.crossing = Crossing(nb::cast<int>(e[2]));
            for (nb::handle step : nb::cast<nb::list>(e[3])) exit.reset.push_back(reset_of(step));
            exit.to = nb::cast<int>(e[4]);
            if (phase.wide.tree) exit.wide = guard_of(*phase.wide.tree, e[5]);
            check_resets(exit, statement.phases, *phase.tree);
            const auto asks = [&](const GuardSum& sum) {
                for (const GuardTerm& term : sum.terms) {
                    if (term.kind != TermKind::function) continue;
                    if (term.index < 0 || term.index >= int(outside.functions.size()))
                        throw std::invalid_argument("a guard has no function");
                    statement.needs_python = true;
                }
            };
            asks(exit.guard), asks(exit.wide);
            for (const GuardSum& condition : exit.conditions) asks(condition);
            for (const ResetStep& step : exit.reset) {
                if (step.kind != ResetStep::Kind::function) continue;
                if (step.function < 0 || step.function >= int(outside.functions.size()))
                    throw std::invalid_argument("a reset has no function");
                statement.needs_python = true;
            }
            phase.exits.push_back(std::move(exit));
        }
    }
}

// An array of so many rows, added one after the other; those of smaller states end with zeros.
class StateRows {
   public:
    StateRows(size_t rows, size_t width) : width_(width) {
        npy_intp shape[2] = {npy_intp(rows), npy_intp(width)};
        PyObject* made = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
        if (!made) throw nb::python_error();
        array = nb::steal(made);
        next_ = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
    }
    void add(const std::vector<double>& row) {
        const size_t size = std::min(row.size(), width_);
        std::fill(std::copy_n(row.begin(), size, next_), next_ + width_, 0.0);
        next_ += width_;
    }

    nb::object array;

   private:
    size_t width_;
    double* next_;
};

// what became of the motions, as arrays by name
nb::dict told(const HybridStatement& statement, const std::vector<HybridMotion>& motions) {
    size_t nq = 0, nv = 0;
    for (const Phase& phase : statement.phases) {
        nq = std::max<size_t>(nq, phase.tree->nq), nv = std::max<size_t>(nv, phase.tree->nv);
    }
    size_t n = motions.size(), n_events = 0, n_samples = 0;
    for (const HybridMotion& motion : motions)
        n_events += motion.events.size(), n_samples += motion.samples.size();
    StateRows q(n, nq), v(n, nv), status(n, 8), events(n_events, 4), before_q(n_events, nq),
        before_v(n_events, nv), after_q(n_events, nq), after_v(n_events, nv), samples(n_samples, 3),
        at_q(n_samples, nq), at_v(n_samples, nv);
    for (size_t k = 0; k < motions.size(); ++k) {
        const HybridMotion& motion = motions[k];
        q.add(motion.q), v.add(motion.v);
        status.add({motion.t, double(motion.phase), double(motion.ended), double(motion.n_events),
                    double(motion.steps), double(motion.rejected), double(motion.element), 0.0});
        for (const HybridEvent& event : motion.events) {
            events.add({double(k), event.t, double(event.phase), double(event.exit)});
            before_q.add(event.q), before_v.add(event.v);
            after_q.add(event.next_q), after_v.add(event.next_v);
        }
        for (const HybridSample& sample : motion.samples) {
            samples.add({double(k), sample.t, double(sample.phase)});
            at_q.add(sample.q), at_v.add(sample.v);
        }
    }
    nb::dict found;
    found["q"] = q.array, found["v"] = v.array, found["status"] = status.array;
    found["events"] = events.array;
    found["before_q"] = before_q.array, found["before_v"] = before_v.array;
    found["after_q"] = after_q.array, found["after_v"] = after_v.array;
    found["samples"] = samples.array;
    if (statement.derivatives) {
        const size_t m = statement.phases[0].wide.columns;
        StateRows columns(n, 2 * nv * m), time(n, m);
        for (const HybridMotion& motion : motions)
            columns.add(motion.columns), time.add(motion.time);
        found["columns"] = columns.array, found["time"] = time.array;
    }
    found["sample_q"] = at_q.array, found["sample_v"] = at_v.array;
    return found;
}

void run(const HybridStatement& statement, PythonHybrid& outside,
         std::vector<HybridMotion>& motions, int threads) {
    const auto& kernel = *kernels().flow;
    if (statement.needs_python) {
        kernel.hybrid(statement, &outside, motions.data(), long(motions.size()));
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
            kernel.hybrid(statement, &outside, motions.data() + begin, end - begin);
            if (outside.interrupted()) return;
        }
    };
    if (!run_with_helpers(workers - 1, share, [&] { outside.interrupted(); })) {
        throw std::runtime_error(
            "the process was forked while threads computed motions, which the child has lost: "
            "do not fork in a signal handler, or use threads=1");
    }
}

nb::dict hybrid_flow(nb::list phases, nb::list functions, nb::list derivatives, nb::handle given_q,
                     nb::handle given_v, nb::handle given_tau, int first, double duration,
                     double rtol, double atol, double first_step, double longest_step,
                     double sample_every, long most_events, long most_steps, bool record,
                     int threads) {
    HybridStatement statement;
    PythonHybrid outside;
    for (nb::handle each : functions) outside.functions.push_back(nb::borrow(each));
    for (nb::handle each : derivatives) outside.derivatives.push_back(nb::borrow(each));
    if (outside.derivatives.size() != outside.functions.size())
        throw std::invalid_argument("functions and derivatives must be as many");
    read_phases(phases, statement, outside);
    outside.prepare();
    if (first < 0 || first >= int(statement.phases.size()))
        throw std::invalid_argument("there is no such phase");
    if (!(rtol > 0 && atol > 0 && duration >= 0) || threads < 1 || threads > 1024)
        throw std::invalid_argument("rtol, atol, duration and threads must be positive");
    statement.numbers = {.rtol = rtol,
                         .atol = atol,
                         .duration = duration,
                         .first_step = first_step,
                         .longest_step = longest_step,
                         .sample_every = sample_every,
                         .most_events = most_events,
                         .most_steps = most_steps,
                         .record = record};
    const Tree& tree = *statement.phases[first].tree;
    Owned own_q, own_v, own_tau;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const Numbers tau = given_array("tau", given_tau.ptr(), 2, own_tau);
    const size_t n = q.shape[0];
    check_shape("q", n, q.shape[1], n, tree.nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, tree.nv, false);
    check_shape("tau", tau.shape[0], tau.shape[1], n, tree.nv, true);
    check_finite("q", q.data, q.size), check_finite("v", v.data, v.size);
    check_finite("tau", tau.data, tau.size);
    std::vector<HybridMotion> motions(n);
    for (size_t k = 0; k < n; ++k) {
        motions[k].phase = first;
        motions[k].q.assign(q.data + k * tree.nq, q.data + (k + 1) * tree.nq);
        motions[k].v.assign(v.data + k * tree.nv, v.data + (k + 1) * tree.nv);
        const double* own = tau.data + (tau.shape[0] == 1 ? 0 : k * tree.nv);
        motions[k].tau.assign(own, own + tree.nv);
    }
    run(statement, outside, motions, threads);
    if (PyErr_Occurred()) throw PythonError();
    return told(statement, motions);
}

}  // namespace

void bind_hybrid(nb::module_& m) {
    m.def("hybrid_flow", &hybrid_flow, nb::arg("phases"), nb::arg("functions"),
          nb::arg("derivatives"), nb::arg("q").none(), nb::arg("v").none(), nb::arg("tau").none(),
          nb::kw_only(), nb::arg("first"), nb::arg("duration"), nb::arg("rtol"), nb::arg("atol"),
          nb::arg("first_step"), nb::arg("longest_step"), nb::arg("sample_every"),
          nb::arg("most_events"), nb::arg("most_steps"), nb::arg("record"), nb::arg("threads"),
          "Motions through phases with events; returns arrays by name.");
}

}  // namespace tarsus
