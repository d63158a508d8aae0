// A mechanism on compliant surfaces as y′ = f(t, y), for one state or a state in each lane:
//
//   y = (q, v, deformations, works, on)
//
// with eight numbers of deformation and a switch for each candidate. Switches have no rates; they
// change at events, where gaps are zero (flow/compliant_run.cpp). Works are those of efforts,
// damping and dry friction (3 nv) and of each part, then what contacts lost: to dampers across the
// surfaces, along them, and at resets; and how often surfaces met.
#pragma once

#include "flow/compliant_contacts.hpp"
#include "flow/compliant_kernel.hpp"
#include "flow/mechanism_system.hpp"

namespace tarsus::TARSUS_ISA {

// Where things are among the numbers of a state behind its positions.
struct CompliantLayout {
    int nq, nv, parts, candidates;

    explicit CompliantLayout(const CompliantStatement& s)
        : nq(s.world->tree->nq),
          nv(s.world->tree->nv),
          parts(int(s.parts.list.size())),
          candidates(s.world->n_candidates()) {}

    int deformation() const { return nv; }
    int works() const { return deformation() + kDeformation * candidates; }
    int losses() const { return works() + 3 * nv + parts; }
    int on() const { return losses() + kLosses; }
    int size() const { return on() + candidates; }
};

template <class T>
class CompliantSystem {
   public:
    using Number = T;

    // all of them must outlive it; `outside` may be null where users compute no efforts
    CompliantSystem(const CompliantStatement& statement, const Phase& phase, HybridOutside* outside,
                    Scratch& scratch);
    static size_t bytes(const CompliantStatement& statement, const Phase& phase);

    int size() const { return at_.nq + at_.size(); }
    int measured() const { return at_.nq + at_.works(); }
    int n_guards() const { return at_.candidates; }

    // dy := rates at y. Guards fall to zero where surfaces that are apart meet, and where those
    // that touch part; unless null.
    void rates(const T& t, const T* y, T* dy, T* values, T* slopes);
    void settle(const T& where, T* y) { mechanism_.settle(where, y); }

    // a motion's state into a lane, with efforts that are held, friction and viscous friction, and
    // back
    void load(int lane, const HybridMotion& motion, T* y);
    void store(int lane, const T* y, const T* slopes, HybridMotion& motion) const;
    double longest_step(int, const T*) const { return INFINITY; }
    // when the next sample of it is, and that sample
    double next_sample(const HybridMotion& motion) const {
        const long tick = statement_.first + (long(motion.samples.size()) + 1) * statement_.every;
        return tick <= statement_.last ? double(tick) * statement_.dt : INFINITY;
    }
    void note(int lane, double t, const T* y, HybridMotion& motion) const;

   private:
    void drive(const T& t, const T* y, T* effort);
    void brake(const JointState<T>& joints, T* damping, T* dry, Scratch scratch);
    void watch(const T* on, const T* records, T* values, T* slopes) const;

    const CompliantStatement& statement_;
    const Tree& tree_;
    const CompliantLayout at_;
    HybridOutside* outside_;
    MechanismSystem<T> mechanism_;
    CompliantContacts<T> contacts_;
    T *held_, *parameters_;
    Scratch scratch_;
};

}  // namespace tarsus::TARSUS_ISA
