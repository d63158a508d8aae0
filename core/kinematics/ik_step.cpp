// One step of inverse kinematics, one state or many: rows of tasks, limits, the quadratic
// programme, and the configuration that it leads to.
//
// A posture is a diagonal task: where it is of the last level it joins the damping of that level,
//   ½ w (v − r)² + ½ d (v − z)² = ½ (w + d) (v − (w r + d z) / (w + d))² + …,
// and the programme has only the rows of the others.
#include "kinematics/ik_step.hpp"

#include "dynamics/configuration.hpp"
#include "kinematics/programme.hpp"
#include "kinematics/step_verdict.hpp"

namespace tarsus::TARSUS_ISA {

extern const ProgrammeKernel programme_kernel;
extern const Kernel integrate_kernel;

namespace {

constexpr long kStatesAtOnce = 64;  // whose rows are in memory together

// whether all postures are of the last level
bool folds(const TaskSet& set, const StepStatement& stated) {
    const int last = set.rows - stated.levels.back();
    return !set.postures.empty() &&
           std::all_of(set.postures.begin(), set.postures.end(),
                       [&](const PostureRow& row) { return row.row >= last; });
}

class Stepper {
   public:
    Stepper(const Tree& tree, const TaskSet& set, const StepStatement& stated, long most,
            Scratch& scratch)
        : tree_(tree),
          set_(set),
          stated_(stated),
          folds_(folds(set, stated)),
          nv_(tree.nv),
          kept_(set.rows - (folds_ ? int(set.postures.size()) : 0)),
          room_(stated.holds() - tree.nv),
          limits_(tree, stated, scratch),
          task_(scratch.take<double>(most * kept_ * nv_)),
          target_(scratch.take<double>(most * kept_)),
          weight_(scratch.take<double>(kept_)),
          rate_(scratch.take<double>(most * set.rows)),
          wish_(scratch.take<double>(most * nv_)),
          damping_(scratch.take<double>(most * nv_)),
          last_damping_(scratch.take<double>(most * nv_)),
          last_wish_(scratch.take<double>(most * nv_)),
          low_(scratch.take<double>(most * nv_)),
          high_(scratch.take<double>(most * nv_)),
          rows_(scratch.take<LimitRows>(most)),
          row_(scratch.take<double>(most * room_ * nv_)),
          row_bounds_(scratch.take<double>(2 * most * room_)),
          penalty_(scratch.take<double>(room_)),
          hold_(scratch.take<int>(most * room_)),
          force_(scratch.take<double>(nv_ + kept_ + 2 * room_)),
          at_(scratch.take<signed char>(most * (n_levels() + 1) * (nv_ + room_))) {
        int to = 0;
        for (int r = 0; r < set.rows; ++r) {
            if (!(folds_ && set.is_posture[r])) weight_[to++] = stated.weight[r];
        }
        std::fill_n(penalty_, room_, std::numeric_limits<double>::infinity());
    }
    static size_t bytes(const Tree& tree, const TaskSet& set, const StepStatement& stated,
                        long most) {
        const long nv = tree.nv, rows = set.rows, room = stated.holds() - nv;
        return RowLimits::bytes(stated) + bytes_of<double>(most * rows * nv) +
               2 * bytes_of<double>(most * rows) + bytes_of<double>(rows) +
               6 * bytes_of<double>(most * nv) + bytes_of<LimitRows>(most) +
               bytes_of<double>(most * room * nv) + bytes_of<double>(2 * most * room) +
               bytes_of<double>(room) + bytes_of<int>(most * room) +
               bytes_of<double>(nv + rows + 2 * room) +
               bytes_of<signed char>(most * long(stated.levels.size() + 1) * (nv + room));
    }

    template <class T>
    void run(const StepStates& states, double dt, const StepAnswers& answers, Scratch scratch) {
        for_each_group<T>(
            tree_, set_, states, scratch, [&](long first, int n, const TaskRows<T>& rows) {
                keep(first, n, rows);
                for (int l = 0; l < n; ++l) {
                    const long s = first + l;
                    state(s, states, rows, l, dt);
                    const bool placed = limits_.at(rows, l, states, s, dt, rows_[s] = rows_of(s));
                    answers.code[s] = int(placed ? StepEnd::solved : StepEnd::no_place);
                }
            });
        solve(states.count, answers);
        for (long s = 0; s < states.count; ++s) judge(s, answers);
    }

   private:
    // the rows of tasks of n states
    template <class T>
    void keep(long s, int n, const TaskRows<T>& rows) {
        double* to = task_ + s * kept_ * nv_;
        for (int r = 0; r < set_.rows; ++r) {
            if (folds_ && set_.is_posture[r]) continue;
            store_states(rows.jacobian + long(r) * nv_, nv_, n, to, long(kept_) * nv_);
            to += nv_;
        }
    }
    // what tasks of one state ask for, and the bounds of its velocities
    template <class T>
    void state(long s, const StepStates& states, const TaskRows<T>& rows, int l, double dt) {
        double* rate = rate_ + s * set_.rows;
        int to = int(s) * kept_;
        double calm = 0;
        for (int r = 0; r < set_.rows; ++r) {
            const double part = stated_.calm[r] * lane_of(rows.error[r], l);
            calm = mul_add(part, part, calm);
            const double gain = stated_.gain[r] < 0 ? 1 / dt : stated_.gain[r];
            rate[r] = lane_of(rows.feedforward[r], l) - gain * lane_of(rows.error[r], l);
            if (folds_ && set_.is_posture[r]) continue;
            target_[to++] = rate[r];
        }
        double *wish = wish_ + s * nv_, *damping = damping_ + s * nv_;
        for (int v = 0; v < nv_; ++v) damping[v] = stated_.damping[v] * (1 + std::sqrt(calm));
        if (states.wish) std::copy_n(states.wish + s * nv_, nv_, wish);
        else std::fill_n(wish, nv_, 0.0);
        if (folds_) fold(rate, wish, damping, last_wish_ + s * nv_, last_damping_ + s * nv_);
        bounds_of(tree_, stated_, states.q + s * tree_.nq,
                  states.last ? states.last + s * nv_ : nullptr, dt, low_ + s * nv_,
                  high_ + s * nv_);
    }
    void fold(const double* rate, const double* wish, const double* damping, double* last,
              double* last_damping) const {
        for (int v = 0; v < nv_; ++v) {
            last[v] = damping[v] * wish[v];
            last_damping[v] = damping[v];
        }
        for (const PostureRow& row : set_.postures) {
            const double weight = stated_.weight[row.row];
            last[row.v] = mul_add(weight, rate[row.row], last[row.v]);
            last_damping[row.v] += weight;
        }
        for (int v = 0; v < nv_; ++v) last[v] /= last_damping[v];
    }
    LimitRows rows_of(long s) const {
        return {row_ + s * room_ * nv_, row_bounds_ + 2 * s * room_,
                row_bounds_ + (2 * s + 1) * room_, hold_ + s * room_};
    }

    void solve(long count, const StepAnswers& answers) {
        ProgrammeShape shape;
        shape.variables = nv_, shape.tasks = kept_, shape.levels = stated_.levels;
        if (folds_) shape.levels.back() -= int(set_.postures.size());
        for (long s = 0; s < count; ++s) shape.rows = std::max(shape.rows, rows_[s].count);
        shape.most_passes = 4 * stated_.holds() + 100;  // whatever the others have
        given_.assign(count, {}), found_.assign(count, {});
        for (long s = 0; s < count; ++s) {
            fill_up(rows_[s], shape.rows);
            signed char* at = at_ + s * (n_levels() + 1) * (nv_ + shape.rows);
            given_[s] = programme(s);
            found_[s].v = answers.v + s * nv_, found_[s].at = at;
            found_[s].level_at = at + nv_ + shape.rows;
            if (answers.warm) {
                recall(s, shape.rows, answers, found_[s].level_at);
                given_[s].level_start = found_[s].level_at;
            }
            // nobody asks for these: all states write to one place
            found_[s].bound_force = force_, found_[s].task_force = force_ + nv_;
            found_[s].row_force = force_ + nv_ + kept_;
            found_[s].slack = found_[s].row_force + shape.rows;
        }
        programme_kernel.solve(shape, given_.data(), found_.data(), count);
        for (long s = 0; s < count; ++s) remember(s, shape.rows, answers);
    }
    Programme programme(long s) const {
        Programme given{};
        given.task = task_ + s * kept_ * nv_, given.target = target_ + s * kept_;
        given.weight = weight_;
        given.damping = damping_ + s * nv_, given.reference = wish_ + s * nv_;
        if (folds_) {
            given.last_damping = last_damping_ + s * nv_;
            given.last_reference = last_wish_ + s * nv_;
        }
        given.low = low_ + s * nv_, given.high = high_ + s * nv_;
        given.row = rows_[s].row, given.row_low = rows_[s].low, given.row_high = rows_[s].high;
        given.penalty = penalty_;
        return given;
    }
    // rows that ask for nothing, so that all states have as many
    void fill_up(const LimitRows& rows, int most) const {
        const int more = most - rows.count;
        std::fill_n(rows.row + long(rows.count) * nv_, long(more) * nv_, 0.0);
        std::fill_n(rows.low + rows.count, more, -std::numeric_limits<double>::infinity());
        std::fill_n(rows.high + rows.count, more, std::numeric_limits<double>::infinity());
    }
    // what held in the last step, for the rows that there are now
    void recall(long s, int rows, const StepAnswers& answers, signed char* at) const {
        const signed char* before = answers.at + s * stated_.memory();
        for (int level = 0; level < n_levels(); ++level) {
            std::copy_n(before, nv_, at), std::fill_n(at + nv_, rows, 0);
            for (int k = 0; k < rows_[s].count; ++k) at[nv_ + k] = before[rows_[s].hold[k]];
            before += stated_.holds(), at += nv_ + rows;
        }
    }
    void remember(long s, int rows, const StepAnswers& answers) const {
        signed char* after = answers.at + s * stated_.memory();
        const signed char* at = found_[s].level_at;
        std::fill_n(after, stated_.memory(), 0);
        for (int level = 0; level < n_levels(); ++level) {
            std::copy_n(at, nv_, after);
            for (int k = 0; k < rows_[s].count; ++k) after[rows_[s].hold[k]] = at[nv_ + k];
            after += stated_.holds(), at += nv_ + rows;
        }
    }
    int n_levels() const { return int(stated_.levels.size()); }

    void judge(long s, const StepAnswers& answers) const {
        const StepFacts facts{task_ + s * kept_ * nv_,
                              rate_ + s * set_.rows,
                              low_ + s * nv_,
                              high_ + s * nv_,
                              rows_[s],
                              folds_};
        const double* v = answers.v + s * nv_;
        double* missing = answers.missing + s * set_.rows;
        const StepVerdict verdict(set_, stated_, facts, nv_);
        verdict.measure(v, missing);
        if (answers.code[s] == int(StepEnd::solved))
            answers.code[s] = int(verdict(found_[s].end, v, missing));
    }

    const Tree& tree_;
    const TaskSet& set_;
    const StepStatement& stated_;
    const bool folds_;
    const int nv_, kept_;  // rows that are not folded
    const long room_;      // for rows of limits
    RowLimits limits_;
    double *task_, *target_, *weight_, *rate_, *wish_, *damping_, *last_damping_, *last_wish_,
        *low_, *high_;
    LimitRows* rows_;
    double *row_, *row_bounds_, *penalty_;
    int* hold_;
    double* force_;
    signed char* at_;
    std::vector<Programme> given_;
    std::vector<ProgrammeAnswer> found_;
};

// q := where v leads in a time dt
void move(const Tree& tree, const StepStates& states, double dt, const StepAnswers& answers,
          Scratch scratch) {
    Call call;
    call.states = states.count;
    call.in[0] = states.q, call.size[0] = call.stride[0] = tree.nq;
    call.size[1] = call.stride[1] = tree.nv;
    call.out = answers.q, call.out_size = tree.nq;
    double* step = scratch.take<double>(states.count * tree.nv);
    for (long k = 0; k < states.count * tree.nv; ++k) step[k] = answers.v[k] * dt;
    call.in[1] = step;
    call.in[kTable] = states.table;
    if (states.table) call.size[kTable] = call.stride[kTable] = tree.table_size;
    const bool one = states.count == 1;
    const Kernel& kernel = integrate_kernel;
    std::byte* memory = scratch.take<std::byte>(one ? kernel.bytes_one(tree, call)
                                                    : kernel.bytes_lanes(tree, call));
    const Fault fault =
        one ? kernel.one(tree, call, memory) : kernel.lanes(tree, call, 0, states.count, memory);
    if (fault.found()) answers.code[fault.state] += kOpenLoop;
}
size_t move_bytes(const Tree& tree, long states) {
    Call call;
    call.states = states;
    call.size[0] = tree.nq, call.size[1] = tree.nv, call.out_size = tree.nq;
    call.size[kTable] = tree.table_size;
    return bytes_of<double>(states * tree.nv) +
           bytes_of<std::byte>(std::max(integrate_kernel.bytes_one(tree, call),
                                        integrate_kernel.bytes_lanes(tree, call)));
}

StepStates part_of(const StepStates& states, const Tree& tree, int limits, long from, long count) {
    StepStates part = states;
    part.count = count;
    if (part.table) part.table += from * tree.table_size;
    if (part.limit) {
        part.limit += from * limits * tree.nv;
        part.limit_low += from * limits, part.limit_high += from * limits;
    }
    part.q += from * tree.nq, part.targets += from * states.stride;
    if (part.last) part.last += from * tree.nv;
    if (part.wish) part.wish += from * tree.nv;
    return part;
}
StepAnswers part_of(const StepAnswers& answers, const Tree& tree, const TaskSet& set, long memory,
                    long from) {
    return {answers.q + from * tree.nq,        answers.v + from * tree.nv,
            answers.missing + from * set.rows, answers.code + from,
            answers.at + from * memory,        answers.warm};
}

}  // namespace

void ik_steps(const Tree& tree, const TaskSet& set, const StepStatement& stated,
              const StepStates& states, double dt, const StepAnswers& answers,
              const std::function<bool()>& stopped) {
    const bool one = states.count == 1;
    const long most = std::min(states.count, kStatesAtOnce);
    const size_t rows =
        one ? for_each_group_bytes<double>(tree, set) : for_each_group_bytes<Lanes>(tree, set);
    WorkMemory lent;
    Scratch scratch(
        lent.get(Stepper::bytes(tree, set, stated, most) + std::max(rows, move_bytes(tree, most))));
    Stepper stepper(tree, set, stated, most, scratch);
    for (long from = 0; from < states.count; from += most) {
        if (from > 0 && stopped()) return;
        const StepStates part =
            part_of(states, tree, stated.given_limits, from, std::min(most, states.count - from));
        const StepAnswers to = part_of(answers, tree, set, stated.memory(), from);
        // how a state is computed does not depend on how many are left
        if (one) stepper.run<double>(part, dt, to, scratch);
        else stepper.run<Lanes>(part, dt, to, scratch);
        move(tree, part, dt, to, scratch);
    }
}

}  // namespace tarsus::TARSUS_ISA
