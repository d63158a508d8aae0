// Compliant contacts at moments of a motion: as generalised forces, how surfaces deform, and what
// each contact does.
#pragma once

#include "flow/compliant_kernel.hpp"
#include "model/work_memory.hpp"

namespace tarsus::TARSUS_ISA {

class CompliantForces {
   public:
    // both must outlive it
    CompliantForces(const World& world, const CompliantNumbers& numbers)
        : world_(world), numbers_(numbers) {}

    // For n states with rows of parameters (or one row for all): tau (n, nv), rates of
    // deformations (n, candidates × 8) and records (n, candidates × 18) for positions, velocities,
    // deformations, and which candidates are on (n, candidates). False if a number is not finite.
    bool operator()(long n, const double* parameters, long parameter_stride, const double* q,
                    const double* v, const double* deformation, const double* on, double* tau,
                    double* rates, double* records);

   private:
    template <class T>
    size_t bytes() const;

    const World& world_;
    const CompliantNumbers& numbers_;
    WorkMemory memory_;
};

// each motion from where it is to its end (flow/compliant_run.cpp)
void run_compliant(const CompliantStatement& statement, HybridOutside* outside,
                   HybridMotion* motions, long count);

}  // namespace tarsus::TARSUS_ISA
