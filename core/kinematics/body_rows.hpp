// What tasks and contacts of a whole body ask of its accelerations, one state or lanes.
//
// Jacobians and drifts come from one pass on dual numbers: the drift J̇ v − ṙ is the rate of
// J v − r along the motion and that of the targets.
#pragma once

#include "kinematics/task_rows.hpp"
#include "kinematics/whole_body.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class BodyRows {
   public:
    BodyRows(const Tree& tree, const TaskSet& set, const BodyStatement& stated, Scratch& scratch)
        : tree_(tree),
          set_(set),
          stated_(stated),
          rows_(tree, set, scratch),
          q_(scratch.take<T>(tree.nq)),
          v_(scratch.take<T>(tree.nv)),
          targets_(scratch.take<Dual<T>>(set.targets)),
          table_(scratch.take<T>(tree.table_size)),
          wanted_(scratch.take<T>(set.rows)) {}
    static size_t bytes(const Tree& tree, const TaskSet& set) {
        return TaskRows<Dual<T>>::bytes(tree, set) + bytes_of<T>(tree.nq) + bytes_of<T>(tree.nv) +
               bytes_of<Dual<T>>(set.targets) + bytes_of<T>(tree.table_size) +
               bytes_of<T>(set.rows);
    }

    // at states from number `first` on; lanes beyond the last repeat it
    void at(const BodyStates& states, long first) {
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const long s = std::min(first + l, states.count - 1), from = s * states.stride;
            for (int k = 0; k < tree_.nq; ++k) set_lane(q_[k], l, states.q[s * tree_.nq + k]);
            for (int k = 0; k < tree_.nv; ++k) set_lane(v_[k], l, states.v[s * tree_.nv + k]);
            for (int k = 0; k < set_.targets; ++k) {
                set_lane(targets_[k].value, l, states.targets[from + k]);
                set_lane(targets_[k].rate, l, states.rates[from + k]);
            }
            for (int k = 0; states.table && k < tree_.table_size; ++k)
                set_lane(table_[k], l, states.table[s * tree_.table_size + k]);
        }
        rows_.at(q_, v_, targets_, states.table ? table_ : nullptr);
        const int own = int(stated_.weight.size());
        for (int r = 0; r < own; ++r) ask(r, stated_.gain[r], stated_.momentum[r]);
        for (int r = set_.rows - stated_.loops; r < set_.rows; ++r) ask(r, stated_.usual, false);
        for (const BodyContact& contact : stated_.contacts) {
            for (int r = contact.row; r < contact.row + 6; ++r) hold(r, contact.damping);
        }
    }

    // of lane l: row r of the jacobian at velocity k, and what J a shall be
    double jacobian(int r, int k, int l) const {
        return lane_of(rows_.jacobian[long(r) * tree_.nv + k].value, l);
    }
    double wanted(int r, int l) const { return lane_of(wanted_[r], l); }
    // how the frame of a contact is turned, by columns
    void rotation(const BodyContact& contact, int l, double* R) const {
        const Mat3<Dual<T>> axes = rows_.axes(contact.axes);
        for (const Vec3<Dual<T>>* column : {&axes.x, &axes.y, &axes.z}) {
            *R++ = lane_of(column->x.value, l), *R++ = lane_of(column->y.value, l);
            *R++ = lane_of(column->z.value, l);
        }
    }

   private:
    // J v − r and its rate without accelerations
    Dual<T> moving(int r) const {
        const Dual<T>* row = rows_.jacobian + long(r) * tree_.nv;
        Dual<T> sum = -rows_.feedforward[r];
        for (int k = 0; k < tree_.nv; ++k) {
            sum.value = mul_add(row[k].value, v_[k], sum.value);
            sum.rate = mul_add(row[k].rate, v_[k], sum.rate);
        }
        return sum;
    }
    // −D ė − K e − drift, critically damped; a momentum has no error
    void ask(int r, double gain, bool momentum) {
        const Dual<T> m = moving(r);
        const T half = neg_mul_add(T(gain), m.value, -m.rate);
        if (momentum) wanted_[r] = half;
        else
            wanted_[r] = neg_mul_add(T(gain * gain), rows_.error[r].value,
                                     neg_mul_add(T(gain), m.value, half));
    }
    void hold(int r, double damping) {
        const Dual<T> m = moving(r);
        wanted_[r] = neg_mul_add(T(damping), m.value, -m.rate);
    }

    const Tree& tree_;
    const TaskSet& set_;
    const BodyStatement& stated_;
    TaskRows<Dual<T>> rows_;
    T *q_, *v_;
    Dual<T>* targets_;
    T *table_, *wanted_;
};

}  // namespace tarsus::TARSUS_ISA
