// Which coupling or loop has no answer in a state: a cold path, for messages.
#include <algorithm>

#include "dynamics/cluster_newton.hpp"
#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// closures that fail leave NaN in the first position of a dependent joint
bool all_placed(const Tree& tree, const Cluster& cluster, const double* x) {
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        if (!std::isfinite(x[tree.links[i].q])) return false;
    }
    return true;
}

// the first coupling or loop without an answer at positions x; loops get closed, G filled
ClosureFault fault_at(const Tree& tree, const double* table, ClosureWork<double>& work, double* x,
                      double* G) {
    using Reason = ClosureFault::Reason;
    for (const Coupling& c : tree.couplings) {
        for (int f = c.follower; f < c.follower + c.n_followers; ++f) {
            const double at = x[tree.links[joint_of(tree, f)].q];
            if (!std::isfinite(at)) return {Reason::coupling, c.index, 0.0};
        }
    }
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        ClosureFault widest{Reason::open, 0, -1.0};
        if (cluster.n_loops > 0) {
            // the loop that is widest open where Newton's method starts stands for its cluster
            free_motions(tree, cluster, table, x, work);
            loop_matrices(tree, cluster, x, work);
        }
        for (int k = 0; k < cluster.n_loops; ++k) {
            const int index = tree.cluster_loops[cluster.loop + k];
            const Loop& loop = tree.loops[index];
            const double gap = total_of(work.residual + loop.first_row, loop.n_rows);
            if (gap > widest.gap) widest.index = index, widest.gap = gap;
        }
        close_cluster(tree, cluster, table, x, work);
        solve_matrix(cluster, work, G + cluster.matrix);
        if (!all_placed(tree, cluster, x)) return widest;
        for (int k = 0; cluster.n_loops > 0 && k < cluster.nw * cluster.nv; ++k) {
            if (!std::isfinite(G[cluster.matrix + k])) return {Reason::singular, widest.index, 0.0};
        }
    }
    return {};
}

}  // namespace

ClosureFault find_closure_fault(const Tree& tree, const double* table, const double* q,
                                const double* dv) {
    if (!tree.coupled) return {};
    const size_t bytes = ClosureWork<double>::bytes(tree) + 3 * bytes_of<double>(tree.joint_nq) +
                         bytes_of<double>(tree.n_matrix) + bytes_of<double>(tree.joint_nv);
    WorkMemory memory;
    Scratch scratch(memory.get(bytes));
    ClosureWork<double> work(tree, scratch);
    double* x = scratch.take<double>(tree.joint_nq);
    double* moved = scratch.take<double>(tree.joint_nq);
    double* to = scratch.take<double>(tree.joint_nq);
    double* G = scratch.take<double>(tree.n_matrix);
    double* w = scratch.take<double>(tree.joint_nv);
    stated_positions(tree, table, q, x);
    const ClosureFault here = fault_at(tree, table, work, x, G);
    if (here.reason != ClosureFault::Reason::none || !dv) return here;
    std::copy(x, x + tree.joint_nq, moved);
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        if (cluster.n_loops == 0) continue;
        step_cluster<double>(tree, cluster, table, dv, x, moved, work, {G, w, to});
        if (!all_placed(tree, cluster, moved)) {
            return {ClosureFault::Reason::lost, tree.cluster_loops[cluster.loop], 0.0};
        }
    }
    return {};
}

}  // namespace tarsus::TARSUS_ISA
