// Forces of parts at moments of a smooth motion: as generalised forces, and what each part does.
#pragma once

#include "dynamics/spanning.hpp"
#include "flow/flow.hpp"
#include "parts/part.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kStored = 0, kPower = 1, kPush = 2, kValues = 8;  // in a record

// tau (nv) and records of one state, or of a state in each lane
template <class T>
size_t part_forces_bytes(const Tree& tree, const Parts& parts);
template <class T>
void part_forces(const Tree& tree, const Parts& parts, const double* numbers, const T* table,
                 const T* q, const T* v, T* tau, T* records, Scratch scratch);

// the same where the joints are known, as dual numbers: forces with their rates
template <class T>
size_t forces_of_joints_bytes(const Tree& tree, const Parts& parts);
template <class T>
void forces_of_joints(const Tree& tree, const Parts& parts, const double* numbers,
                      const JointState<T>& joints, T* tau, T* records, Scratch scratch);

// of parts that make forces; values alone of those that are held (held_rows.hpp)
class PartForces {
   public:
    // parts and numbers must outlive it
    PartForces(const Tree& tree, const Parts& parts, const double* numbers)
        : tree_(tree), parts_(parts), numbers_(numbers) {}

    int count() const { return int(parts_.list.size()); }
    // tau (n, nv), and for each part a row of its record (Parts::kRecord), with the power that it
    // gives beside what it stores in the place of its work. False if a number is not finite.
    bool operator()(long n, const double* table, const double* q, const double* v, double* tau,
                    double* records);

   private:
    template <class T>
    size_t bytes() const;

    const Tree& tree_;
    const Parts& parts_;
    const double* numbers_;
    WorkMemory memory_;
};

}  // namespace tarsus::TARSUS_ISA
