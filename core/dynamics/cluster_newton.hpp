// Closing the loops of a cluster.
//
// Positions that loops give are found by Newton's method from where the users' q says they are, so
// that a mechanism stays on its branch. Long steps are taken in parts for the same reason. A lane
// that has converged, or has come to the end of its step, waits for its neighbours.
#pragma once

#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

// Σ |a|, which is NaN if any of them is
template <class T>
TARSUS_INLINE T total_of(const T* a, int count) {
    T total(0.0);
    for (int k = 0; k < count; ++k) total += absolute(a[k]);
    return total;
}

// positions of the joints that follow others
template <class T>
void follow_all(const Tree& tree, const Cluster& cluster, const T* table, T* x);

// Positions of all the cluster's joints from those that users state. Leaves E, Φ and the factors
// of the dependent columns of A in `work`. Loops that cannot be closed leave NaN in x.
template <class T>
void close_cluster(const Tree& tree, const Cluster& cluster, const T* table, T* x,
                   ClosureWork<T>& work);

// w := G v for one coupled cluster
template <class T>
TARSUS_INLINE void spread(const Cluster& cluster, const T* G, const T* v, T* w) {
    for (int k = 0; k < cluster.nw; ++k) {
        T sum(0.0);
        for (int e = 0; e < cluster.nv; ++e) {
            sum = mul_add(G[cluster.matrix + k * cluster.nv + e], v[cluster.v + e], sum);
        }
        w[cluster.w + k] = sum;
    }
}

template <class T>
struct StepRoom {
    T *G, *w, *to;  // matrices, velocities and positions of all joints
};

// The members' positions x after the users' step dv, from closed ones, loops closed again. Joints
// whose velocities are all own end where one whole step from `start` takes them.
template <class T>
void step_cluster(const Tree& tree, const Cluster& cluster, const T* table, const T* dv,
                  const T* start, T* x, ClosureWork<T>& work, const StepRoom<T>& room);

}  // namespace tarsus::TARSUS_ISA
