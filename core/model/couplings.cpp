// Joints that follow others: checked, in order, and multiplied out where ratios are constant.
#include <algorithm>
#include <cmath>

#include "model/clusters.hpp"
#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;

namespace {

// leaders, followers and numbers that a kind of coupling has; linear and function ones have any
struct CouplingShape {
    int leaders, followers, numbers;
};
constexpr CouplingShape kCouplingShapes[] = {
    {0, 0, 0}, {1, 1, 10}, {1, 2, 13}, {2, 2, 26}, {0, 0, 0}};

void check_coupling(const Tree& tree, const CouplingStatement& from) {
    CouplingShape shape = kCouplingShapes[int(from.kind)];
    const int n = int(from.followers.size()), k = int(from.leaders.size());
    if (from.kind == CouplingKind::linear) {
        shape.numbers = int(limited(size_t(n) * k + n));
    }
    if (int(from.numbers.size()) != shape.numbers || n < 1 || k < 1 ||
        (shape.leaders && (k != shape.leaders || n != shape.followers))) {
        fail("a coupling has a wrong number of joints or numbers");
    }
    const auto check = [&](int body, bool follows) {
        if (body < 0 || body >= tree.n_bodies || tree.links[body].nv != 1 ||
            kKindInfo[int(tree.links[body].kind)].nq != 1) {
            fail("couplings are for joints with one coordinate");
        }
        if (follows && tree.roles[tree.links[body].v] != Role::follower) {
            fail("a joint that follows must have role 1");
        }
        if (tree.cluster_of[body] != tree.cluster_of[from.leaders[0]]) {
            fail("the joints of a coupling are in different clusters");
        }
    };
    for (int body : from.leaders) check(body, false);
    for (int body : from.followers) check(body, true);
}

// every joint that follows does so once, and after those that it follows
void check_order(const Tree& tree, const ClusterStatements& statements) {
    std::vector<bool> known(tree.joint_nv, false);
    for (int w = 0; w < tree.joint_nv; ++w) known[w] = tree.roles[w] != Role::follower;
    for (const CouplingStatement& from : statements.couplings) {
        for (int body : from.leaders) {
            if (!known[tree.links[body].v]) fail("a coupling needs a joint that follows later");
        }
        for (int body : from.followers) {
            if (known[tree.links[body].v]) fail("a joint follows twice");
            known[tree.links[body].v] = true;
        }
    }
    if (std::find(known.begin(), known.end(), false) != known.end()) {
        fail("a joint with role 1 follows no other");
    }
}

}  // namespace

// cluster by cluster, otherwise in the order in which they were stated
void read_couplings(Tree& tree, const ClusterStatements& statements) {
    std::vector<Coupling> couplings;
    size_t table = 0;
    const auto list = [&](const std::vector<int>& bodies) {
        const int at = int(tree.coupling_joints.size());
        tree.coupling_joints.insert(tree.coupling_joints.end(), bodies.begin(), bodies.end());
        return at;
    };
    for (const CouplingStatement& from : statements.couplings) {
        check_coupling(tree, from);
        const int n = int(from.followers.size()), k = int(from.leaders.size());
        const bool function = from.kind == CouplingKind::function;
        const size_t squares = function ? limited(size_t(n) * k * k) : 0;
        table = limited(table + (function ? n + size_t(n) * k : 0) + squares);
        const int leader = list(from.leaders), follower = list(from.followers);
        const int number = int(tree.coupling_numbers.size());
        tree.coupling_numbers.insert(tree.coupling_numbers.end(), from.numbers.begin(),
                                     from.numbers.end());
        couplings.push_back({from.kind, leader, k, follower, n, number, tree.table_size,
                             tree.thirds_size, int(couplings.size())});
        tree.thirds_size = int(limited(tree.thirds_size + limited(squares * k)));
        tree.table_size = int(table);
        tree.most_slopes = std::max(tree.most_slopes, n * k);
    }
    // third derivatives come after all else: most algorithms do without them
    for (Coupling& coupling : couplings) coupling.thirds += tree.table_size;
    check_order(tree, statements);
    const auto cluster_of = [&](const Coupling& c) {
        return tree.cluster_of[tree.coupling_joints[c.leader]];
    };
    std::stable_sort(couplings.begin(), couplings.end(), [&](const Coupling& a, const Coupling& b) {
        return cluster_of(a) < cluster_of(b);
    });
    for (const Coupling& coupling : couplings) {
        Cluster& cluster = tree.clusters[cluster_of(coupling)];
        if (cluster.n_couplings++ == 0) cluster.coupling = int(tree.couplings.size());
        tree.couplings.push_back(coupling);
    }
}

// linear couplings alone give a constant G
void multiply_ratios(Tree& tree) {
    tree.constant_matrix.assign(tree.n_matrix, 0.0);
    for (Cluster& cluster : tree.clusters) {
        cluster.constant = cluster.coupled && cluster.n_loops == 0;
        for (int k = 0; k < cluster.n_couplings; ++k) {
            if (tree.couplings[cluster.coupling + k].kind != CouplingKind::linear) {
                cluster.constant = false;
            }
        }
        if (!cluster.constant) continue;
        const auto row = [&](int w) {
            return &tree.constant_matrix[cluster.matrix + (w - cluster.w) * cluster.nv];
        };
        for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
            if (tree.column[w] >= 0) row(w)[tree.column[w]] = 1.0;
        }
        for (int k = 0; k < cluster.n_couplings; ++k) {
            const Coupling& c = tree.couplings[cluster.coupling + k];
            for (int f = 0; f < c.n_followers; ++f) {
                double* to = row(tree.links[tree.coupling_joints[c.follower + f]].v);
                for (int l = 0; l < c.n_leaders; ++l) {
                    const double* from = row(tree.links[tree.coupling_joints[c.leader + l]].v);
                    const double ratio = tree.coupling_numbers[c.number + f * c.n_leaders + l];
                    for (int e = 0; e < cluster.nv; ++e) to[e] += ratio * from[e];
                }
            }
        }
    }
}

// where users' coordinates go, and sparse sums for what follows them at constant ratios
void list_followers(Tree& tree) {
    tree.velocity_to.resize(tree.nv);
    tree.position_to.resize(tree.nq);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const int nq = kKindInfo[int(tree.links[i].kind)].nq;
        for (int k = 0; k < nq && tree.user_q[i] >= 0; ++k) {
            tree.position_to[tree.user_q[i] + k] = tree.links[i].q + k;
        }
    }
    for (int w = 0; w < tree.joint_nv; ++w) {
        if (tree.user_v[w] >= 0) tree.velocity_to[tree.user_v[w]] = w;
    }
    std::vector<double> offset(tree.joint_nv, 0.0);
    for (size_t c = 0; c < tree.clusters.size(); ++c) {
        const Cluster& cluster = tree.clusters[c];
        if (cluster.coupled && !cluster.constant) tree.varying.push_back(int(c));
        for (int k = 0; cluster.constant && k < cluster.n_couplings; ++k) {
            const Coupling& coupling = tree.couplings[cluster.coupling + k];
            const int n = coupling.n_leaders;
            const double* numbers = &tree.coupling_numbers[coupling.number];
            for (int f = 0; f < coupling.n_followers; ++f) {
                const Link& link = tree.links[tree.coupling_joints[coupling.follower + f]];
                double& sum = offset[link.v] = numbers[coupling.n_followers * n + f];
                for (int l = 0; l < n; ++l) {
                    const int leader = tree.links[tree.coupling_joints[coupling.leader + l]].v;
                    sum += numbers[f * n + l] * offset[leader];
                }
                ConstantFollower follower{link.q, link.v, sum, int(tree.terms.size()), 0};
                const double* row =
                    &tree.constant_matrix[cluster.matrix + (link.v - cluster.w) * cluster.nv];
                for (int e = 0; e < cluster.nv; ++e) {
                    if (row[e] == 0.0) continue;
                    const int own = tree.velocity_to[cluster.v + e];
                    tree.terms.push_back({tree.links[tree.body_of[own]].q, cluster.v + e, row[e]});
                    ++follower.n_terms;
                }
                tree.constant_followers.push_back(follower);
            }
        }
    }
}

}  // namespace tarsus
