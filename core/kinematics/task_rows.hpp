// Errors of tasks and their jacobians, all tasks in one pass over the bodies.
#pragma once

#include "dynamics/composite.hpp"
#include "dynamics/rate.hpp"
#include "kinematics/pose_search.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class TaskRows {
   public:
    TaskRows(const Tree& tree, const TaskSet& set, Scratch& scratch);
    static size_t bytes(const Tree& tree, const TaskSet& set);

    // at users' positions q; `table` are values of users' coupling functions, or null
    void at(const T* q, const T* targets, const T* table = nullptr)
        requires(!kIsDual<T>);
    // … while they move with v, and targets with their rates
    void at(const Base<T>* q, const Base<T>* v, const T* targets, const Base<T>* table = nullptr)
        requires kIsDual<T>;

    // (rows), what the targets' motion adds to the rates of rows, and (rows, nv)
    T *error, *feedforward, *jacobian;

    // of the last configuration
    const AlignedTree<T>& world() const { return world_; }
    const JointState<T>& joints() const { return joints_; }

    Mat3<T> axes(const TaskAxes& of) const;

   private:
    static size_t moving_bytes(const Tree& tree);
    void rows(const T* targets, Scratch& scratch);
    void weigh(int centre);
    void point(const PointRows& rows, const T* targets);
    void turn(const TurnRows& rows, const T* targets);
    void look(const LookRows& rows, const T* targets);
    void momenta(const T* targets);
    void sum(const SumRow& row, const T* targets);
    void twist(const TwistRows& rows);
    void across(const AcrossRows& rows, const T* targets);
    void given(const GivenRows& rows, const T* targets);
    void gather();

    Vec3<T> place(const TaskPoint& point) const;
    Vec3<T> velocity(const TaskPoint& point, const Vec3<T>& at, const TaskColumn& column) const;
    T* moved_by(int row, int v) { return wide_ + long(row) * tree_.joint_nv + v; }

    const Tree& tree_;
    const TaskSet& set_;
    T* wide_;         // the jacobian by all joints' velocities, the same where these are the users'
    Vec3<T>* first_;  // of each centre and body: Σ m c of what it carries, from its origin
    AlignedTree<T> world_{};
    JointState<T> joints_{};
    Scratch scratch_;
};

// each(s, n, rows) for n states from s on, whose rows are in the first lanes
template <class T, class Each>
void for_each_group(const Tree& tree, const TaskSet& set, const TaskStates& states,
                    Scratch& scratch, Each&& each) {
    constexpr int count = kLaneCount<T>;
    TaskRows<T> rows(tree, set, scratch);
    T *q = scratch.take<T>(tree.nq), *targets = scratch.take<T>(set.targets);
    T* table = states.table ? scratch.take<T>(tree.table_size) : nullptr;
    for (long s = 0; s < states.count; s += count) {
        for (int l = 0; l < count; ++l) {
            const long state = std::min(s + l, states.count - 1);
            const double *at = states.q + state * tree.nq,
                         *to = states.targets + state * states.stride;
            for (int k = 0; k < tree.nq; ++k) set_lane(q[k], l, at[k]);
            for (int k = 0; k < set.targets; ++k) set_lane(targets[k], l, to[k]);
            for (int k = 0; table && k < tree.table_size; ++k)
                set_lane(table[k], l, states.table[state * tree.table_size + k]);
        }
        rows.at(q, targets, table);
        each(s, int(std::min<long>(count, states.count - s)), rows);
    }
}
template <class T>
size_t for_each_group_bytes(const Tree& tree, const TaskSet& set) {
    return TaskRows<T>::bytes(tree, set) + bytes_of<T>(tree.nq) + bytes_of<T>(set.targets) +
           bytes_of<T>(tree.table_size);
}

// numbers of n states to rows of their own, each `stride` after the one before
TARSUS_INLINE void store_states(const double* from, int size, int, double* to, long) {
    std::copy_n(from, size, to);
}
TARSUS_INLINE void store_states(const Lanes* from, int size, int n, double* to, long stride) {
    Rows<Lanes> rows(to, stride, n, false);
    store_rows(from, size, rows);
}

// of many states, in lanes
void task_rows(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
               double* feedforward, double* jacobian);

}  // namespace tarsus::TARSUS_ISA
