// g = Ġ v: how the joints of a cluster accelerate by their velocities alone.
#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void cluster_bias(const Tree& tree, const Cluster& cluster, const Base<T>* table,
                                 const T* x, const T* w, ClosureWork<T>& work,
                                 ClosureWork<Dual<T>>& dual, Dual<T>* moving, T* g) {
    for (int k = cluster.w; k < cluster.w + cluster.nw; ++k) g[k] = T(0.0);
    for (int k = 0; k < cluster.n_couplings; ++k) {
        const Coupling& c = tree.couplings[cluster.coupling + k];
        slopes(tree, c, table, x, work.slope);
        curvatures(tree, c, table, x, w, work.curvature);
        for (int f = 0; f < c.n_followers; ++f) {
            T sum = work.curvature[f];
            for (int l = 0; l < c.n_leaders; ++l) {
                const int leader = tree.links[joint_of(tree, c.leader + l)].v;
                sum = mul_add(work.slope[f * c.n_leaders + l], g[leader], sum);
            }
            g[tree.links[joint_of(tree, c.follower + f)].v] = sum;
        }
    }
    if (cluster.n_loops == 0) return;

    // Φ̇ w: the rows' rates at constant w, along the motion
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        for (int k = 0; k < link.angles; ++k) {
            work.angle[k] = sincos_of(x[tree.angle_coordinate[link.angle + k]]);
        }
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            T rate[Joint::nq];
            Joint::rate(At<T>{link, x + link.q, work.angle}, w + link.v, rate);
            for (int k = 0; k < Joint::nq; ++k) moving[link.q + k] = {x[link.q + k], rate[k]};
        });
    }
    place_members(tree, cluster, moving, dual);
    for (int r = 0; r < cluster.n_rows; ++r) work.residual[r] = T(0.0);
    loop_rates(tree, cluster, dual, [&](int row, int k, const Dual<T>& rate) {
        work.residual[row] = mul_add(rate.rate, w[cluster.w + k], work.residual[row]);
    });
    for (int r = 0; r < cluster.n_rows; ++r) {
        for (int k = 0; k < cluster.nw; ++k) {
            const T& rate = work.Phi[r * cluster.nw + k];
            work.residual[r] = mul_add(rate, g[cluster.w + k], work.residual[r]);
        }
    }
    solve(dependents(cluster, work), work.residual, 1);
    const int free = cluster.nv + cluster.n_dependent;
    for (int k = 0; k < cluster.nw; ++k) {
        for (int d = 0; d < cluster.n_dependent; ++d) {
            T& bias = g[cluster.w + k];
            bias = neg_mul_add(work.E[k * free + cluster.nv + d], work.residual[d], bias);
        }
    }
}

#define TARSUS_CLUSTER_BIAS(T)                                                                  \
    template void cluster_bias(const Tree&, const Cluster&, const Base<T>*, const T*, const T*, \
                               ClosureWork<T>&, ClosureWork<Dual<T>>&, Dual<T>*, T*);
TARSUS_CLUSTER_BIAS(double)
TARSUS_CLUSTER_BIAS(Lanes)
TARSUS_CLUSTER_BIAS(Dual<double>)
TARSUS_CLUSTER_BIAS(Dual<Lanes>)

}  // namespace tarsus::TARSUS_ISA
