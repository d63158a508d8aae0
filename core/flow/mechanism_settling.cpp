// Back to where a state belongs after a step of a mechanism: unit quaternions, closed clusters, and
// the nearest positions and velocities that keep the constraints, in the metric of the mass matrix
// (projection.hpp has the equations).
#include "dynamics/configuration.hpp"
#include "flow/mechanism_system.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostClosing = 6;
constexpr double kClosed = 1e-14;  // [m] gaps of constraints below are closed

// a step on the manifold of one configuration, or one in each lane
template <class T>
static void integrate(const Tree& tree, const T* table, const T* q, const T* dv, T* out,
                      Scratch scratch) {
    const JointState<T> joints =
        tree.coupled ? span_coupled(tree, table, q, dv, static_cast<const T*>(nullptr), scratch)
                     : JointState<T>{q, dv, nullptr, nullptr};
    step_configuration(tree, table, joints, dv, out, scratch);
}

template <class T>
void MechanismSystem<T>::settle(const T& where, T* y) {
    if (tree_.nq != tree_.nv || tree_.coupled) {
        Scratch scratch = scratch_;
        T *still = scratch.take<T>(tree_.nv), *q = scratch.take<T>(tree_.nq);
        for (int k = 0; k < tree_.nv; ++k) still[k] = T(0.0);
        integrate<T>(tree_, table(y), y, still, q, scratch);
        for (int k = 0; k < tree_.nq; ++k) y[k] = q[k];
    }
    const T left = limbs_ ? hold_limbs(where, y) : where;
    for (int l = 0; tree_.n_constraint_rows > 0 && l < kLaneCount<T>; ++l) {
        if (lane_of(left, l) > 0) hold(l, y);
    }
}

// The same as `hold`, in all lanes at once; 1 in lanes with a limb that is stretched, or nearly,
// which stay as they are.
template <class T>
T MechanismSystem<T>::hold_limbs(const T& where, T* y) {
    Scratch scratch = scratch_;
    const int nq = tree_.nq, nv = tree_.nv;
    const T zero(0.0), one(1.0);
    T *q = scratch.take<T>(nq), *moved = scratch.take<T>(nq), *step = scratch.take<T>(nv);
    for (int k = 0; k < nq; ++k) q[k] = y[k];
    T regular = one;
    for (int k = 0; k < kMostClosing; ++k) {
        limbs_->look(q, nullptr);
        const T gap = limbs_->close();
        const auto open = select(where > zero, gap, zero) > T(kClosed);
        if (!any(open)) break;
        const T good = limbs_->respond(nullptr, zero_vector<T>(), step);
        regular = select(open, regular * good, regular);
        integrate<T>(tree_, nullptr, q, step, moved, scratch);
        for (int j = 0; j < nq; ++j) q[j] = select(open, moved[j], q[j]);
    }
    limbs_->look(q, y + nq);
    limbs_->stop();
    regular = regular * limbs_->respond(nullptr, zero_vector<T>(), step);
    const auto held = select(regular > zero, where, zero) > zero;
    for (int k = 0; k < nq; ++k) y[k] = select(held, q[k], y[k]);
    for (int k = 0; k < nv; ++k) y[nq + k] = select(held, y[nq + k] + step[k], y[nq + k]);
    return select(regular > zero, zero, where);
}

// positions and velocities of a lane := the nearest that keep the constraints, in the metric of the
// mass matrix
template <class T>
void MechanismSystem<T>::hold(int lane, T* y) {
    const int nq = tree_.nq, nv = tree_.nv;
    for (int k = 0; k < nq; ++k) q_[k] = lane_of(y[k], lane);
    for (int k = 0; k < nv; ++k) v_[k] = lane_of(y[nq + k], lane);
    const auto asked = [&] {
        return tree_.table_size ? outside_->table(index_, q_.data()) : nullptr;
    };
    const double* here = asked();
    for (int k = 0; k < kMostClosing && held_.close(here, q_.data(), step_.data()) > kClosed; ++k) {
        std::vector<double> moved(nq);
        integrate<double>(tree_, here, q_.data(), step_.data(), moved.data(), scratch_);
        q_ = moved, here = asked();
    }
    held_.hold(here, q_.data(), v_.data());
    for (int k = 0; k < nq; ++k) set_lane(y[k], lane, q_[k]);
    for (int k = 0; k < nv; ++k) set_lane(y[nq + k], lane, v_[k]);
}

template void MechanismSystem<double>::settle(const double&, double*);
template void MechanismSystem<Lanes>::settle(const Lanes&, Lanes*);

}  // namespace tarsus::TARSUS_ISA
