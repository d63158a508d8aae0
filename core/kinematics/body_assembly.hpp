// The quadratic programmes of whole bodies, in plain memory, state by state.
//
// Unknowns are accelerations, then forces of contacts and loops as shares of the weight. Tasks are
// rows of contacts and loops that hold, then those of users; postures of a single level join the
// damping. Rows are efforts that must be zero, loads, given limits, and last efforts with limits,
// which are made only where they are asked for.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kinematics/body_rows.hpp"
#include "kinematics/programme.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

class BodyAssembly {
   public:
    BodyAssembly(const Tree& tree, const TaskSet& set, const BodyStatement& stated,
                 const std::vector<char>& between, int limits, long most, Scratch& scratch)
        : nv(tree.nv),
          n(tree.nv + stated.forces()),
          held(stated.held()),
          own(int(stated.weight.size())),
          folds(stated.levels.size() == 1),
          kept(held + own - (folds ? int(set.postures.size()) : 0)),
          firm(int(stated.zero + std::count(between.begin(), between.end(), 1)) + limits),
          rows(firm + int(stated.effort.size())),
          mass(scratch.take<double>(most * nv * nv)),
          push(scratch.take<double>(most * nv * (n - nv))),
          bias(scratch.take<double>(most * nv)),
          tree_(tree),
          set_(set),
          stated_(stated),
          between_(between),
          task_(scratch.take<double>(most * kept * n)),
          target_(scratch.take<double>(most * kept)),
          weight_(scratch.take<double>(most * kept)),
          damping_(scratch.take<double>(n)),
          reference_(scratch.take<double>(most * n)),
          low_(scratch.take<double>(most * n)),
          high_(scratch.take<double>(most * n)),
          row_(scratch.take<double>(most * rows * n)),
          row_low_(scratch.take<double>(most * rows)),
          row_high_(scratch.take<double>(most * rows)),
          penalty_(scratch.take<double>(rows)),
          twist_(scratch.take<double>(6 * nv)) {
        std::copy(stated.damping.begin(), stated.damping.end(), damping_);
        std::fill_n(damping_ + nv, n - nv, stated.force_damping);
        for (const PostureRow& row : set.postures) {
            if (folds) damping_[row.v] += stated.weight[row.row];
        }
        std::fill_n(penalty_, firm - limits, kNoLimit);
        std::fill_n(penalty_ + firm - limits, rows - firm + limits, stated.yielding);
        for (const TwistRows& twist : set.twists) {
            std::vector<int> columns;
            if (tree.coupled) {
                for (int k = 0; k < nv; ++k) columns.push_back(k);
            } else {
                for (const TaskColumn& column : twist.columns) columns.push_back(column.v);
            }
            moves_.push_back(std::move(columns));
        }
        for (const BodyContact& contact : stated.contacts) {
            columns_.push_back(contact.generators());
            held_.push_back(contact.rows());
        }
        if (stated.loops == 0) return;
        columns_.push_back(stated.loops), held_.push_back(stated.loops);
        moves_.emplace_back();
        for (int k = 0; k < nv; ++k) moves_.back().push_back(k);
    }
    static size_t bytes(const Tree& tree, const BodyStatement& stated, int limits, long most) {
        const long nv = tree.nv, g = stated.forces(), n = nv + g;
        const long kept = stated.held() + long(stated.weight.size());
        const long rows = stated.drives() + long(stated.contacts.size()) + limits;
        return bytes_of<double>(most * nv * nv) + bytes_of<double>(most * nv * g) +
               bytes_of<double>(most * nv) + bytes_of<double>(most * kept * n) +
               2 * bytes_of<double>(most * kept) + bytes_of<double>(n) +
               3 * bytes_of<double>(most * n) + bytes_of<double>(most * rows * n) +
               2 * bytes_of<double>(most * rows) + bytes_of<double>(rows) +
               bytes_of<double>(6 * nv);
    }

    // all but efforts with limits; mass and bias of the state are there
    template <class T>
    void state(long s, const BodyStates& states, const BodyRows<T>& from, int l) {
        const double* loads = states.loads + s * long(stated_.contacts.size());
        const double* v = states.v + s * nv;
        bounds(s, states.q + s * tree_.nq, v);
        std::fill_n(task_ + s * kept * n, long(kept) * n, 0.0);
        int row = 0, column = 0;
        for (size_t c = 0; c < stated_.contacts.size(); ++c) {
            const BodyContact& contact = stated_.contacts[c];
            double R[9];
            from.rotation(contact, l, R);
            for (int i = 0; i < 6; ++i) {
                for (int k : moves_[c]) twist_[i * nv + k] = from.jacobian(contact.row + i, k, l);
            }
            hold(s, c, R, loads[c], row, from, l), forces(s, c, R, column);
            std::fill_n(low_ + s * n + nv + column, contact.generators(), 0.0);
            std::fill_n(high_ + s * n + nv + column, contact.generators(),
                        loads[c] > 0 ? kNoLimit : 0.0);
            row += contact.rows(), column += contact.generators();
        }
        loops(s, row, column, from, l);
        tasks(s, v, from, l);
        int r = 0;
        for (; r < stated_.zero; ++r) effort(s, states, r, r, 1 / stated_.weight_force, 0.0);
        column = nv;
        for (size_t c = 0; c < stated_.contacts.size(); ++c) {
            if (between_[c]) load(s, r++, stated_.contacts[c], column, loads[c]);
            column += stated_.contacts[c].generators();
        }
        for (int k = 0; k < states.limits; ++k) given(s, r++, states, k);
    }
    // … and these
    void limits(long s, const BodyStates& states) {
        for (int k = 0; k < int(stated_.effort.size()); ++k)
            effort(s, states, firm + k, stated_.zero + k, 1 / stated_.effort[k], 1.0);
    }
    // what the drive with a limit number k does for efforts tau (nv)
    double drive(long s, const BodyStates& states, int k, const double* tau) const {
        if (!stated_.motors) return tau[stated_.driven[k]];
        const double* by = states.drives + (s * stated_.drives() + stated_.zero + k) * nv;
        double sum = 0;
        for (int i = 0; i < nv; ++i) sum = mul_add(by[i], tau[i], sum);
        return sum;
    }

    Programme programme(long s) const {
        Programme given{};
        given.task = task_ + s * kept * n, given.target = target_ + s * kept;
        given.weight = weight_ + s * kept;
        given.damping = damping_, given.reference = reference_ + s * n;
        given.low = low_ + s * n, given.high = high_ + s * n;
        given.row = row_ + s * rows * n;
        given.row_low = row_low_ + s * rows, given.row_high = row_high_ + s * rows;
        given.penalty = penalty_;
        return given;
    }

    // what x needs, (nv)
    void efforts(long s, const double* x, double* tau) const {
        // by columns, which are rows: sums that do not wait for each other
        std::copy_n(bias + s * nv, nv, tau);
        for (int k = 0; k < nv; ++k) {
            const double* column = mass + (s * nv + k) * nv;
            for (int i = 0; i < nv; ++i) tau[i] = mul_add(column[i], x[k], tau[i]);
        }
        const double* force = push + s * (n - nv) * nv;
        int column = nv;
        for (size_t c = 0; c < columns_.size(); ++c) {
            for (int g = columns_[c]; g > 0; --g, ++column, force += nv) {
                if (x[column] == 0) continue;
                for (int k : moves_[c]) tau[k] = mul_add(x[column], force[k], tau[k]);
            }
        }
    }
    // how far contacts that hold are from what they ask for
    double slip(long s, const double* x) const {
        double most = 0;
        long r = s * kept;
        for (size_t c = 0; c < held_.size(); ++c) {
            for (int i = held_[c]; i > 0; --i, ++r) {
                if (!(weight_[r] > 0)) continue;
                double sum = -target_[r];
                for (int k : moves_[c]) sum = mul_add(task_[r * n + k], x[k], sum);
                most = std::max(most, std::abs(sum));
            }
        }
        return most;
    }

    const int nv, n, held, own;
    const bool folds;
    const int kept, firm, rows;  // tasks, rows that are always there, and all of them
    double *const mass, *const push, *const bias;

   private:
    // a coordinate brakes before its limit: tarsus/control/actuation_rows.py
    void bounds(long s, const double* q, const double* v) {
        const double k = stated_.approach;
        for (int i = 0; i < nv; ++i) {
            const double speed = stated_.fastest[i], most = stated_.acceleration[i];
            double least = -kNoLimit, greatest = kNoLimit;
            if (const int at = stated_.position[i]; at >= 0) {
                least = k * k * (stated_.lower[i] - q[at]) - 2 * k * v[i];
                greatest = k * k * (stated_.upper[i] - q[at]) - 2 * k * v[i];
            }
            low_[s * n + i] =
                std::clamp(std::clamp(k * (-speed - v[i]), least, greatest), -most, most);
            high_[s * n + i] =
                std::clamp(std::clamp(k * (speed - v[i]), least, greatest), -most, most);
        }
    }

    // a direction of a frame in world axes
    static void turn(const double* axis, const double* R, double* out) {
        for (int i = 0; i < 3; ++i)
            out[i] = mul_add(R[i], axis[0], mul_add(R[3 + i], axis[1], R[6 + i] * axis[2]));
    }
    // rows in which a contact moves as it is asked to
    template <class T>
    void hold(long s, size_t c, const double* R, double load, int row, const BodyRows<T>& from,
              int l) {
        const BodyContact& contact = stated_.contacts[c];
        for (int r = 0; r < contact.rows(); ++r) {
            double by[6] = {}, goal = 0;
            if (r < 3) by[r] = 1;
            else turn(contact.turns.data() + 3 * (r - 3), R, by + 3);
            const long to = s * kept + row + r;
            for (int i = 0; i < 6; ++i) {
                if (by[i] == 0) continue;
                goal = mul_add(by[i], from.wanted(contact.row + i, l), goal);
                for (int k : moves_[c])
                    task_[to * n + k] = mul_add(by[i], twist_[i * nv + k], task_[to * n + k]);
            }
            target_[to] = goal, weight_[to] = stated_.holding * load;
        }
    }
    // what generators of a contact do to the coordinates that move it
    void forces(long s, size_t c, const double* R, int column) {
        const BodyContact& contact = stated_.contacts[c];
        double* to = push + (s * (n - nv) + column) * nv;
        for (int copy = 0; copy < contact.copies(); ++copy) {
            const double spin = copy == 0 ? contact.torsion : -contact.torsion;
            for (int k = 0; k < contact.corners(); ++k) {
                double arm[3];
                turn(contact.levers.data() + 3 * k, R, arm);
                for (int e = 0; e < contact.sides(); ++e, to += nv) {
                    const double* f = contact.edges.data() + 3 * e;
                    double wrench[6] = {f[0], f[1], f[2]};
                    for (int i = 0; i < 3; ++i) {
                        const int a = (i + 1) % 3, b = (i + 2) % 3;
                        const double moment = neg_mul_add(arm[b], f[a], arm[a] * f[b]);
                        wrench[3 + i] = mul_add(spin, contact.normal[i], moment);
                    }
                    for (int j : moves_[c]) {
                        double sum = 0;
                        for (int i = 0; i < 6; ++i)
                            sum = mul_add(wrench[i], twist_[i * nv + j], sum);
                        to[j] = -stated_.weight_force * sum;
                    }
                }
            }
        }
    }

    // loops stay closed, and push by what keeps them so
    template <class T>
    void loops(long s, int row, int column, const BodyRows<T>& from, int l) {
        for (int r = 0; r < stated_.loops; ++r) {
            const int own = set_.rows - stated_.loops + r;
            const long to = s * kept + row + r;
            double* force = push + (s * (n - nv) + column + r) * nv;
            for (int k = 0; k < nv; ++k) {
                task_[to * n + k] = from.jacobian(own, k, l);
                force[k] = -stated_.weight_force * task_[to * n + k];
            }
            target_[to] = from.wanted(own, l), weight_[to] = stated_.holding;
            low_[s * n + nv + column + r] = -kNoLimit, high_[s * n + nv + column + r] = kNoLimit;
        }
    }

    template <class T>
    void tasks(long s, const double* v, const BodyRows<T>& from, int l) {
        double* wish = reference_ + s * n;
        for (int k = 0; k < nv; ++k) wish[k] = -stated_.usual * v[k];
        std::fill_n(wish + nv, n - nv, 0.0);
        long to = s * kept + held;
        for (int r = 0; r < own; ++r) {
            if (folds && set_.is_posture[r]) continue;
            for (int k = 0; k < nv; ++k) task_[to * n + k] = from.jacobian(r, k, l);
            target_[to] = from.wanted(r, l), weight_[to++] = stated_.weight[r];
        }
        if (!folds || set_.postures.empty()) return;
        for (int k = 0; k < nv; ++k) wish[k] *= stated_.damping[k];
        for (const PostureRow& row : set_.postures)
            wish[row.v] = mul_add(stated_.weight[row.row], from.wanted(row.row, l), wish[row.v]);
        for (int k = 0; k < nv; ++k) wish[k] /= damping_[k];
    }

    // what drive number k does, times a scale, within `room` of zero
    void effort(long s, const BodyStates& states, int r, int k, double scale, double room) {
        if (stated_.motors) return motor(s, states, r, k, scale, room);
        const int zero = stated_.zero;
        effort(s, r, k < zero ? stated_.idle[k] : stated_.driven[k - zero], scale, room);
    }
    void motor(long s, const BodyStates& states, int r, int k, double scale, double room) {
        double* row = row_ + (s * rows + r) * n;
        std::fill_n(row, n, 0.0);
        const double* by = states.drives + (s * stated_.drives() + k) * nv;
        const double* force = push + s * (n - nv) * nv;
        double needed = 0;
        for (int i = 0; i < nv; ++i) {
            const double share = scale * by[i];
            if (share == 0) continue;
            const double* from = mass + (s * nv + i) * nv;
            for (int j = 0; j < nv; ++j) row[j] = mul_add(share, from[j], row[j]);
            needed = neg_mul_add(share, bias[s * nv + i], needed);
        }
        int column = nv;
        for (size_t c = 0; c < columns_.size(); ++c) {
            for (int g = columns_[c]; g > 0; --g, ++column, force += nv) {
                for (int i : moves_[c]) row[column] = mul_add(scale * by[i], force[i], row[column]);
            }
        }
        row_low_[s * rows + r] = needed - room, row_high_[s * rows + r] = needed + room;
    }
    // the effort on velocity k
    void effort(long s, int r, int k, double scale, double room) {
        double* row = row_ + (s * rows + r) * n;
        const double* from = mass + (s * nv + k) * nv;
        for (int i = 0; i < nv; ++i) row[i] = scale * from[i];
        const double* force = push + s * (n - nv) * nv + k;
        int column = nv;
        for (size_t c = 0; c < columns_.size(); ++c) {
            const int size = columns_[c];
            const bool moved = std::binary_search(moves_[c].begin(), moves_[c].end(), k);
            for (int g = 0; g < size; ++g, force += nv)
                row[column + g] = moved ? scale * *force : 0.0;
            column += size;
        }
        const double needed = -scale * bias[s * nv + k];
        row_low_[s * rows + r] = needed - room, row_high_[s * rows + r] = needed + room;
    }
    void load(long s, int r, const BodyContact& contact, int column, double share) {
        double* row = row_ + (s * rows + r) * n;
        std::fill_n(row, n, 0.0), std::fill_n(row + column, contact.generators(), 1.0);
        row_low_[s * rows + r] = -kNoLimit;
        row_high_[s * rows + r] = share < 1 ? share * contact.most : kNoLimit;
    }
    void given(long s, int r, const BodyStates& states, int k) {
        const long from = s * states.limits + k;
        double* row = row_ + (s * rows + r) * n;
        std::copy_n(states.limit + from * nv, nv, row), std::fill_n(row + nv, n - nv, 0.0);
        row_low_[s * rows + r] = states.limit_low[from];
        row_high_[s * rows + r] = states.limit_high[from];
    }

    const Tree& tree_;
    const TaskSet& set_;
    const BodyStatement& stated_;
    const std::vector<char>& between_;  // of each contact: whether a load is between 0 and 1
    // of each contact, and of the loops together: the velocities that move it, rising; how many
    // forces it has, and rows that hold
    std::vector<std::vector<int>> moves_;
    std::vector<int> columns_, held_;
    double *task_, *target_, *weight_, *damping_, *reference_, *low_, *high_, *row_, *row_low_,
        *row_high_, *penalty_, *twist_;
};

}  // namespace tarsus::TARSUS_ISA
