// How what acts on a mechanism beside gravity depends on q and v: springs, dampers and dry
// frictions of joints, whose ways are given, and parts. All of it on dual numbers, along one
// velocity after the other.
#pragma once

#include "dynamics/branch_cholesky.hpp"
#include "dynamics/spanning.hpp"
#include "parts/part.hpp"

namespace tarsus::TARSUS_ISA {

// whether there is any
bool has_forces(const Tree& tree, const Parts& parts);

template <class T>
size_t force_derivatives_bytes(const Tree& tree, const Parts& parts);

// by_q and by_v (nv × nv) lose the derivatives of these forces
template <class T>
void force_derivatives(const Tree& tree, const Parts& parts, const double* numbers, const T* table,
                       const T* q, const T* v, const int* ways, const LaneMatrix<T>& by_q,
                       const LaneMatrix<T>& by_v, Scratch scratch);

}  // namespace tarsus::TARSUS_ISA
