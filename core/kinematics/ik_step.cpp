// One step of inverse kinematics, one state or many: rows of tasks, bounds, the quadratic
// programme, and the configuration that it leads to.
//
// A posture is a diagonal task: with tasks of one level it joins the damping,
//   ½ w (v − r)² + ½ d v² = ½ (w + d) (v − w r / (w + d))² + …,
// and the programme has only the rows of frames.
#include "kinematics/ik_step.hpp"

#include <cmath>

#include "dynamics/configuration.hpp"
#include "kinematics/programme.hpp"
#include "kinematics/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

extern const ProgrammeKernel programme_kernel;
extern const Kernel integrate_kernel;

namespace {

constexpr double kMisses = 1e-3;  // of what is asked for, in a step that is called solved
constexpr double kAtBound = 1e-9;

class Stepper {
   public:
    Stepper(const Tree& tree, const TaskSet& set, const StepStatement& stated, long states,
            Scratch& scratch)
        : tree_(tree),
          set_(set),
          stated_(stated),
          folds_(stated.levels.size() == 1 && !set.postures.empty()),
          kept_(folds_ ? set.rows - int(set.postures.size()) : set.rows),
          error_(scratch.take<double>(states * set.rows)),
          jacobian_(scratch.take<double>(states * set.rows * tree.nv)),
          task_(folds_ ? scratch.take<double>(states * kept_ * tree.nv) : jacobian_),
          rate_(scratch.take<double>(states * set.rows)),
          weight_(scratch.take<double>(states * set.rows)),
          damping_(scratch.take<double>(states * tree.nv)),
          reference_(scratch.take<double>(states * tree.nv)),
          low_(scratch.take<double>(states * tree.nv)),
          high_(scratch.take<double>(states * tree.nv)),
          force_(scratch.take<double>(states * (tree.nv + set.rows))) {}

    static size_t bytes(const Tree& tree, const TaskSet& set, long states) {
        const size_t nv = tree.nv, rows = set.rows;
        return 2 * bytes_of<double>(states * rows * nv) + 3 * bytes_of<double>(states * rows) +
               4 * bytes_of<double>(states * nv) + bytes_of<double>(states * (nv + rows));
    }

    void run(const TaskStates& states, double dt, const StepAnswers& answers) {
        task_rows(tree_, set_, states, error_, jacobian_);
        for (long s = 0; s < states.count; ++s) state(s, states.q + s * tree_.nq, dt);
        solve(states.count, answers);
        for (long s = 0; s < states.count; ++s) judge(s, answers);
    }

   private:
    // the programme of one state
    void state(long s, const double* q, double dt) {
        const int nv = tree_.nv, rows = set_.rows;
        const double *error = error_ + s * rows, *jacobian = jacobian_ + s * rows * nv;
        double *rate = rate_ + s * rows, *damping = damping_ + s * nv,
               *reference = reference_ + s * nv;
        for (int r = 0; r < rows; ++r)
            rate[r] = -(stated_.gain[r] < 0 ? 1 / dt : stated_.gain[r]) * error[r];
        for (int v = 0; v < nv; ++v) damping[v] = stated_.damping[v], reference[v] = 0;
        bounds(s, q, dt);
        if (!folds_) {
            for (int r = 0; r < rows; ++r) weight_[s * rows + r] = stated_.weight[r];
            return;
        }
        for (const PostureRow& row : set_.postures) {
            const double w = stated_.weight[row.row], d = damping[row.v];
            reference[row.v] = (d * reference[row.v] + w * rate[row.row]) / (d + w);
            damping[row.v] = d + w;
        }
        int to = 0;
        for (const FrameRows& frame : set_.frames) {
            const int size = 3 * (int(frame.linear) + int(frame.angular));
            for (int r = frame.row; r < frame.row + size; ++r, ++to) {
                std::copy_n(jacobian + r * nv, nv, task_ + (s * kept_ + to) * nv);
                weight_[s * kept_ + to] = stated_.weight[r];
            }
        }
    }
    void bounds(long s, const double* q, double dt) {
        for (int v = 0; v < tree_.nv; ++v) {
            const double fastest = stated_.fastest[v];
            double low = -fastest, high = fastest;
            if (const int k = stated_.position[v]; k >= 0) {
                const double share = stated_.share / dt;
                low = std::clamp((stated_.lower[v] - q[k]) * share, -fastest, fastest);
                high = std::clamp((stated_.upper[v] - q[k]) * share, -fastest, fastest);
            }
            low_[s * tree_.nv + v] = low, high_[s * tree_.nv + v] = high;
        }
    }

    void solve(long count, const StepAnswers& answers) {
        const int nv = tree_.nv, rows = set_.rows;
        ProgrammeShape shape;
        shape.variables = nv, shape.tasks = kept_;
        shape.levels = folds_ ? std::vector<int>{kept_} : stated_.levels;
        shape.most_passes = stated_.most_passes;
        given_.resize(count), found_.resize(count);
        for (long s = 0; s < count; ++s) {
            Programme& given = given_[s];
            given = {};
            given.task = task_ + s * kept_ * nv;
            given.target = folds_ ? frame_rates(s) : rate_ + s * rows;
            given.weight = weight_ + s * kept_;
            given.damping = damping_ + s * nv, given.reference = reference_ + s * nv;
            given.low = low_ + s * nv, given.high = high_ + s * nv;
            given.start = answers.warm ? answers.at + s * nv : nullptr;
            ProgrammeAnswer& found = found_[s];
            found = {};
            found.v = answers.v + s * nv;
            found.bound_force = force_ + s * (nv + rows), found.task_force = found.bound_force + nv;
            found.at = answers.at + s * nv;
        }
        programme_kernel.solve(shape, given_.data(), found_.data(), count);
    }
    // those of frames, in the order of the rows that are kept; they take the place of the errors
    const double* frame_rates(long s) {
        double* to = error_ + s * set_.rows;
        int k = 0;
        for (const FrameRows& frame : set_.frames) {
            const int size = 3 * (int(frame.linear) + int(frame.angular));
            for (int r = frame.row; r < frame.row + size; ++r) to[k++] = rate_[s * set_.rows + r];
        }
        return to;
    }

    // what rows miss, and why
    void judge(long s, const StepAnswers& answers) {
        const int nv = tree_.nv, rows = set_.rows;
        const double *v = answers.v + s * nv, *rate = rate_ + s * rows;
        double* missing = answers.missing + s * rows;
        for (int r = 0; r < rows; ++r) {
            const double* row = jacobian_ + (s * rows + r) * nv;
            double sum = -rate[r];
            for (int k = 0; k < nv; ++k) sum = mul_add(row[k], v[k], sum);
            missing[r] = sum;
        }
        answers.code[s] = int(found_[s].end);
        if (found_[s].end != ProgrammeEnd::solved) return;
        double most = 0, asked = 0;
        for (int r = 0; r < stated_.levels[0]; ++r) {
            if (stated_.weight[r] <= 0) continue;
            most = std::max(most, std::abs(missing[r]));
            asked = std::max(asked, std::abs(rate[r]));
        }
        if (most <= kMisses * (1 + asked)) return;
        bool bound = false;
        for (int k = 0; k < nv; ++k) {
            const double near = kAtBound * (1 + std::abs(v[k]));
            bound = bound || v[k] <= low_[s * nv + k] + near || v[k] >= high_[s * nv + k] - near;
        }
        answers.code[s] = int(bound ? StepEnd::limited : StepEnd::misses);
    }

    const Tree& tree_;
    const TaskSet& set_;
    const StepStatement& stated_;
    const bool folds_;
    const int kept_;
    double *error_, *jacobian_, *task_, *rate_, *weight_, *damping_, *reference_, *low_, *high_,
        *force_;
    std::vector<Programme> given_;
    std::vector<ProgrammeAnswer> found_;
};

}  // namespace

void ik_steps(const Tree& tree, const TaskSet& set, const StepStatement& stated,
              const TaskStates& states, double dt, const StepAnswers& answers) {
    WorkMemory lent;
    Call call;
    call.states = states.count;
    call.in[0] = states.q, call.size[0] = call.stride[0] = tree.nq;
    call.in[1] = answers.v, call.size[1] = call.stride[1] = tree.nv;
    call.out = answers.q, call.out_size = tree.nq;
    const bool one = states.count == 1;
    const size_t stepping = Stepper::bytes(tree, set, states.count);
    const size_t moving =
        one ? integrate_kernel.bytes_one(tree, call) : integrate_kernel.bytes_lanes(tree, call);
    Scratch scratch(lent.get(stepping + bytes_of<std::byte>(moving) +
                             bytes_of<double>(states.count * tree.nv)));
    Scratch after = scratch;
    Stepper(tree, set, stated, states.count, scratch).run(states, dt, answers);
    double* step = after.take<double>(states.count * tree.nv);
    for (long k = 0; k < states.count * tree.nv; ++k) step[k] = answers.v[k] * dt;
    call.in[1] = step;
    std::byte* memory = after.take<std::byte>(moving);
    const Fault fault = one ? integrate_kernel.one(tree, call, memory)
                            : integrate_kernel.lanes(tree, call, 0, states.count, memory);
    if (fault.found()) answers.code[fault.state] = int(StepEnd::open_loop);
}

}  // namespace tarsus::TARSUS_ISA
