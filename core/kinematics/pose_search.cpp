// Poses by the steps of Levenberg and Marquardt, a state in each lane; a lane that is done takes
// the next state at once. The steps, and why they are so, are those of tarsus/ik/pose.py.
#include "kinematics/pose_search.hpp"

#include <cmath>
#include <cstdint>
#include <limits>

#include "dynamics/configuration.hpp"
#include "kinematics/cholesky.hpp"
#include "kinematics/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

extern const Kernel sample_kernel;

namespace {

constexpr double kDamping = 0.5;  // by the square of the error
constexpr double kFloor = 1e-12;  // of the damping
constexpr double kLongest = 1.0;  // step of a joint [rad, m]
constexpr int kPatience = 10;     // steps without progress
constexpr double kNever = std::numeric_limits<double>::infinity();

// Numbers from 0 to 1 that depend on nothing but what is counted (S. Vigna's splitmix64): all
// states begin anew in the same places, whatever is beside them.
double uniform(uint64_t seed, uint64_t start, uint64_t k) {
    const auto mix = [](uint64_t x) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        return x ^ (x >> 31);
    };
    return double(mix(mix(mix(seed) ^ start) ^ k) >> 11) * 0x1p-53;
}

class Search {
   public:
    Search(const Tree& tree, const TaskSet& set, const PoseSearch& search, Scratch& scratch)
        : tree_(tree),
          set_(set),
          search_(search),
          rows_(tree, set, scratch),
          q_(scratch.take<Lanes>(tree.nq)),
          next_(scratch.take<Lanes>(tree.nq)),
          targets_(scratch.take<Lanes>(set.targets)),
          step_(scratch.take<Lanes>(tree.nv)),
          held_(scratch.take<Lanes>(tree.nv)),
          scaled_(scratch.take<Lanes>(size_t(set.rows) * tree.nv)),
          dual_(set.rows <= tree.nv),
          size_(dual_ ? set.rows : tree.nv),
          matrix_(scratch.take<Lanes>(size_t(size_) * size_)),
          best_(scratch.take<double>(size_t(tree.nq) * kLanes)),
          numbers_(scratch.take<double>(tree.nq)),
          fresh_(scratch.take<double>(tree.nq)),
          scratch_(scratch) {
        for (int k = 0; k < tree.nq; ++k) q_[k] = Lanes(tree.neutral[k]);
        for (int k = 0; k < set.targets; ++k) targets_[k] = Lanes(0.0);
        for (const TurnRows& rows : set.turns)
            for (int k = 0; k < 3; ++k) targets_[rows.target + 4 * k] = Lanes(1.0);
    }
    static size_t bytes(const Tree& tree, const TaskSet& set) {
        const int size = set.rows <= tree.nv ? set.rows : tree.nv;
        return TaskRows<Lanes>::bytes(tree, set) + 2 * bytes_of<Lanes>(tree.nq) +
               bytes_of<Lanes>(set.targets) + 2 * bytes_of<Lanes>(tree.nv) +
               bytes_of<Lanes>(size_t(set.rows) * tree.nv) + bytes_of<Lanes>(size_t(size) * size) +
               bytes_of<double>(size_t(tree.nq) * kLanes) + 2 * bytes_of<double>(tree.nq) +
               bytes_of<std::byte>(moving_bytes_of(tree));
    }

    void run(const std::function<PoseState*()>& next) {
        for (;;) {
            bool active = false;
            for (int l = 0; l < kLanes; ++l) {
                if (!lane_[l].state) {
                    if (PoseState* state = next()) load(l, *state);
                }
                active = active || lane_[l].state;
            }
            if (!active) return;
            rows_.at(q_, targets_);
            const Measured at = measure();
            Lanes goes_on(0.0);
            for (int l = 0; l < kLanes; ++l) {
                if (lane_[l].state && judge(l, at)) set_lane(goes_on, l, 1.0);
            }
            solve(at);
            advance(goes_on);
        }
    }

   private:
    struct Lane {
        PoseState* state = nullptr;
        double least = kNever;  // sum of squares of this start
        int iterations = 0, idle = 0;
    };
    struct Measured {
        Lanes error, square, slope, limited;
    };

    static size_t moving_bytes_of(const Tree& tree) {
        Call call;
        call.out_size = call.size[0] = tree.nq;
        const size_t sampling = sample_kernel.bytes_one(tree, call);
        const size_t stepping = spanning_bytes<Lanes>(tree) + configuration_bytes<Lanes>(tree);
        return sampling > stepping ? sampling : stepping;
    }

    void load(int l, PoseState& state) {
        lane_[l] = {};
        lane_[l].state = &state;
        state.starts = 1, state.iterations = 0, state.error = kNever;
        std::copy_n(state.start, tree_.nq, best_ + l * tree_.nq);
        for (int k = 0; k < tree_.nq; ++k) set_lane(q_[k], l, state.start[k]);
        for (int k = 0; k < set_.targets; ++k) set_lane(targets_[k], l, state.targets[k]);
    }

    // errors, scaled rows and their gradient; joints at a limit that it leads beyond are held
    TARSUS_FLATTEN Measured measure() {
        const int nv = tree_.nv;
        Measured at{Lanes(0.0), Lanes(0.0), Lanes(0.0), Lanes(0.0)};
        for (int r = 0; r < set_.rows; ++r) {
            const Lanes size = absolute(rows_.error[r]);
            if (search_.scale[r] > 0) at.error = select(size > at.error, size, at.error);
            rows_.error[r] = rows_.error[r] * Lanes(search_.scale[r]);
            at.square = mul_add(rows_.error[r], rows_.error[r], at.square);
        }
        for (int v = 0; v < nv; ++v) {
            Lanes pull(0.0);
            for (int r = 0; r < set_.rows; ++r)
                pull = mul_add(rows_.jacobian[r * nv + v], rows_.error[r] * Lanes(search_.scale[r]),
                               pull);
            const Lanes zero(0.0), one(1.0);
            Lanes held(0.0);
            if (search_.position[v] >= 0) {
                const Lanes x = q_[search_.position[v]];
                const Lanes at_low = select(x > Lanes(search_.lower[v]), zero, one);
                const Lanes at_high = select(x < Lanes(search_.upper[v]), zero, one);
                held = select(pull > zero, at_low, select(pull < zero, at_high, zero));
            }
            held_[v] = one - held;
            at.limited = at.limited + held;
            step_[v] = pull * held_[v];
            at.slope = mul_add(step_[v], step_[v], at.slope);
        }
        return at;
    }

    // whether a lane's state goes on from here; if not it is told, or begins anew
    bool judge(int l, const Measured& at) {
        Lane& lane = lane_[l];
        PoseState& state = *lane.state;
        const double error = lane_of(at.error, l), square = lane_of(at.square, l);
        if (std::isnan(square)) return give_up(l, PoseEnd::open_loop);
        lane.idle = square < (1 - search_.progress) * lane.least ? 0 : lane.idle + 1;
        if (square < lane.least) lane.least = square;
        if (error < state.error) {
            state.error = error;
            for (int k = 0; k < tree_.nq; ++k) best_[l * tree_.nq + k] = lane_of(q_[k], l);
        }
        if (error < search_.tolerance) return end(l, PoseEnd::solved);
        const bool flat = lane_of(at.slope, l) <= search_.gradient * search_.gradient * square;
        if (flat || lane.idle > kPatience || !std::isfinite(error))
            return give_up(l, lane_of(at.limited, l) > 0 ? PoseEnd::limited : PoseEnd::stalled);
        if (lane.iterations >= search_.iterations) return give_up(l, PoseEnd::iterations);
        ++lane.iterations, ++state.iterations;
        return true;
    }
    bool end(int l, PoseEnd why) {
        PoseState& state = *lane_[l].state;
        std::copy_n(best_ + l * tree_.nq, tree_.nq, state.q);
        state.end = why;
        lane_[l].state = nullptr;
        return false;
    }
    bool give_up(int l, PoseEnd why) {
        Lane& lane = lane_[l];
        PoseState& state = *lane.state;
        if (state.starts >= search_.starts) return end(l, why);
        for (int k = 0; k < tree_.nq; ++k) numbers_[k] = uniform(search_.seed, state.starts, k);
        Call call;
        call.in[0] = numbers_, call.size[0] = call.stride[0] = tree_.nq;
        call.out = fresh_, call.out_size = tree_.nq;
        Scratch scratch = scratch_;
        sample_kernel.one(tree_, call, scratch.take<std::byte>(moving_bytes_of(tree_)));
        for (int k = 0; k < tree_.nq; ++k) set_lane(q_[k], l, fresh_[k]);
        lane = {.state = &state};
        ++state.starts;
        return false;
    }

    // step_ := that of least ½ |J d + e|² + ½ λ |d|², from the gradient; with the smaller one of
    // the two systems of equations
    TARSUS_FLATTEN void solve(const Measured& at) {
        const int m = set_.rows, nv = tree_.nv;
        const Lanes damping = at.square * Lanes(search_.newton ? 0.0 : kDamping) + Lanes(kFloor);
        for (int r = 0; r < m; ++r) {
            const Lanes scale(search_.scale[r]);
            for (int v = 0; v < nv; ++v)
                scaled_[r * nv + v] = rows_.jacobian[r * nv + v] * (held_[v] * scale);
        }
        if (dual_) {
            for (int i = 0; i < m; ++i) {
                for (int j = 0; j <= i; ++j) {
                    Lanes sum = i == j ? damping : Lanes(0.0);
                    for (int v = 0; v < nv; ++v)
                        sum = mul_add(scaled_[i * nv + v], scaled_[j * nv + v], sum);
                    matrix_[i * m + j] = sum;
                }
            }
            cholesky_solve(m, matrix_, rows_.error);
            for (int v = 0; v < nv; ++v) {
                Lanes sum(0.0);
                for (int r = 0; r < m; ++r) sum = mul_add(scaled_[r * nv + v], rows_.error[r], sum);
                step_[v] = sum;
            }
        } else {
            for (int i = 0; i < nv; ++i) {
                for (int j = 0; j <= i; ++j) {
                    Lanes sum = i == j ? damping : Lanes(0.0);
                    for (int r = 0; r < m; ++r)
                        sum = mul_add(scaled_[r * nv + i], scaled_[r * nv + j], sum);
                    matrix_[i * nv + j] = sum;
                }
            }
            cholesky_solve(nv, matrix_, step_);
        }
    }

    // steps of lanes that go on, no longer than they may be and within limits
    TARSUS_FLATTEN void advance(const Lanes& goes_on) {
        const int nv = tree_.nv;
        Lanes longest(kLongest);
        for (int v = 0; v < nv; ++v) {
            const Lanes size = absolute(step_[v]);
            longest = select(size > longest, size, longest);
        }
        const Lanes share = goes_on * (Lanes(-kLongest) / longest);
        for (int v = 0; v < nv; ++v) {
            Lanes step = step_[v] * share;
            if (search_.position[v] >= 0) {
                const Lanes x = q_[search_.position[v]];
                const Lanes low = goes_on * (Lanes(search_.lower[v]) - x);
                const Lanes high = goes_on * (Lanes(search_.upper[v]) - x);
                step = select(step < low, low, step);
                step = select(step > high, high, step);
            }
            step_[v] = step;
        }
        Scratch scratch = scratch_;
        JointState<Lanes> joints{q_, step_, nullptr, nullptr};
        if (tree_.coupled)
            joints = span_coupled<Lanes>(tree_, nullptr, q_, step_, nullptr, scratch);
        step_configuration<Lanes>(tree_, nullptr, joints, step_, next_, scratch);
        // where a loop cannot follow the state stays; without progress it is given up
        Lanes stays(0.0);
        for (int k = 0; k < tree_.nq; ++k) stays = mul_add(next_[k], Lanes(0.0), stays);
        const auto moves = absolute(stays) < Lanes(1.0);
        for (int k = 0; k < tree_.nq; ++k)
            q_[k] = select(goes_on > Lanes(0.0), select(moves, next_[k], q_[k]), q_[k]);
    }

    const Tree& tree_;
    const TaskSet& set_;
    const PoseSearch& search_;
    TaskRows<Lanes> rows_;
    Lanes *q_, *next_, *targets_, *step_, *held_, *scaled_;
    const bool dual_;
    const int size_;
    Lanes* matrix_;
    double *best_, *numbers_, *fresh_;
    Scratch scratch_;
    Lane lane_[kLanes];
};

void search_poses(const Tree& tree, const TaskSet& set, const PoseSearch& search,
                  const std::function<PoseState*()>& next) {
    WorkMemory lent;
    Scratch scratch(lent.get(Search::bytes(tree, set)));
    Search(tree, set, search, scratch).run(next);
}

}  // namespace

void ik_steps(const Tree&, const TaskSet&, const StepStatement&, const StepStates&, double dt,
              const StepAnswers&, const std::function<bool()>& stopped);
void whole_body(const Tree&, const TaskSet&, const BodyStatement&, const BodyStates&,
                const BodyAnswers&);

extern const KinematicsKernel kinematics_kernel;
const KinematicsKernel kinematics_kernel = {ik_steps, task_rows, search_poses, whole_body};

}  // namespace tarsus::TARSUS_ISA
