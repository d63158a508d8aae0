// Steps of clusters with loops: the users', and those from a neutral configuration to a sample.
#include <algorithm>

#include "dynamics/cluster_newton.hpp"
#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
size_t step_bytes(const Tree& tree) {
    return ClosureWork<T>::bytes(tree) + bytes_of<T>(tree.n_matrix) + bytes_of<T>(tree.joint_nv) +
           bytes_of<T>(tree.joint_nq);
}

template <class T>
void step_loops(const Tree& tree, const T* table, const T* start, const T* dv, T* x,
                Scratch& scratch) {
    ClosureWork<T> work(tree, scratch);
    const StepRoom<T> room{scratch.take<T>(tree.n_matrix), scratch.take<T>(tree.joint_nv),
                           scratch.take<T>(tree.joint_nq)};
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        if (cluster.n_loops == 0) continue;
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const int from = tree.links[i].q, nq = kKindInfo[int(tree.links[i].kind)].nq;
            std::copy(start + from, start + from + nq, x + from);
        }
        step_cluster(tree, cluster, table, dv, start, x, work, room);
    }
}

size_t reach_bytes(const Tree& tree) {
    return step_bytes<double>(tree) + 2 * bytes_of<double>(tree.joint_nq) +
           bytes_of<double>(tree.nv);
}

void reach_loops(const Tree& tree, double* q, Scratch scratch) {
    constexpr int kParts = 32;
    double* x = scratch.take<double>(tree.joint_nq);
    double* good = scratch.take<double>(tree.joint_nq);
    double* step = scratch.take<double>(tree.nv);
    ClosureWork<double> work(tree, scratch);
    const StepRoom<double> room{scratch.take<double>(tree.n_matrix),
                                scratch.take<double>(tree.joint_nv),
                                scratch.take<double>(tree.joint_nq)};
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        if (cluster.n_loops == 0) continue;
        const auto for_each_stated = [&](auto&& f) {
            for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
                if (tree.user_q[i] >= 0) f(tree.links[i], tree.user_q[i]);
            }
        };
        for_each_stated([&](const Link& link, int at) {
            visit(link.kind, [&](auto joint) {
                using Joint = decltype(joint);
                double whole[Joint::nv];
                Joint::difference(link, &tree.neutral[at], q + at, whole);
                std::copy_n(&tree.neutral[at], int(Joint::nq), good + link.q);
                for (int k = 0; k < Joint::nv; ++k) {
                    const int v = tree.user_v[link.v + k];
                    if (v >= 0) step[v] = whole[k] / kParts;
                }
            });
        });
        const Link& first = tree.links[cluster.body];
        const Link& last = tree.links[cluster.body + cluster.n_bodies - 1];
        const int end = last.q + kKindInfo[int(last.kind)].nq;
        for (int part = 0; part < kParts; ++part) {
            std::copy(good + first.q, good + end, x + first.q);
            step_cluster<double>(tree, cluster, nullptr, step, good, x, work, room);
            bool closed = true;
            for_each_stated([&](const Link& link, int) {
                for (int k = 0; k < kKindInfo[int(link.kind)].nq; ++k) {
                    closed = closed && std::isfinite(x[link.q + k]);
                }
            });
            if (!closed) break;
            std::swap(x, good);
        }
        for_each_stated([&](const Link& link, int at) {
            std::copy_n(good + link.q, kKindInfo[int(link.kind)].nq, q + at);
        });
    }
}

#define TARSUS_LOOP_STEPS(T)                    \
    template size_t step_bytes<T>(const Tree&); \
    template void step_loops(const Tree&, const T*, const T*, const T*, T*, Scratch&);
TARSUS_LOOP_STEPS(double)
TARSUS_LOOP_STEPS(Lanes)

}  // namespace tarsus::TARSUS_ISA
