// A mechanism as y′ = f(t, y), y = (q, v), with the guards of its phase, for one state or a state
// in each lane.
#pragma once

#include <optional>

#include "dynamics/articulated_constraints.hpp"
#include "dynamics/held_limbs.hpp"
#include "flow/held_rows.hpp"
#include "flow/hybrid.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class MechanismSystem {
   public:
    using Number = T;

    // all of them must outlive it; `outside` may be null where users compute nothing
    MechanismSystem(const Phase& phase, int index, double sample_every, HybridOutside* outside,
                    Scratch& scratch);
    static size_t bytes(const Phase& phase);
    static int size_of(const Phase& phase) { return phase.tree->nq + phase.tree->nv; }

    int size() const { return tree_.nq + tree_.nv; }
    int measured() const { return size(); }
    int n_guards() const { return n_guards_; }
    // efforts that are held, of each lane
    T* tau;
    // what acted beside gravity and constraints where rates were last asked for
    const T* pushed() const { return force_; }

    // dy := rates at y; values and slopes of guards, exits' own first, unless null
    void rates(const T& t, const T* y, T* dy, T* values, T* slopes);
    // y := back to unit quaternions, closed clusters and closed constraints, in lanes `where`
    void settle(const T& where, T* y);

    // a motion's state into a lane, and back; lanes that have had none repeat the first
    void load(int lane, const HybridMotion& motion, T* y) {
        if (empty_) {
            for (int k = 0; k < tree_.nq; ++k) y[k] = T(motion.q[k]);
            for (int k = 0; k < tree_.nv; ++k) y[tree_.nq + k] = T(motion.v[k]);
            for (int k = 0; k < tree_.nv; ++k) tau[k] = T(motion.tau[k]);
            empty_ = false;
        }
        for (int k = 0; k < tree_.nq; ++k) set_lane(y[k], lane, motion.q[k]);
        for (int k = 0; k < tree_.nv; ++k) set_lane(y[tree_.nq + k], lane, motion.v[k]);
        for (int k = 0; k < tree_.nv; ++k) set_lane(tau[k], lane, motion.tau[k]);
    }
    void store(int lane, const T* y, const T*, HybridMotion& motion) const {
        for (int k = 0; k < tree_.nq; ++k) motion.q[k] = lane_of(y[k], lane);
        for (int k = 0; k < tree_.nv; ++k) motion.v[k] = lane_of(y[tree_.nq + k], lane);
    }
    double longest_step(int, const T*) const { return INFINITY; }
    // a sample of it, and when the next one is due
    double next_sample(const HybridMotion& motion) const {
        return sample_every_ > 0 ? double(motion.samples.size()) * sample_every_ : INFINITY;
    }
    void note(int lane, double t, const T* y, HybridMotion& motion) const {
        HybridSample sample{t, motion.phase, {}, {}};
        for (int k = 0; k < tree_.nq; ++k) sample.q.push_back(lane_of(y[k], lane));
        for (int k = 0; k < tree_.nv; ++k) sample.v.push_back(lane_of(y[tree_.nq + k], lane));
        motion.samples.push_back(std::move(sample));
    }

   private:
    struct Places {
        Pose<T>* pose;      // the world first
        Motion<T>* motion;  // in body frames
    };
    void push(const JointState<T>& joints, const T& t, const T* y, T* force, Scratch& scratch);
    void by_passes(const JointState<T>& joints, const Places& at, T* dy, Scratch scratch);
    void by_limbs(const JointState<T>& joints, const Places& at, const T* y, T* dy,
                  Scratch scratch);
    void notice(const ArticulatedPasses<T>& passes, const Places& at) const;
    void look(const JointState<T>& joints, const Places& at, const T& t, const T* y, const T* dy,
              T* values, T* slopes);
    TARSUS_INLINE void add(const GuardTerm& term, const JointState<T>& joints, const Places& at,
                           const T& t, const T* y, const T* dy, T& value, T& slope);
    const T* table(const T* q);
    T hold_limbs(const T& where, T* y);
    void hold(int lane, T* y);

    const Phase& phase_;
    const int index_;
    const double sample_every_;
    const Tree& tree_;
    HybridOutside* outside_;
    int n_guards_;
    bool passive_, geometric_;
    bool empty_ = true;
    T *force_, *table_;
    std::optional<HeldLimbs<T>> limbs_;
    Scratch scratch_;
    HeldRows held_;
    std::vector<double> q_, v_, step_;
};

}  // namespace tarsus::TARSUS_ISA
