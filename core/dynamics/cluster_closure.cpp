#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void free_motions(const Tree& tree, const Cluster& cluster, const Base<T>* table,
                                 const T* x, ClosureWork<T>& work) {
    const int free = cluster.nv + cluster.n_dependent;
    for (int k = 0; k < cluster.nw * free; ++k) work.E[k] = T(0.0);
    for (int w = 0; w < cluster.nw; ++w) {
        const int column = tree.column[cluster.w + w];
        if (column >= 0) work.E[w * free + column] = T(1.0);
    }
    for (int k = 0; k < cluster.n_couplings; ++k) {
        const Coupling& c = tree.couplings[cluster.coupling + k];
        slopes(tree, c, table, x, work.slope);
        for (int f = 0; f < c.n_followers; ++f) {
            T* row = work.E + (tree.links[joint_of(tree, c.follower + f)].v - cluster.w) * free;
            for (int l = 0; l < c.n_leaders; ++l) {
                const T* leader =
                    work.E + (tree.links[joint_of(tree, c.leader + l)].v - cluster.w) * free;
                const T& slope = work.slope[f * c.n_leaders + l];
                for (int e = 0; e < free; ++e) row[e] = mul_add(slope, leader[e], row[e]);
            }
        }
    }
}

template <class T>
TARSUS_FLATTEN void loop_matrices(const Tree& tree, const Cluster& cluster, const T* x,
                                  ClosureWork<T>& work) {
    const int nw = cluster.nw, free = cluster.nv + cluster.n_dependent;
    place_members(tree, cluster, x, work);
    for (int k = 0; k < cluster.n_rows * nw; ++k) work.Phi[k] = T(0.0);
    loop_rates(tree, cluster, work,
               [&](int row, int w, const T& rate) { work.Phi[row * nw + w] += rate; });
    for (int r = 0; r < cluster.n_rows; ++r) {
        for (int e = 0; e < free; ++e) {
            T sum(0.0);
            for (int w = 0; w < nw; ++w) {
                sum = mul_add(work.Phi[r * nw + w], work.E[w * free + e], sum);
            }
            work.A[r * free + e] = sum;
        }
    }
}

#define TARSUS_CLUSTER_CLOSURE(T)                                                     \
    template void free_motions(const Tree&, const Cluster&, const Base<T>*, const T*, \
                               ClosureWork<T>&);                                      \
    template void loop_matrices(const Tree&, const Cluster&, const T*, ClosureWork<T>&);
TARSUS_CLUSTER_CLOSURE(double)
TARSUS_CLUSTER_CLOSURE(Lanes)
TARSUS_CLUSTER_CLOSURE(Dual<double>)
TARSUS_CLUSTER_CLOSURE(Dual<Lanes>)

}  // namespace tarsus::TARSUS_ISA
