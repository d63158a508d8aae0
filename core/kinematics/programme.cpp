// Problems one by one or in lanes, level by level: a lane that is done takes the next problem at
// once. What happens to a problem depends on nothing but itself.
#include "kinematics/programme.hpp"

#include "kinematics/active_set.hpp"
#include "kinematics/level_statement.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr long kFewest = 3;  // problems that are worth lanes
constexpr int kProximalSteps = 6;

bool all_between(const double* a, int size, double low, double high) {
    for (int k = 0; k < size; ++k) {
        if (!(a[k] >= low && a[k] <= high)) return false;
    }
    return true;
}

// whether numbers are finite, and not beyond a limit
bool all_within(const double* a, int size, double limit) {
    Lanes most(0.0), check(0.0);
    int k = 0;
    for (; k + kLanes <= size; k += kLanes) {
        const Lanes x = lanes_at(a + k);
        most = greater(absolute(x), most), check = finite_check(x, check);
    }
    double found = 0.0, rest = 0.0;
    for (; k < size; ++k) found = greater(absolute(a[k]), found), rest = finite_check(a[k], rest);
    for (int l = 0; l < kLanes; ++l) found = greater(most[l], found);
    return is_finite(check) && is_finite(rest) && found <= limit;
}

class Solver {
   public:
    Solver(const ProgrammeShape& shape, const Programme* given, ProgrammeAnswer* answers,
           long count)
        : shape_(shape), given_(given), answers_(answers), count_(count) {}

    void operator()() {
        const bool lanes = count_ >= kFewest;
        Scratch scratch(memory_.get(ActiveSet<double>::bytes(shape_) +
                                    LevelStatement::bytes(shape_) +
                                    (lanes ? ActiveSet<Lanes>::bytes(shape_) : 0)));
        ActiveSet<double> one(shape_, scratch);
        LevelStatement statement(shape_, scratch);
        one_ = &one, statement_ = &statement;
        for (long k = 0; k < count_; ++k) begin(k);
        first_ = last_ = 0;
        for (size_t level = 0; level < shape_.levels.size(); ++level) {
            first_ = last_, last_ += shape_.levels[level];
            level_ = level;
            if (lanes) {
                Scratch rest = scratch;
                ActiveSet<Lanes> set(shape_, rest);
                run(set);
            } else {
                for (long k = 0; k < count_; ++k) {
                    if (goes_on(k)) load(k, start(k)), go(k);
                }
            }
            for (long k = 0; k < count_; ++k) {
                if (answers_[k].end == ProgrammeEnd::infeasible) relax(k);
                remember(k);
            }
        }
        for (long k = 0; k < count_; ++k) end(k);
    }

   private:
    bool valid(const Programme& given) const {
        constexpr double kMost = kLargestNumber, kLeast = 1.0 / kLargestNumber;
        const int n = shape_.variables, tasks = shape_.tasks, rows = shape_.rows;
        return all_within(given.task, tasks * n, kMost) && all_within(given.row, rows * n, kMost) &&
               all_between(given.target, tasks, -kMost, kMost) &&
               all_between(given.weight, tasks, 0.0, kMost) &&
               all_between(given.damping, n, kLeast, kMost) &&
               all_between(given.reference, n, -kMost, kMost) &&
               (!given.last_damping || (all_between(given.last_damping, n, kLeast, kMost) &&
                                        all_between(given.last_reference, n, -kMost, kMost))) &&
               all_between(given.low, n, -kInfinite, kMost) &&
               all_between(given.high, n, -kMost, kInfinite) &&
               all_between(given.row_low, rows, -kInfinite, kMost) &&
               all_between(given.row_high, rows, -kMost, kInfinite) &&
               all_between(given.penalty, rows, kLeast, kInfinite);
    }
    void begin(long k) {
        ProgrammeAnswer& answer = answers_[k];
        const int n = shape_.variables;
        std::fill_n(answer.v, n, 0.0), std::fill_n(answer.bound_force, n, 0.0);
        std::fill_n(answer.task_force, shape_.tasks, 0.0);
        std::fill_n(answer.row_force, shape_.rows, 0.0),
            std::fill_n(answer.slack, shape_.rows, 0.0);
        if (given_[k].start) std::copy_n(given_[k].start, n + shape_.rows, answer.at);
        else std::fill_n(answer.at, n + shape_.rows, 0);
        answer.passes = 0, answer.worst = -1, answer.missed = 0.0;
        answer.end = valid(given_[k]) ? ProgrammeEnd::solved : ProgrammeEnd::not_finite;
    }
    // a problem as its level has it
    Programme at_level(long k) const {
        Programme given = given_[k];
        if (level_ + 1 == shape_.levels.size() && given.last_damping)
            given.damping = given.last_damping, given.reference = given.last_reference;
        return given;
    }
    // where a level begins: where it ended in a problem like this one, or where the one before did
    const signed char* start(long k) const {
        const signed char* own = given_[k].level_start;
        return own ? own + level_ * (shape_.variables + shape_.rows) : answers_[k].at;
    }
    bool goes_on(long k) const { return answers_[k].end == ProgrammeEnd::solved; }
    const SlotStatements& state(long k, const Programme& given) {
        statement_->state(given, first_, last_, answers_[k].v);
        return statement_->slots;
    }
    void load(long k, const signed char* from) {
        const Programme given = at_level(k);
        one_->load(given, state(k, given), from);
    }
    void go(long k) {
        while (one_->lane(0).busy) one_->pass();
        read(*one_, 0, answers_[k]);
    }

    // Lanes that are done take the next problems, several at once.
    void run(ActiveSet<Lanes>& set) {
        long next = 0, job[kLanes];
        std::fill_n(job, kLanes, -1);
        for (;;) {
            int idle = int(std::count(job, job + kLanes, -1));
            if (2 * idle >= kLanes) next = load(set, job, next);
            idle = int(std::count(job, job + kLanes, -1));
            if (idle == kLanes) return;
            set.pass();
            for (int l = 0; l < kLanes; ++l) {
                if (job[l] < 0 || set.lane(l).busy) continue;
                read(set, l, answers_[job[l]]);
                job[l] = -1;
            }
        }
    }
    // problems from `next` on into lanes without a job; returns the next one
    long load(ActiveSet<Lanes>& set, long (&job)[kLanes], long next) {
        Programme own[kLanes];
        const Programme* given[kLanes] = {};
        const signed char* from[kLanes] = {};
        bool some = false;
        for (int l = 0; l < kLanes; ++l) {
            if (job[l] >= 0) continue;
            while (next < count_ && !goes_on(next)) ++next;
            if (next == count_) break;
            job[l] = next, own[l] = at_level(next);
            given[l] = &own[l], from[l] = start(next), some = true;
            ++next;
        }
        if (some)
            set.load(given, from,
                     [&](int l) -> const SlotStatements& { return state(job[l], own[l]); });
        return next;
    }

    template <class T>
    void read(const ActiveSet<T>& set, int l, ProgrammeAnswer& answer) const {
        const auto& lane = set.lane(l);
        answer.passes += lane.passes, answer.end = lane.end;
        // what the levels before have found stays where there is nothing better
        if (lane.end == ProgrammeEnd::not_finite || lane.end == ProgrammeEnd::infeasible) return;
        for (int j = 0; j < shape_.variables; ++j) {
            answer.v[j] = set.v(j, l), answer.bound_force[j] = set.bound_force(j, l);
            answer.at[j] = static_cast<signed char>(set.at_bound(j, l));
        }
        for (int k = 0; k < shape_.tasks; ++k) answer.task_force[k] = set.slot_force(k, l);
        for (int r = 0; r < shape_.rows; ++r) {
            const int k = first_row(shape_) + r;
            answer.row_force[r] = set.slot_force(k, l);
            answer.at[shape_.variables + r] = static_cast<signed char>(set.at_slot(k, l));
        }
    }

    // With a working set to begin with it is tried without. What must hold and cannot is then met
    // as well as possible, and the tasks are done as far as it stays so. Later levels can do what
    // those before have done: there it is a matter of rounding.
    void relax(long k) {
        ProgrammeAnswer& answer = answers_[k];
        const Programme given = at_level(k);
        if (holds_something(start(k))) {
            load(k, nullptr), go(k);
            if (answer.end != ProgrammeEnd::infeasible) return;
        }
        if (first_ == 0 && !meet(k)) return;
        const std::vector<double> best(answer.v, answer.v + shape_.variables);
        for (double margin : {0.0, 0.5 * shape_.tolerance}) {
            if (first_ > 0 && margin == 0.0) continue;
            statement_->state(given, first_, last_, best.data());
            statement_->give_way(given, best.data(), margin);
            one_->load(given, statement_->slots, nullptr);
            go(k);
            if (answer.end != ProgrammeEnd::infeasible) return;
        }
        answer.end = ProgrammeEnd::passes;
    }
    bool holds_something(const signed char* at) const {
        return std::any_of(at, at + shape_.variables + shape_.rows,
                           [](signed char each) { return each != 0; });
    }
    void remember(long k) const {
        const int size = shape_.variables + shape_.rows;
        if (answers_[k].level_at)
            std::copy_n(answers_[k].at, size, answers_[k].level_at + level_ * size);
    }
    // v := what meets rows that must hold best, in the sense of least squares. Steps from the point
    // before (Rockafellar 1976) leave nothing of the damping.
    bool meet(long k) {
        ProgrammeAnswer& answer = answers_[k];
        Programme near = at_level(k);
        statement_->state(near, first_, last_, answer.v);
        statement_->relax(near);
        std::vector<double> best(near.reference, near.reference + shape_.variables);
        near.reference = best.data();
        for (int step = 0; step < kProximalSteps; ++step) {
            one_->load(near, statement_->slots, step ? answer.at : nullptr);
            go(k);
            if (answer.end != ProgrammeEnd::solved) return false;
            best.assign(answer.v, answer.v + shape_.variables);
        }
        std::fill_n(answer.bound_force, shape_.variables, 0.0);
        std::fill_n(answer.task_force, shape_.tasks, 0.0);
        std::fill_n(answer.row_force, shape_.rows, 0.0);
        return true;
    }

    // slack, and what is missed that must hold
    void end(long k) {
        ProgrammeAnswer& answer = answers_[k];
        const Programme& given = given_[k];
        const int n = shape_.variables;
        if (answer.end == ProgrammeEnd::not_finite) {
            std::fill_n(answer.v, n, 0.0), std::fill_n(answer.at, n + shape_.rows, 0);
            return;
        }
        const auto miss = [&](int which, double by) {
            if (by > answer.missed && by > shape_.tolerance)
                answer.missed = by, answer.worst = which;
        };
        for (int j = 0; j < n; ++j) miss(j, 0.5 * (given.low[j] - given.high[j]));
        for (int r = 0; r < shape_.rows; ++r) {
            const double at = statement_->reached(given, first_row(shape_) + r, answer.v);
            const double by = std::max(given.row_low[r] - at, at - given.row_high[r]);
            answer.slack[r] = by > shape_.tolerance ? by : 0.0;
            if (upper(given.penalty[r]) == kInfinite && answer.end == ProgrammeEnd::solved)
                miss(n + r, by);
        }
        if (answer.worst >= 0 && answer.end == ProgrammeEnd::solved)
            answer.end = ProgrammeEnd::infeasible;
    }

    const ProgrammeShape& shape_;
    const Programme* given_;
    ProgrammeAnswer* answers_;
    const long count_;
    ActiveSet<double>* one_ = nullptr;
    LevelStatement* statement_ = nullptr;
    int first_ = 0, last_ = 0;  // tasks of the level
    size_t level_ = 0;
    WorkMemory memory_;
};

void solve(const ProgrammeShape& shape, const Programme* given, ProgrammeAnswer* answers,
           long count) {
    Solver(shape, given, answers, count)();
}

}  // namespace

extern const ProgrammeKernel programme_kernel;
const ProgrammeKernel programme_kernel = {solve};

}  // namespace tarsus::TARSUS_ISA
