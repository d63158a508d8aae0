// What rows that touch do at one moment: impulses at an impact, with the rows' velocities, or
// forces in between, with their accelerations. Both are the complementarity problem of the step
// (constraints/row_system.hpp), with loops eliminated: no normal pulls, friction stays in its cone,
// what is open does not close.
//
// With infinite friction points that are closed do not slip whatever they need, as in Duindam 2006,
// and contacts open by where their points go without them, not by the sign of their forces (section
// 3.3.4): the smallest set of contacts is kept for which all others move away.
#pragma once

#include "flow/contact_mechanism.hpp"
#include "step/room.hpp"

namespace tarsus::TARSUS_ISA {

class GripProblem {
   public:
    // rows of a grip: loops, contacts, limits, dry frictions
    GripProblem(ContactMechanism& mechanism, const Grip& grip, const World& world,
                const double* parameters);

    int n, loops, contacts, limits, dry;
    bool infinite;                 // friction
    std::vector<double> friction;  // of each contact
    std::vector<double> A, b;      // the operator, and what rows are without forces along them
    std::vector<double> target;    // velocities that bounces ask for
    std::vector<double> bound;     // of dry frictions
    std::vector<double> slip;      // velocities of contacts along their two tangents

    std::vector<double> p, result;  // the solution along all rows, and what the rows then are
    std::vector<bool> kept;         // contacts that stay closed whatever their forces

    int contact(int k) const { return loops + 3 * k; }
    // `impact`: rows are velocities; false if residuals are above `allowed` of the rows
    bool solve(bool impact, Room& room, double allowed = 1e-7);

    static constexpr int kMostSupports = 12;  // contacts that infinite friction may have

   private:
    bool solve_sticking();
    void reduce();
    double reduced(int r, int c) const;
    void complete();
    // forces that keep the rows of these contacts and of loops
    void hold(const std::vector<int>& some);
    std::vector<int> supports();

    std::vector<double> held_;  // A_LL⁺ (A_L, b_L), column after column
};

}  // namespace tarsus::TARSUS_ISA
