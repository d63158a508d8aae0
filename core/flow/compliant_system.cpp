#include "flow/compliant_system.hpp"

#include "flow/part_forces.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// [m] Surfaces touch a little deeper and part a little higher than where they meet, so that
// rounding never makes one event of the next.
constexpr double kApart = 1e-11;

template <class T>
size_t rates_bytes(const CompliantStatement& s) {
    const Tree& tree = *s.world->tree;
    return 6 * bytes_of<T>(tree.nv) + bytes_of<T>(s.parts.record_size()) +
           bytes_of<T>(size_t(kTouchRecord) * s.world->n_candidates()) +
           std::max(spanning_bytes<T>(tree) + BodyForces<T>::bytes(tree) +
                        2 * bytes_of<T>(tree.joint_nv),
                    part_forces_bytes<T>(tree, s.parts));
}

}  // namespace

template <class T>
CompliantSystem<T>::CompliantSystem(const CompliantStatement& statement, const Phase& phase,
                                    HybridOutside* outside, Scratch& scratch)
    : statement_(statement),
      tree_(*statement.world->tree),
      at_(statement),
      outside_(outside),
      mechanism_(phase, 0, 0.0, outside, scratch),
      contacts_(*statement.world, statement.contact),
      held_(scratch.take<T>(at_.nv)),
      parameters_(scratch.take<T>(2)),
      scratch_(scratch) {
    for (int k = 0; k < at_.nv; ++k) held_[k] = T(0.0);
    parameters_[kFriction] = parameters_[kViscous] = T(0.0);
    scratch.take<std::byte>(rates_bytes<T>(statement));
}

template <class T>
size_t CompliantSystem<T>::bytes(const CompliantStatement& statement, const Phase& phase) {
    return MechanismSystem<T>::bytes(phase) + bytes_of<T>(statement.world->tree->nv) +
           bytes_of<T>(2) + bytes_of<std::byte>(rates_bytes<T>(statement));
}

template <class T>
void CompliantSystem<T>::load(int lane, const HybridMotion& motion, T* y) {
    for (int k = 0; k < at_.nq; ++k) set_lane(y[k], lane, motion.q[k]);
    for (int k = 0; k < at_.size(); ++k) set_lane(y[at_.nq + k], lane, motion.v[k]);
    for (int k = 0; k < at_.nv; ++k) set_lane(held_[k], lane, motion.tau[k]);
    for (int k = 0; k < 2; ++k) set_lane(parameters_[k], lane, motion.tau[at_.nv + k]);
}

template <class T>
void CompliantSystem<T>::store(int lane, const T* y, const T*, HybridMotion& motion) const {
    for (int k = 0; k < at_.nq; ++k) motion.q[k] = lane_of(y[k], lane);
    for (int k = 0; k < at_.size(); ++k) motion.v[k] = lane_of(y[at_.nq + k], lane);
}

template <class T>
void CompliantSystem<T>::note(int lane, double t, const T* y, HybridMotion& motion) const {
    HybridSample sample{t, 0, std::vector<double>(at_.nq), std::vector<double>(at_.size())};
    for (int k = 0; k < at_.nq; ++k) sample.q[k] = lane_of(y[k], lane);
    for (int k = 0; k < at_.size(); ++k) sample.v[k] = lane_of(y[at_.nq + k], lane);
    motion.samples.push_back(std::move(sample));
}

template <class T>
void CompliantSystem<T>::drive(const T& t, const T* y, T* effort) {
    for (int k = 0; k < at_.nv; ++k) effort[k] = held_[k];
    if constexpr (std::is_same_v<T, double>) {
        if (statement_.efforts) outside_->efforts(0, t, y, y + at_.nq, effort);
    }
}

// generalised forces of damping and of dry friction
template <class T>
void CompliantSystem<T>::brake(const JointState<T>& joints, T* damping, T* dry, Scratch scratch) {
    const int n = tree_.joint_nv;
    const T zero(0.0);
    T *linear = scratch.take<T>(n), *rough = scratch.take<T>(n);
    for (int k = 0; k < n; ++k) {
        const T friction(tree_.friction[k]), &w = joints.v[k];
        linear[k] = -(T(tree_.damping[k]) * w);
        rough[k] = select(w > zero, -friction, select(w < zero, friction, zero));
    }
    gather_forces(tree_, joints.G, linear, damping);
    gather_forces(tree_, joints.G, rough, dry);
}

template <class T>
void CompliantSystem<T>::watch(const T* on, const T* records, T* values, T* slopes) const {
    for (int c = 0; c < at_.candidates; ++c) {
        const T* record = records + c * kTouchRecord;
        const T side = mul_add(T(-2.0), on[c], T(1.0));
        values[c] = mul_add(side, record[kTouchGap], T(kApart));
        slopes[c] = side * record[kTouchSpeed];
    }
}

template <class T>
void CompliantSystem<T>::rates(const T& t, const T* y, T* dy, T* values, T* slopes) {
    Scratch scratch = scratch_;
    const int nv = at_.nv;
    const T *q = y, *v = y + at_.nq, *deformation = v + at_.deformation(), *on = v + at_.on();
    T *dv = dy + at_.nq, *work = dv + at_.works(), *lost = dv + at_.losses();
    T *effort = scratch.take<T>(nv), *pressed = scratch.take<T>(nv), *pushed = scratch.take<T>(nv);
    T *damping = scratch.take<T>(nv), *dry = scratch.take<T>(nv);
    T* part_records = scratch.take<T>(statement_.parts.record_size());
    T* records = scratch.take<T>(size_t(kTouchRecord) * at_.candidates);
    drive(t, y, effort);
    {
        Scratch passing = scratch;
        BodyForces<T> bodies(tree_, nullptr, q, v, passing);
        bodies.outwards();
        contacts_.push(bodies, parameters_, deformation, on, dv + at_.deformation(), records);
        brake(bodies.joints, damping, dry, passing);
        bodies.inwards(pressed);
    }
    for (int k = 0; k < nv; ++k) pushed[k] = T(0.0);
    if (at_.parts > 0) {
        part_forces(tree_, statement_.parts, statement_.part_numbers.data(),
                    static_cast<const T*>(nullptr), q, v, pushed, part_records, scratch);
    }
    for (int k = 0; k < nv; ++k) {
        mechanism_.tau[k] = effort[k] + pressed[k] + pushed[k];
        if (!statement_.friction) mechanism_.tau[k] -= dry[k], dry[k] = T(0.0);
    }
    mechanism_.rates(t, y, dy, nullptr, nullptr);

    for (int k = 0; k < nv; ++k) {
        work[k] = effort[k] * v[k];
        work[nv + k] = damping[k] * v[k], work[2 * nv + k] = dry[k] * v[k];
    }
    for (int k = 0; k < at_.parts; ++k) {
        work[3 * nv + k] = part_records[k * Parts::kRecord + kPower];
    }
    for (int k = 0; k < kLosses; ++k) lost[k] = T(0.0);
    for (int c = 0; c < at_.candidates; ++c) {
        lost[0] -= records[c * kTouchRecord + kTouchNormalLoss];
        lost[1] -= records[c * kTouchRecord + kTouchSlipLoss];
        dv[at_.on() + c] = T(0.0);
    }
    if (values) watch(on, records, values, slopes);
}

template class CompliantSystem<double>;
template class CompliantSystem<Lanes>;

}  // namespace tarsus::TARSUS_ISA
