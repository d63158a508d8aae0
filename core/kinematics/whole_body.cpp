// Whole-body control, one state or many: dynamics, programmes, and the efforts that they ask for.
//
// Limits of efforts are rows that are seldom needed. A state that did not need them in the step
// before is solved without them at first; where an effort is then beyond its limit, once more with
// all of them.
#include "kinematics/whole_body.hpp"

#include "kinematics/body_assembly.hpp"

namespace tarsus::TARSUS_ISA {

extern const ProgrammeKernel programme_kernel;
extern const Kernel mass_matrix_kernel, bias_forces_kernel, passive_forces_kernel;

namespace {

constexpr long kStatesAtOnce = 32;  // whose programmes are in memory together
constexpr double kBeyond = 1e-9;    // of a limit, by which it may be missed

// f(q, v) of states in plain memory, by one of the kernels; q alone where v is null
void evaluate(const Kernel& kernel, const Tree& tree, const TaskStates& given, const double* v,
              double* out, int size, Scratch scratch) {
    Call call;
    const long states = call.states = given.count;
    call.in[0] = given.q, call.size[0] = tree.nq, call.stride[0] = tree.nq;
    call.in[kTable] = given.table;
    if (given.table) call.size[kTable] = call.stride[kTable] = tree.table_size;
    if (v) call.in[1] = v, call.size[1] = tree.nv, call.stride[1] = tree.nv;
    call.out = out, call.out_size = size;
    const bool one = states == 1;
    std::byte* memory = scratch.take<std::byte>(one ? kernel.bytes_one(tree, call)
                                                    : kernel.bytes_lanes(tree, call));
    if (one) kernel.one(tree, call, memory);
    else kernel.lanes(tree, call, 0, states, memory);
}
size_t evaluate_bytes(const Tree& tree) {
    const double some = 0;
    size_t most = 0;
    for (const Kernel* kernel :
         {&mass_matrix_kernel, &bias_forces_kernel, &passive_forces_kernel}) {
        Call call;
        call.in[0] = call.in[1] = call.in[kTable] = &some;
        call.size[kTable] = tree.table_size;
        call.size[0] = tree.nq, call.size[1] = tree.nv, call.out_size = tree.nv * tree.nv;
        most = std::max({most, kernel->bytes_one(tree, call), kernel->bytes_lanes(tree, call)});
    }
    return bytes_of<std::byte>(most);
}

class Body {
   public:
    Body(const Tree& tree, const TaskSet& set, const BodyStatement& stated,
         const std::vector<char>& between, int limits, long most, Scratch& scratch)
        : tree_(tree),
          set_(set),
          stated_(stated),
          all_(tree, set, stated, between, limits, most, scratch),
          idle_(stated.zero),
          loads_(all_.firm - idle_),
          some_(scratch.take<double>(2 * most * tree.nv)),
          slack_(scratch.take<double>(most * all_.rows)),
          at_(scratch.take<signed char>(most * (all_.n + all_.rows))),
          force_(scratch.take<double>(all_.n + all_.kept + all_.rows)) {}
    static size_t bytes(const Tree& tree, const BodyStatement& stated, int limits, long most) {
        const long n = tree.nv + stated.forces();
        const long kept = stated.held() + long(stated.weight.size());
        const long rows = stated.drives() + long(stated.contacts.size()) + limits;
        return BodyAssembly::bytes(tree, stated, limits, most) +
               bytes_of<double>(2 * most * tree.nv) + bytes_of<double>(most * rows) +
               bytes_of<signed char>(most * (n + rows)) + bytes_of<double>(n + kept + rows);
    }

    template <class T>
    void run(const BodyStates& states, const BodyAnswers& answers, Scratch scratch) {
        dynamics(states, scratch);
        BodyRows<T> rows(tree_, set_, stated_, scratch);
        for (long s = 0; s < states.count; s += kLaneCount<T>) {
            rows.at(states, s);
            for (int l = 0; l < kLaneCount<T> && s + l < states.count; ++l)
                all_.state(s + l, states, rows, l);
        }
        found_.assign(states.count, {});
        std::vector<long> first, second;
        for (long s = 0; s < states.count; ++s) {
            std::fill_n(slack_ + s * all_.rows, all_.rows, 0.0);
            (begin(s, states) ? second : first).push_back(s);
        }
        solve(first, all_.firm, states.start != nullptr, answers);
        const bool started = states.start || !first.empty();
        for (long s : first) {
            if (beyond(s, states, answers)) second.push_back(s);
        }
        std::sort(second.begin(), second.end());
        for (long s : second) all_.limits(s, states);
        solve(second, all_.rows, started, answers);
        for (long s : second) all_.efforts(s, answers.x + s * all_.n, answers.tau + s * all_.nv);
        for (long s = 0; s < states.count; ++s) tell(s, answers);
    }

   private:
    void dynamics(const BodyStates& states, const Scratch& scratch) {
        const long count = states.count * tree_.nv;
        evaluate(mass_matrix_kernel, tree_, states, nullptr, all_.mass, tree_.nv * tree_.nv,
                 scratch);
        evaluate(bias_forces_kernel, tree_, states, states.v, all_.bias, tree_.nv, scratch);
        if (!stated_.springs) return;
        // springs and dampers: dry friction is the same at v and at 2 v, and left out
        const auto less = [&](double times, double share) {
            double* v = some_ + count;
            for (long k = 0; k < count; ++k) v[k] = times * states.v[k];
            evaluate(passive_forces_kernel, tree_, states, v, some_, tree_.nv, scratch);
            for (long k = 0; k < count; ++k)
                all_.bias[k] = neg_mul_add(share, some_[k], all_.bias[k]);
        };
        if (!stated_.rubs) return less(1.0, 1.0);
        less(0.0, 1.0), less(2.0, 1.0), less(1.0, -1.0);
    }

    // where a state begins; true if limits of efforts held in the step before. Users have loads and
    // given limits last.
    bool begin(long s, const BodyStates& states) {
        const int size = all_.n + all_.rows, limits = all_.rows - all_.firm;
        signed char* at = at_ + s * size;
        if (!states.start) return std::fill_n(at, size, 0), false;
        const signed char* from = states.start + s * size;
        std::copy_n(from, all_.n + idle_, at);
        std::copy_n(from + size - loads_, loads_, at + all_.n + idle_);
        std::copy_n(from + all_.n + idle_, limits, at + all_.n + all_.firm);
        return std::any_of(at + all_.n + all_.firm, at + size,
                           [](signed char a) { return a != 0; });
    }
    // of some states, with so many of their rows
    void solve(const std::vector<long>& which, int rows, bool start, const BodyAnswers& answers) {
        if (which.empty()) return;
        ProgrammeShape shape;
        shape.variables = all_.n, shape.tasks = all_.kept, shape.rows = rows;
        shape.levels = stated_.levels;
        if (all_.folds) shape.levels[0] -= int(set_.postures.size());
        shape.levels[0] += all_.held;
        shape.most_passes = 4 * (all_.n + rows) + 100;
        std::vector<Programme> given;
        std::vector<ProgrammeAnswer> answer(which.size());
        for (size_t k = 0; k < which.size(); ++k) {
            const long s = which[k];
            given.push_back(all_.programme(s));
            signed char* at = at_ + s * (all_.n + all_.rows);
            if (start) given.back().start = at;
            answer[k].v = answers.x + s * all_.n, answer[k].at = at;
            answer[k].slack = slack_ + s * all_.rows;
            // nobody asks for these: all states write to one place
            answer[k].bound_force = force_, answer[k].task_force = force_ + all_.n;
            answer[k].row_force = force_ + all_.n + all_.kept;
        }
        programme_kernel.solve(shape, given.data(), answer.data(), long(which.size()));
        for (size_t k = 0; k < which.size(); ++k) {
            const int before = found_[which[k]].passes;
            found_[which[k]] = answer[k];
            found_[which[k]].passes += before;
        }
    }
    // whether a limit of efforts is missed; tau is there then
    bool beyond(long s, const BodyStates& states, const BodyAnswers& answers) const {
        double* tau = answers.tau + s * all_.nv;
        all_.efforts(s, answers.x + s * all_.n, tau);
        for (int k = 0; k < int(stated_.effort.size()); ++k) {
            const double most = stated_.effort[k];
            if (!(std::abs(all_.drive(s, states, k, tau)) <= most + kBeyond * most)) return true;
        }
        return false;
    }
    void tell(long s, const BodyAnswers& answers) const {
        const int n = all_.n, limits = all_.rows - all_.firm, size = n + all_.rows;
        for (int k : stated_.idle) answers.tau[s * all_.nv + k] = 0;  // not where there are motors
        const signed char* at = at_ + s * size;
        signed char* to = answers.at + s * size;
        std::copy_n(at, n + idle_, to);
        std::copy_n(at + n + all_.firm, limits, to + n + idle_);
        std::copy_n(at + n + idle_, loads_, to + size - loads_);
        const double* slack = slack_ + s * all_.rows;
        double* missed = answers.slack + s * all_.rows;
        std::copy_n(slack, idle_, missed), std::copy_n(slack + all_.firm, limits, missed + idle_);
        std::copy_n(slack + idle_, loads_, missed + all_.rows - loads_);
        const ProgrammeAnswer& found = found_[s];
        answers.slip[s] = all_.slip(s, answers.x + s * n), answers.missed[s] = found.missed;
        // where loops cannot be closed there is nothing to do
        if (found.end == ProgrammeEnd::not_finite)
            std::fill_n(answers.tau + s * all_.nv, all_.nv, 0.0), answers.slip[s] = 0;
        answers.code[s] = int(found.end), answers.passes[s] = found.passes;
        answers.worst[s] = found.worst;
        if (found.worst >= n + idle_ + loads_) answers.worst[s] -= loads_;
        else if (found.worst >= n + idle_) answers.worst[s] += limits;
    }

    const Tree& tree_;
    const TaskSet& set_;
    const BodyStatement& stated_;
    BodyAssembly all_;
    const int idle_, loads_;
    double *some_, *slack_;
    signed char* at_;
    double* force_;
    std::vector<ProgrammeAnswer> found_;
};

}  // namespace

void whole_body(const Tree& tree, const TaskSet& set, const BodyStatement& stated,
                const BodyStates& states, const BodyAnswers& answers) {
    const bool one = states.count == 1;
    const long most = std::min(states.count, kStatesAtOnce), loads = long(stated.contacts.size());
    const std::vector<char> between(states.between, states.between + loads);
    const int n = tree.nv + stated.forces(), limits = states.limits;
    const int rows = stated.drives() + int(std::count(between.begin(), between.end(), 1)) + limits;
    const size_t each =
        one ? BodyRows<double>::bytes(tree, set) : BodyRows<Lanes>::bytes(tree, set);
    WorkMemory lent;
    Scratch scratch(
        lent.get(Body::bytes(tree, stated, limits, most) + std::max(each, evaluate_bytes(tree))));
    Body body(tree, set, stated, between, limits, most, scratch);
    const BodySizes sizes{tree.nq, tree.nv, loads, n, rows, tree.table_size, stated.drives()};
    for (long from = 0; from < states.count; from += most) {
        const long count = std::min(most, states.count - from);
        const BodyStates part = part_of(states, sizes, from, count);
        const BodyAnswers to = part_of(answers, sizes, from);
        // how a state is computed does not depend on how many are left
        if (one) body.run<double>(part, to, scratch);
        else body.run<Lanes>(part, to, scratch);
    }
}

}  // namespace tarsus::TARSUS_ISA
