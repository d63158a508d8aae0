// A mechanism with the derivatives of its motion: y = (q, v, Φ), where Φ has a row for each
// velocity of steps of q, and one of changes of v, and a column for each velocity of the first
// phase twice and for each parameter. Its rates are those of neighbouring motions (variational
// equations),
//
//   δq̇ = δv + [δq, v],   δv̇ = ∂a/∂q δq + ∂a/∂v δv + ∂a/∂p
//
// Errors of q and v alone decide about steps, so that these are what they are without Φ.
#pragma once

#include "flow/brackets.hpp"
#include "flow/linearised.hpp"
#include "flow/mechanism_system.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class VariationalSystem {
   public:
    using Number = T;

    VariationalSystem(const Phase& phase, int index, double sample_every, HybridOutside* outside,
                      Scratch& scratch)
        : base_(phase, index, sample_every, outside, scratch),
          tree_(*phase.tree),
          index_(index),
          columns_(phase.wide.columns),
          outside_(phase.efforts ? outside : nullptr),
          time_(scratch.take<T>(columns_)),
          linear_(tree_, phase.wide, phase.efforts, scratch) {
        for (const StructureConstant& each : brackets_of(*phase.wide.tree)) {
            const int user = phase.wide.tree->user_v[each.k];
            if (user >= 0 && phase.wide.v[user] >= 0)
                brackets_.push_back({phase.wide.v[user], each.i, each.j, each.c});
        }
    }
    static size_t bytes(const Phase& phase) {
        return MechanismSystem<T>::bytes(phase) + bytes_of<T>(phase.wide.columns) +
               Linearised<T>::bytes(*phase.tree, phase.wide);
    }
    static int size_of(const Phase& phase) {
        return MechanismSystem<T>::size_of(phase) + 2 * phase.tree->nv * phase.wide.columns;
    }

    int size() const { return measured() + 2 * tree_.nv * columns_; }
    int measured() const { return base_.size(); }
    int n_guards() const { return base_.n_guards(); }

    void rates(const T& t, const T* y, T* dy, T* values, T* slopes) {
        base_.rates(t, y, dy, values, slopes);
        const int half = tree_.nv * columns_;
        const T *q = y, *v = y + tree_.nq, *dq = y + measured(), *dv = dq + half;
        T *a = dy + tree_.nq, *rate = dy + measured();
        linear_.look(q, v, a);
        if (tree_.n_constraint_rows > 0) linear_.hold(base_.pushed());
        for (int k = 0; k < half; ++k) rate[k] = dv[k];
        for (const StructureConstant& each : brackets_) {
            const T by = T(each.c) * linear_.joint_velocity(each.i);
            for (int c = 0; c < columns_; ++c) {
                T& out = rate[each.k * columns_ + c];
                out = mul_add(by, linear_.joint_step(each.j, dq, c), out);
            }
        }
        const std::vector<double> efforts = differentiate_efforts(t, q, v);
        linear_.ask(dq, dv);
        for (int r = 0; !efforts.empty() && r < tree_.nv; ++r) {
            const T of_time(efforts[(r + 1) * (2 * tree_.nv + 1) - 1]);
            for (int c = 0; c < columns_; ++c)
                linear_.X(r, c) = neg_mul_add(of_time, time_[c], linear_.X(r, c));
        }
        linear_.solve();
        linear_.close(Linearised<T>::Of::accelerations, dq, dv);
        for (int r = 0; r < tree_.nv; ++r) {
            for (int c = 0; c < columns_; ++c) rate[half + r * columns_ + c] = linear_.X(r, c);
        }
    }
    void settle(const T& where, T* y) { base_.settle(where, y); }

    double longest_step(int lane, const T* y) const { return base_.longest_step(lane, y); }
    void load(int lane, const HybridMotion& motion, T* y) {
        base_.load(lane, motion, y);
        for (int c = 0; c < columns_; ++c) set_lane(time_[c], lane, motion.time[c]);
        for (int k = 0; k < 2 * tree_.nv * columns_; ++k)
            set_lane(y[measured() + k], lane, motion.columns[k]);
    }
    void store(int lane, const T* y, const T* dy, HybridMotion& motion) const {
        base_.store(lane, y, dy, motion);
        for (int k = 0; k < tree_.nv; ++k) motion.a[k] = lane_of(dy[tree_.nq + k], lane);
        for (int k = 0; k < 2 * tree_.nv * columns_; ++k)
            motion.columns[k] = lane_of(y[measured() + k], lane);
    }
    double next_sample(const HybridMotion& motion) const { return base_.next_sample(motion); }
    void note(int lane, double t, const T* y, HybridMotion& motion) const {
        base_.note(lane, t, y, motion);
    }

   private:
    // of users' efforts, by rows of steps, velocities and time; nothing where they compute none
    std::vector<double> differentiate_efforts(const T& t, const T* q, const T* v) {
        std::vector<double> found;
        if constexpr (std::is_same_v<T, double>) {
            if (!outside_) return found;
            const int n = tree_.nv;
            found = outside_->efforts_derivative(index_, t, q, v);
            for (int r = 0; r < n; ++r) {
                const double* row = &found[r * (2 * n + 1)];
                for (int k = 0; k < n; ++k) linear_.lose(r, k, row[k], row[n + k]);
            }
        }
        return found;
    }

    MechanismSystem<T> base_;
    const Tree& tree_;
    const int index_, columns_;
    HybridOutside* outside_;
    T* time_;  // how that of the last event changes in each column
    Linearised<T> linear_;
    std::vector<StructureConstant> brackets_;
};

}  // namespace tarsus::TARSUS_ISA
