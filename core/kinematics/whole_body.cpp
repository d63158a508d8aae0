// Whole-body control, one state or many: rows of tasks and contacts with their drifts, the mass
// matrix, the quadratic programme, and the efforts that it asks for.
//
// Jacobians and drifts come from one pass on dual numbers: the drift J̇ v − ṙ is the rate of the
// rows, along the motion and that of the targets.
#include "kinematics/whole_body.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinematics/programme.hpp"
#include "kinematics/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

extern const ProgrammeKernel programme_kernel;
extern const Kernel mass_matrix_kernel, bias_forces_kernel, passive_forces_kernel;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr long kStatesAtOnce = 32;  // whose programmes are in memory together

double value_of(const Dual<double>& x, int) { return x.value; }
double value_of(const Dual<Lanes>& x, int l) { return lane_of(x.value, l); }
double rate_of(const Dual<double>& x, int) { return x.rate; }
double rate_of(const Dual<Lanes>& x, int l) { return lane_of(x.rate, l); }

double along(const double* row, const double* v, int size) {
    double sum = 0;
    for (int k = 0; k < size; ++k) sum = mul_add(row[k], v[k], sum);
    return sum;
}

// f(q, v) of states in plain memory, by one of the kernels; q alone where v is null
void evaluate(const Kernel& kernel, const Tree& tree, long states, const double* q, const double* v,
              double* out, int size, Scratch scratch) {
    Call call;
    call.states = states;
    call.in[0] = q, call.size[0] = tree.nq, call.stride[0] = tree.nq;
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
    for (const Kernel* kernel : {&mass_matrix_kernel, &bias_forces_kernel, &passive_forces_kernel}) {
        Call call;
        call.in[0] = call.in[1] = &some;
        call.size[0] = tree.nq, call.size[1] = tree.nv, call.out_size = tree.nv * tree.nv;
        most = std::max({most, kernel->bytes_one(tree, call), kernel->bytes_lanes(tree, call)});
    }
    return bytes_of<std::byte>(most);
}

class Body {
   public:
    Body(const Tree& tree, const TaskSet& set, const BodyStatement& stated, const char* between,
         int rows, long most, Scratch& scratch)
        : tree_(tree),
          set_(set),
          stated_(stated),
          nv_(tree.nv),
          n_(nv_ + stated.generators()),
          own_(int(stated.weight.size())),
          folds_(stated.levels.size() == 1),
          held_(stated.held()),
          kept_(held_ + own_ - (folds_ ? int(set.postures.size()) : 0)),
          between_(between),
          rows_(rows),
          task_(scratch.take<double>(most * kept_ * n_)),
          target_(scratch.take<double>(most * kept_)),
          weight_(scratch.take<double>(most * kept_)),
          damping_(scratch.take<double>(n_)),
          reference_(scratch.take<double>(most * n_)),
          low_(scratch.take<double>(most * n_)),
          high_(scratch.take<double>(most * n_)),
          row_(scratch.take<double>(most * rows_ * n_)),
          row_low_(scratch.take<double>(most * rows_)),
          row_high_(scratch.take<double>(most * rows_)),
          penalty_(scratch.take<double>(rows_)),
          mass_(scratch.take<double>(most * nv_ * nv_)),
          push_(scratch.take<double>(most * nv_ * (n_ - nv_))),
          bias_(scratch.take<double>(most * nv_)),
          some_(scratch.take<double>(2 * most * nv_)),
          force_(scratch.take<double>(n_ + kept_ + rows_)),
          twist_(scratch.take<double>(6 * nv_)) {
        std::fill_n(damping_ + nv_, n_ - nv_, stated.force_damping);
        std::copy(stated.damping.begin(), stated.damping.end(), damping_);
        if (folds_) {
            for (const PostureRow& row : set.postures) damping_[row.v] += stated.weight[row.row];
        }
        const int idle = int(stated.idle.size()), drives = stated.drives();
        for (int r = 0; r < rows_; ++r)
            penalty_[r] = r < idle || r >= drives ? kInfinity : stated.yielding;
    }
    static size_t bytes(const Tree& tree, const BodyStatement& stated, int rows, long most) {
        const long nv = tree.nv, n = nv + stated.generators();
        const long kept = stated.held() + long(stated.weight.size());
        return bytes_of<double>(most * kept * n) + 2 * bytes_of<double>(most * kept) +
               bytes_of<double>(n) + 3 * bytes_of<double>(most * n) +
               bytes_of<double>(most * rows * n) + 2 * bytes_of<double>(most * rows) +
               bytes_of<double>(rows) + bytes_of<double>(most * nv * nv) +
               bytes_of<double>(most * nv * (n - nv)) + bytes_of<double>(most * nv) +
               bytes_of<double>(2 * most * nv) + bytes_of<double>(n + kept + rows) +
               bytes_of<double>(6 * nv);
    }

    template <class T>
    void run(const BodyStates& states, const BodyAnswers& answers, Scratch scratch) {
        dynamics(states, scratch);
        each_state<T>(states, scratch);
        solve(states, answers);
        for (long s = 0; s < states.count; ++s) judge(s, answers);
    }

   private:
    void dynamics(const BodyStates& states, const Scratch& scratch) {
        const long count = states.count * nv_;
        evaluate(mass_matrix_kernel, tree_, states.count, states.q, nullptr, mass_, nv_ * nv_,
                 scratch);
        evaluate(bias_forces_kernel, tree_, states.count, states.q, states.v, bias_, nv_, scratch);
        if (!stated_.springs) return;
        // springs and dampers: dry friction is the same at v and at 2 v, and left out
        const auto less = [&](double times, double share) {
            double* v = some_ + count;
            for (long k = 0; k < count; ++k) v[k] = times * states.v[k];
            evaluate(passive_forces_kernel, tree_, states.count, states.q, v, some_, nv_, scratch);
            for (long k = 0; k < count; ++k) bias_[k] = neg_mul_add(share, some_[k], bias_[k]);
        };
        if (!stated_.rubs) return less(1.0, 1.0);
        less(0.0, 1.0), less(2.0, 1.0), less(1.0, -1.0);
    }

    template <class T>
    void each_state(const BodyStates& states, Scratch scratch) {
        constexpr int count = kLaneCount<T>;
        TaskRows<Dual<T>> rows(tree_, set_, scratch);
        T *q = scratch.take<T>(tree_.nq), *v = scratch.take<T>(nv_);
        Dual<T>* targets = scratch.take<Dual<T>>(set_.targets);
        for (long s = 0; s < states.count; s += count) {
            for (int l = 0; l < count; ++l) {
                const long state = std::min(s + l, states.count - 1);
                for (int k = 0; k < tree_.nq; ++k)
                    set_lane(q[k], l, states.q[state * tree_.nq + k]);
                for (int k = 0; k < nv_; ++k) set_lane(v[k], l, states.v[state * nv_ + k]);
                for (int k = 0; k < set_.targets; ++k) {
                    set_lane(targets[k].value, l, states.targets[state * states.stride + k]);
                    set_lane(targets[k].rate, l, states.rates[state * states.stride + k]);
                }
            }
            rows.at(q, v, targets);
            for (int l = 0; l < count && s + l < states.count; ++l)
                state(s + l, states, rows, l);
        }
    }

   public:
    template <class T>
    static size_t each_bytes(const Tree& tree, const TaskSet& set) {
        return TaskRows<Dual<T>>::bytes(tree, set) + bytes_of<T>(tree.nq) + bytes_of<T>(tree.nv) +
               bytes_of<Dual<T>>(set.targets);
    }

   private:
    // the programme of one state
    template <class T>
    void state(long s, const BodyStates& states, const TaskRows<Dual<T>>& rows, int l) {
        const double *q = states.q + s * tree_.nq, *v = states.v + s * nv_;
        const double* loads = states.loads + s * long(stated_.contacts.size());
        double *low = low_ + s * n_, *high = high_ + s * n_, *wish = reference_ + s * n_;
        for (int k = 0; k < nv_; ++k) wish[k] = -stated_.usual * v[k];
        std::fill_n(wish + nv_, n_ - nv_, 0.0);
        bounds(q, v, low, high);
        contacts(s, v, loads, rows, l, low, high);
        tasks(s, v, rows, l, wish);
        drives(s, loads);
    }

    // what J a shall be in row r: −D ė − K e − drift
    template <class T>
    double wanted(int r, const double* v, const TaskRows<Dual<T>>& rows, int l) const {
        const Dual<T>* row = rows.jacobian + long(r) * nv_;
        double speed = 0, drift = 0;
        for (int k = 0; k < nv_; ++k) {
            speed = mul_add(value_of(row[k], l), v[k], speed);
            drift = mul_add(rate_of(row[k], l), v[k], drift);
        }
        const double gain = stated_.gain[r];
        speed -= value_of(rows.feedforward[r], l), drift -= rate_of(rows.feedforward[r], l);
        if (stated_.momentum[r]) return -gain * speed - drift;
        return -2 * gain * speed - gain * gain * value_of(rows.error[r], l) - drift;
    }
    template <class T>
    void tasks(long s, const double* v, const TaskRows<Dual<T>>& rows, int l, double* wish) {
        long to = s * kept_ + held_;
        for (int r = 0; r < own_; ++r) {
            if (folds_ && set_.is_posture[r]) continue;
            double* row = task_ + to * n_;
            const Dual<T>* from = rows.jacobian + long(r) * nv_;
            for (int k = 0; k < nv_; ++k) row[k] = value_of(from[k], l);
            std::fill_n(row + nv_, n_ - nv_, 0.0);
            target_[to] = wanted(r, v, rows, l), weight_[to++] = stated_.weight[r];
        }
        if (!folds_) return;
        for (int k = 0; k < nv_; ++k) wish[k] *= stated_.damping[k];
        for (const PostureRow& posture : set_.postures) {
            const int r = posture.row;
            const double gain = stated_.gain[r];
            const double speed = v[posture.v] - value_of(rows.feedforward[r], l);
            const double goal = -2 * gain * speed - gain * gain * value_of(rows.error[r], l) +
                                rate_of(rows.feedforward[r], l);
            wish[posture.v] = mul_add(stated_.weight[r], goal, wish[posture.v]);
        }
        for (int k = 0; k < nv_; ++k) wish[k] /= damping_[k];
    }

    // a coordinate brakes before its limit: tarsus/control/body_limits.py
    void bounds(const double* q, const double* v, double* low, double* high) const {
        const double k = stated_.approach;
        for (int i = 0; i < nv_; ++i) {
            const double speed = stated_.fastest[i], most = stated_.acceleration[i];
            double least = -kInfinity, greatest = kInfinity;
            if (const int at = stated_.position[i]; at >= 0) {
                least = k * k * (stated_.lower[i] - q[at]) - 2 * k * v[i];
                greatest = k * k * (stated_.upper[i] - q[at]) - 2 * k * v[i];
            }
            low[i] = std::clamp(std::clamp(k * (-speed - v[i]), least, greatest), -most, most);
            high[i] = std::clamp(std::clamp(k * (speed - v[i]), least, greatest), -most, most);
        }
    }

    // rows that hold, columns of forces and their bounds
    template <class T>
    void contacts(long s, const double* v, const double* loads, const TaskRows<Dual<T>>& rows,
                  int l, double* low, double* high) {
        long to = s * kept_;
        int column = 0;
        for (size_t c = 0; c < stated_.contacts.size(); ++c) {
            const BodyContact& contact = stated_.contacts[c];
            double aimed[6], R[9];
            twist(contact, v, rows, l, aimed, R);
            for (int r = 0; r < contact.rows(); ++r, ++to) {
                double by[6] = {};
                if (r < 3) by[r] = 1;
                else turn(contact.turns.data() + 3 * (r - 3), R, by + 3);
                weight_[to] = stated_.holding * loads[c], target_[to] = along(by, aimed, 6);
                combine(by, task_ + to * n_, 1.0);
            }
            forces(contact, R, s, column);
            for (int k = 0; k < contact.generators(); ++k, ++column) {
                low[nv_ + column] = 0;
                high[nv_ + column] = loads[c] > 0 ? kInfinity : 0.0;
            }
        }
    }
    // its jacobian, what its acceleration shall be, and how its frame is turned, by columns
    template <class T>
    void twist(const BodyContact& contact, const double* v, const TaskRows<Dual<T>>& rows, int l,
               double* aimed, double* R) {
        for (int i = 0; i < 6; ++i) {
            const Dual<T>* row = rows.jacobian + long(contact.row + i) * nv_;
            double speed = 0, drift = 0, *J = twist_ + long(i) * nv_;
            for (int k = 0; k < nv_; ++k) {
                J[k] = value_of(row[k], l);
                speed = mul_add(J[k], v[k], speed);
                drift = mul_add(rate_of(row[k], l), v[k], drift);
            }
            aimed[i] = -contact.damping * speed - drift;
        }
        const Mat3<Dual<T>> axes = rows.axes(contact.axes);
        for (const Vec3<Dual<T>>* column : {&axes.x, &axes.y, &axes.z}) {
            *R++ = value_of(column->x, l), *R++ = value_of(column->y, l);
            *R++ = value_of(column->z, l);
        }
    }
    // a direction of the frame in world axes
    static void turn(const double* axis, const double* R, double* out) {
        for (int i = 0; i < 3; ++i)
            out[i] = mul_add(R[i], axis[0], mul_add(R[3 + i], axis[1], R[6 + i] * axis[2]));
    }
    // row := scale · by · J of the last twist, and zeros for forces
    void combine(const double* by, double* row, double scale) const {
        std::fill_n(row, n_, 0.0);
        for (int i = 0; i < 6; ++i) {
            const double factor = scale * by[i];
            if (factor == 0) continue;
            const double* J = twist_ + long(i) * nv_;
            for (int k = 0; k < nv_; ++k) row[k] = mul_add(factor, J[k], row[k]);
        }
    }
    // what each generator does to the coordinates, (generators, nv) behind those of before
    void forces(const BodyContact& contact, const double* R, long s, int column) {
        double* push = push_ + (s * (n_ - nv_) + column) * nv_;
        const int copies = contact.torsion > 0 ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            const double spin = copies == 1 ? 0.0 : (copy == 0 ? contact.torsion : -contact.torsion);
            for (int k = 0; k < contact.corners(); ++k) {
                double arm[3];
                turn(contact.levers.data() + 3 * k, R, arm);
                for (int e = 0; e < contact.sides(); ++e, push += nv_) {
                    const double* f = contact.edges.data() + 3 * e;
                    double wrench[6] = {f[0], f[1], f[2]};
                    for (int i = 0; i < 3; ++i) {
                        const int a = (i + 1) % 3, b = (i + 2) % 3;
                        wrench[3 + i] = neg_mul_add(arm[b], f[a], arm[a] * f[b]);
                        wrench[3 + i] = mul_add(spin, contact.normal[i], wrench[3 + i]);
                    }
                    std::fill_n(push, nv_, 0.0);
                    for (int i = 0; i < 6; ++i) {
                        const double* J = twist_ + long(i) * nv_;
                        const double by = -stated_.weight_force * wrench[i];
                        for (int j = 0; j < nv_; ++j) push[j] = mul_add(by, J[j], push[j]);
                    }
                }
            }
        }
    }

    // efforts that must be zero or within limits, and loads
    void drives(long s, const double* loads) {
        const int idle = int(stated_.idle.size()), drives = stated_.drives(), g = n_ - nv_;
        double* low = row_low_ + s * rows_;
        double* high = row_high_ + s * rows_;
        for (int r = 0; r < drives; ++r) {
            const int at = r < idle ? stated_.idle[r] : stated_.driven[r - idle];
            const double scale = 1 / (r < idle ? stated_.weight_force : stated_.effort[r - idle]);
            double* row = row_ + (s * rows_ + r) * n_;
            const double *mass = mass_ + (s * nv_ + at) * nv_, *push = push_ + s * g * nv_ + at;
            for (int k = 0; k < nv_; ++k) row[k] = scale * mass[k];
            for (int k = 0; k < g; ++k) row[nv_ + k] = scale * push[long(k) * nv_];
            const double needed = -scale * bias_[s * nv_ + at], room = r < idle ? 0.0 : 1.0;
            low[r] = needed - room, high[r] = needed + room;
        }
        int r = drives, column = nv_;
        for (size_t c = 0; c < stated_.contacts.size(); ++c) {
            const BodyContact& contact = stated_.contacts[c];
            if (between_[c]) {
                double* row = row_ + (s * rows_ + r) * n_;
                std::fill_n(row, n_, 0.0), std::fill_n(row + column, contact.generators(), 1.0);
                low[r] = -kInfinity;
                high[r++] = loads[c] < 1 ? loads[c] * contact.most : kInfinity;
            }
            column += contact.generators();
        }
    }

    void solve(const BodyStates& states, const BodyAnswers& answers) {
        ProgrammeShape shape;
        shape.variables = n_, shape.tasks = kept_, shape.rows = rows_;
        shape.levels = stated_.levels;
        if (folds_) shape.levels[0] -= int(set_.postures.size());
        shape.levels[0] += held_;
        shape.most_passes = 4 * (n_ + rows_) + 100;
        given_.assign(states.count, {}), found_.assign(states.count, {});
        for (long s = 0; s < states.count; ++s) {
            Programme& given = given_[s];
            given.task = task_ + s * kept_ * n_, given.target = target_ + s * kept_;
            given.weight = weight_ + s * kept_;
            given.damping = damping_, given.reference = reference_ + s * n_;
            given.low = low_ + s * n_, given.high = high_ + s * n_;
            given.row = row_ + s * rows_ * n_;
            given.row_low = row_low_ + s * rows_, given.row_high = row_high_ + s * rows_;
            given.penalty = penalty_;
            given.start = states.start ? states.start + s * (n_ + rows_) : nullptr;
            ProgrammeAnswer& found = found_[s];
            found.v = answers.x + s * n_, found.slack = answers.slack + s * rows_;
            found.at = answers.at + s * (n_ + rows_);
            // nobody asks for these: all states write to one place
            found.bound_force = force_, found.task_force = force_ + n_;
            found.row_force = force_ + n_ + kept_;
        }
        programme_kernel.solve(shape, given_.data(), found_.data(), states.count);
    }

    // efforts, how far contacts slip, and how it ended
    void judge(long s, const BodyAnswers& answers) const {
        const double* x = answers.x + s * n_;
        double *tau = answers.tau + s * nv_, slip = 0;
        const double* push = push_ + s * (n_ - nv_) * nv_;
        for (int i = 0; i < nv_; ++i)
            tau[i] = along(mass_ + (s * nv_ + i) * nv_, x, nv_) + bias_[s * nv_ + i];
        for (int k = 0; k < n_ - nv_; ++k) {
            if (x[nv_ + k] == 0) continue;
            for (int i = 0; i < nv_; ++i)
                tau[i] = mul_add(x[nv_ + k], push[long(k) * nv_ + i], tau[i]);
        }
        for (int i : stated_.idle) tau[i] = 0;
        for (long r = s * kept_; r < s * kept_ + held_; ++r) {
            if (weight_[r] > 0)
                slip = std::max(slip, std::abs(along(task_ + r * n_, x, nv_) - target_[r]));
        }
        const ProgrammeAnswer& found = found_[s];
        answers.slip[s] = slip, answers.missed[s] = found.missed;
        answers.code[s] = int(found.end), answers.worst[s] = found.worst;
        answers.passes[s] = found.passes;
    }

    const Tree& tree_;
    const TaskSet& set_;
    const BodyStatement& stated_;
    const int nv_, n_, own_;  // own_: rows of tasks
    const bool folds_;
    const int held_, kept_;  // rows of contacts, and with those of tasks that are not folded
    const char* between_;    // of each contact: whether a load is between 0 and 1
    const int rows_;
    double *task_, *target_, *weight_, *damping_, *reference_, *low_, *high_, *row_, *row_low_,
        *row_high_, *penalty_, *mass_, *push_, *bias_, *some_, *force_, *twist_;
    std::vector<Programme> given_;
    std::vector<ProgrammeAnswer> found_;
};

}  // namespace

void whole_body(const Tree& tree, const TaskSet& set, const BodyStatement& stated,
                const BodyStates& states, const BodyAnswers& answers) {
    const bool one = states.count == 1;
    const long most = std::min(states.count, kStatesAtOnce), loads = long(stated.contacts.size());
    const std::vector<char> between = loads_between(stated, states.loads, states.count);
    const int rows = stated.drives() + int(std::count(between.begin(), between.end(), 1));
    const size_t each = one ? Body::each_bytes<double>(tree, set) : Body::each_bytes<Lanes>(tree, set);
    WorkMemory lent;
    Scratch scratch(lent.get(Body::bytes(tree, stated, rows, most) +
                             std::max(each, evaluate_bytes(tree))));
    Body body(tree, set, stated, between.data(), rows, most, scratch);
    const int n = tree.nv + stated.generators();
    for (long from = 0; from < states.count; from += most) {
        BodyStates part = states;
        part.count = std::min(most, states.count - from);
        part.q += from * tree.nq, part.v += from * tree.nv, part.loads += from * loads;
        part.targets += from * states.stride, part.rates += from * states.stride;
        if (part.start) part.start += from * (n + rows);
        BodyAnswers to = answers;
        to.x += from * n, to.tau += from * tree.nv, to.slack += from * rows;
        to.at += from * (n + rows);
        to.slip += from, to.missed += from, to.code += from, to.worst += from, to.passes += from;
        // how a state is computed does not depend on how many are left
        if (one) body.run<double>(part, to, scratch);
        else body.run<Lanes>(part, to, scratch);
    }
}

}  // namespace tarsus::TARSUS_ISA
