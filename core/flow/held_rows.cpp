#include "flow/held_rows.hpp"

#include <cmath>

#include "dynamics/articulated_constraints.hpp"
#include "dynamics/newton_euler.hpp"
#include "flow/part_forces.hpp"
#include "parts/part_motion.hpp"

namespace tarsus::TARSUS_ISA {

// One state: its articulated inertias, where bodies and parts are, and how they move.
class HeldRows::Mechanism {
   public:
    Mechanism(const HeldRows& rows, const double* table, const double* q, const double* v,
              const double* tau, Scratch scratch)
        : rows_(rows),
          tree_(rows.tree_),
          table_(table),
          q_(q),
          v_(v),
          joints_(spanned(v, nullptr, scratch)),
          passes_(tree_, joints_, {}, scratch),
          pose_(scratch.take<Pose<double>>(tree_.n_bodies + 1)),
          velocity_(scratch.take<Motion<double>>(tree_.n_bodies + 1)),
          place_(scratch.take<PartAt<double>>(rows.held_.size())),
          test_(passes_, rows.rows_, tree_.n_constraints + int(rows.held_.size()), scratch),
          scratch_(scratch) {
        passes_.velocities(nullptr);
        passes_.inertias(tau);
        for (int i = 0; i <= tree_.n_bodies; ++i) velocity_[i] = passes_.body[i].v;
        place_bodies(passes_, pose_);
        for (size_t k = 0; k < rows.held_.size(); ++k) {
            const Part& part = *rows.held_[k].part;
            const double* own = rows.numbers_ + part.numbers;
            if (part.coordinates == Coordinates::frame) {
                frame_at(tree_, part, pose_, own, place_[k]);
            } else if (part.coordinates == Coordinates::line) {
                line_at(part, pose_, own, place_[k]);
            } else {
                joint_at(part, joints_.q, own, place_[k]);
            }
        }
    }

    static size_t bytes(const Tree& tree, int rows, int parts) {
        return 2 * spanning_bytes<double>(tree) + ArticulatedPasses<double>::bytes(tree) +
               bytes_of<Pose<double>>(tree.n_bodies + 1) +
               bytes_of<Motion<double>>(tree.n_bodies + 1) + bytes_of<PartAt<double>>(parts) +
               TestForces<double>::bytes(tree, rows, tree.n_constraints + parts);
    }

    const PartAt<double>& place(size_t k) const { return place_[k]; }

    // J H⁻¹ Jᵀ
    void sum_operator(double* A) {
        test_.clear();
        for_each_constraint(
            tree_, [&](const Loop& loop, int) { push_loop(test_, loop, pose_, loop_place(loop)); });
        for (size_t k = 0; k < rows_.held_.size(); ++k) {
            push_part(*rows_.held_[k].part, pose_, place_[k], test_);
        }
        test_.sum_operator(A);
    }

    void values(double* out) const {
        for_each_constraint(tree_, [&](const Loop& loop, int first) {
            const LoopAt<double> at = loop_place(loop);
            for (int r = 0; r < loop.n_rows; ++r) out[first + r] = at.residual[r];
        });
        for (size_t k = 0; k < rows_.held_.size(); ++k) {
            const Held& held = rows_.held_[k];
            for (int r = 0; r < held.part->n_rows; ++r) out[held.first + r] = place_[k].value[r];
        }
    }

    // for velocities v, which may be others than those of the state
    void rates(const double* v, double* out) {
        Scratch scratch = scratch_;
        const double* w = spanned(v, nullptr, scratch).v;
        body_velocities(passes_, w, velocity_);
        for_each_constraint(tree_, [&](const Loop& loop, int first) {
            const LoopAt<double> at = loop_place(loop);
            const Pose<double>&a = pose_[loop.a.body + 1], &b = pose_[loop.b.body + 1];
            for (int r = 0; r < loop.n_rows; ++r) {
                out[first + r] = row_rate(at.row[r], at.point, b.position, in_world(loop.b.body)) -
                                 row_rate(at.row[r], at.point, a.position, in_world(loop.a.body));
            }
        });
        for (size_t k = 0; k < rows_.held_.size(); ++k) {
            const Part& part = *rows_.held_[k].part;
            double* own = out + rows_.held_[k].first;
            if (part.coordinates == Coordinates::joint) joint_rates(part, place_[k], w, own);
            else body_rates(part, pose_, place_[k], velocity_, own);
        }
    }

    // the last pass, given the acceleration of the world
    void accelerate(const Motion<double>& world, double* a) { passes_.accelerations(world, a); }

    // second derivatives of the rows, after the last pass has found accelerations a
    void curves(const double* a, double* out) {
        Scratch scratch = scratch_;
        const double* joint_a = rows_.joint_parts_ ? spanned(v_, a, scratch).a : nullptr;
        for_each_constraint(tree_, [&](const Loop& loop, int first) {
            loop_accelerations(tree_, loop, motion_of(loop.a.body), motion_of(loop.b.body),
                               out + first);
        });
        for (size_t k = 0; k < rows_.held_.size(); ++k) {
            const Part& part = *rows_.held_[k].part;
            double* own = out + rows_.held_[k].first;
            if (part.coordinates == Coordinates::joint) {
                own[0] = 0.0;
                for (const JointShare& joint : part.joints)
                    own[0] += joint.ratio * joint_a[joint.w];
                continue;
            }
            part_accelerations(tree_, part, rows_.numbers_ + part.numbers, pose_,
                               motion_of(part.a.body), motion_of(part.b.body), own);
        }
    }

    void load(const double* multipliers) const { test_.add_load(multipliers); }

   private:
    JointState<double> spanned(const double* v, const double* a, Scratch& scratch) const {
        if (!tree_.coupled) return {q_, v, a, nullptr};
        return span_coupled(tree_, table_, q_, v, a, scratch);
    }
    LoopAt<double> loop_place(const Loop& loop) const {
        LoopAt<double> at;
        loop_at(tree_, loop, pose_[loop.a.body + 1], pose_[loop.b.body + 1], at);
        return at;
    }
    // its velocity at its origin, in axes of the world
    Motion<double> in_world(int body) const {
        const Mat3<double>& R = pose_[body + 1].rotation;
        return {R * velocity_[body + 1].linear, R * velocity_[body + 1].angular};
    }
    BodyMotion<double> motion_of(int body) const {
        return body_motion(pose_[body + 1], velocity_[body + 1], passes_.body[body + 1].v);
    }

    const HeldRows& rows_;
    const Tree& tree_;
    const double *table_, *q_, *v_;
    JointState<double> joints_;
    ArticulatedPasses<double> passes_;
    Pose<double>* pose_;        // the world first
    Motion<double>* velocity_;  // in body frames
    PartAt<double>* place_;
    TestForces<double> test_;
    Scratch scratch_;
};

HeldRows::HeldRows(const Tree& tree, const Parts& parts, const double* numbers, Which which)
    : tree_(tree),
      numbers_(numbers),
      rows_(tree.n_constraint_rows),
      record_size_(parts.record_size()),
      zero_(tree.nv, 0.0),
      change_(tree.nv) {
    for (size_t k = 0; k < parts.list.size(); ++k) {
        const Part& part = parts.list[k];
        if (part.law != PartLaw::rigid || !(numbers[part.numbers + Part::kOn] > 0)) continue;
        const double time_constant = numbers[part.law_numbers()];
        if (which == Which::closed && time_constant > 0) continue;
        held_.push_back({&part, int(k), rows_, time_constant});
        rows_ += part.n_rows;
        joint_parts_ += part.coordinates == Coordinates::joint;
    }
    const size_t n = rows_;
    for (std::vector<double>* each : {&y_, &rate_, &value_, &scale_, &room_}) each->resize(n);
    A_.resize(n * n), order_.resize(n);
    if (n > 0) least_ = kHeldAlready * mobility_of(tree);
}

HeldRows::Mechanism HeldRows::at(const double* table, const double* q, const double* v,
                                 const double* tau) {
    const size_t bytes = Mechanism::bytes(tree_, rows_, int(held_.size()));
    return Mechanism(*this, table, q, v, tau, Scratch(memory_.get(bytes)));
}

void HeldRows::factor() {
    rank_ = factor_semidefinite(rows_, A_.data(), order_.data(), scale_.data(), least_);
}

// y := the multipliers that take y away
void HeldRows::solve() {
    for (double& y : y_) y = -y;
    solve_semidefinite(rows_, rank_, A_.data(), order_.data(), scale_.data(), y_.data(),
                       room_.data());
}

bool HeldRows::accelerate(long n, const double* table, const double* q, const double* v,
                          const double* tau, double* a, double* records) {
    const Motion<double> world = world_at_rest<double>(tree_).a;
    const int nv = tree_.nv;
    for (long s = 0; s < n; ++s, q += tree_.nq, v += nv, tau += nv, a += nv) {
        if (!all_finite(q, tree_.nq) || !all_finite(v, nv) || !all_finite(tau, nv)) return false;
        Mechanism mechanism = at(table, q, v, tau);
        mechanism.values(value_.data());
        mechanism.rates(v, rate_.data());
        mechanism.accelerate(world, a);
        mechanism.curves(a, y_.data());
        for (const Held& held : held_) {
            if (!(held.time_constant > 0)) continue;
            const double fast = 1 / held.time_constant;
            for (int r = held.first; r < held.first + held.part->n_rows; ++r) {
                y_[r] += fast * (2 * rate_[r] + fast * value_[r]);
            }
        }
        mechanism.sum_operator(A_.data());
        factor(), solve();
        mechanism.load(y_.data());
        mechanism.accelerate(world, a);
        if (!all_finite(a, nv)) return false;
        if (records) note(mechanism, records), records += record_size_;
        if (table) table += tree_.table_size;
    }
    return true;
}

void HeldRows::note(const Mechanism& mechanism, double* records) const {
    for (size_t k = 0; k < held_.size(); ++k) {
        const Part& part = *held_[k].part;
        double* record = records + Parts::kRecord * held_[k].index;
        const double *force = &y_[held_[k].first], *rate = &rate_[held_[k].first];
        Force<double> sum{zero_vector<double>(), zero_vector<double>()};
        double power = 0;
        for (int r = 0; r < part.n_rows; ++r) {
            power += force[r] * rate[r];
            if (part.coordinates == Coordinates::joint) continue;
            const Force<double>& row = mechanism.place(k).row[r];
            sum = {mul_add(row.linear, force[r], sum.linear),
                   mul_add(row.angular, force[r], sum.angular)};
        }
        if (part.coordinates == Coordinates::joint) sum.linear.x = force[0];
        // what stays closed does no work
        record[kPower] = held_[k].time_constant > 0 ? power : 0.0;
        double* push = record + kPush;
        push[0] = sum.linear.x, push[1] = sum.linear.y, push[2] = sum.linear.z;
        push[3] = sum.angular.x, push[4] = sum.angular.y, push[5] = sum.angular.z;
    }
}

bool HeldRows::velocities(long n, const double* table, const double* q, const double* p,
                          double* v) {
    const Motion<double> world = zero_motion<double>();
    for (long s = 0; s < n; ++s, q += tree_.nq, p += tree_.nv, v += tree_.nv) {
        if (!all_finite(q, tree_.nq) || !all_finite(p, tree_.nv)) return false;
        Mechanism mechanism = at(table, q, zero_.data(), p);
        mechanism.accelerate(world, v);
        mechanism.curves(v, y_.data());
        mechanism.sum_operator(A_.data());
        factor(), solve();
        mechanism.load(y_.data());
        mechanism.accelerate(world, v);
        if (!all_finite(v, tree_.nv)) return false;
        if (table) table += tree_.table_size;
    }
    return true;
}

double HeldRows::close(const double* table, const double* q, double* step) {
    Mechanism mechanism = at(table, q, zero_.data(), zero_.data());
    mechanism.values(y_.data());
    double largest = 0;
    for (double y : y_) {
        if (!(std::abs(y) <= largest)) largest = std::abs(y);
    }
    mechanism.sum_operator(A_.data());
    factor(), solve();
    mechanism.load(y_.data());
    mechanism.accelerate(zero_motion<double>(), step);
    return largest;
}

void HeldRows::hold(const double* table, const double* q, double* v) {
    Mechanism mechanism = at(table, q, zero_.data(), zero_.data());
    mechanism.rates(v, y_.data());
    mechanism.sum_operator(A_.data());
    factor(), solve();
    mechanism.load(y_.data());
    mechanism.accelerate(zero_motion<double>(), change_.data());
    for (int k = 0; k < tree_.nv; ++k) v[k] += change_[k];
}

}  // namespace tarsus::TARSUS_ISA
