// A motion as rates of change, for several states at once: q′ = K(q) v, accelerations, and the
// powers of its ledger.
#pragma once

#include "flow/calls.hpp"
#include "flow/held_rows.hpp"
#include "flow/part_forces.hpp"

namespace tarsus::TARSUS_ISA {

class Rates {
   public:
    // whether the states of a call have a time each, or one for all, at which efforts are asked
    // once
    enum class Times { each, equal };

    // `numbers` must outlive it
    Rates(const Tree& tree, const FlowNumbers& numbers, Outside& outside,
          Times times = Times::each);

    // numbers in a row of powers: of efforts, damping and dry friction (3 nv), and of parts
    int powers() const { return 3 * tree_.nv + parts_.count(); }
    // Forces (n, nv) that act beside gravity at n states and their times, and their powers (n,
    // powers), unless null. False if a number is not finite. The states
    // are those that later calls of `calls` are about.
    bool forces(long n, const double* t, const double* q, const double* v, double* tau,
                double* power);
    // whether there are loops outside the clusters, or parts that are held
    bool holds() const { return held_.rows() > 0; }
    // Accelerations (n, nv) under forces tau (n, nv), at the states that `forces` was asked about;
    // parts that are held add their powers, unless null.
    bool accelerations(long n, const double* q, const double* v, const double* tau, double* a,
                       double* power);
    // rates of q (n, nq), accelerations (n, nv), and powers unless null
    bool operator()(long n, const double* t, const double* q, const double* v, double* dq,
                    double* a, double* power);

    Calls calls;
    long evaluated = 0;  // states

   private:
    bool brake(long n, const double* v);
    bool push(long n, const double* q, const double* v, double* tau, double* power);

    const Tree& tree_;
    Outside& outside_;
    PartForces parts_;
    HeldRows held_;
    const Times times_;
    bool friction_, passive_ = false, brakes_ = false;
    std::vector<double> tau_, passive_forces_, w_, G_, damping_, dry_, pushed_, records_;
};

}  // namespace tarsus::TARSUS_ISA
