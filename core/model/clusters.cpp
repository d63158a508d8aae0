#include "model/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "joints/visit.hpp"

namespace tarsus {

using namespace TARSUS_ISA;

namespace {

// sizes of matrices must fit an int, those of branches into memory
constexpr int kMostCoordinates = 32768;
constexpr size_t kMostNumbers = size_t(1) << 27;

// members, parent and numbers of coordinates of each cluster
void group_bodies(Tree& tree, const ClusterStatements& statements) {
    tree.cluster_of.assign(tree.n_bodies, -1);
    int body = 0;
    for (int size : statements.sizes) {
        if (size < 1 || body + size > tree.n_bodies)
            fail("cluster_sizes do not add up to all bodies");
        Cluster cluster{};
        cluster.body = body, cluster.n_bodies = size, cluster.parent = tree.links[body].parent;
        cluster.w = tree.links[body].v, cluster.v = tree.nv;
        for (int i = body; i < body + size; ++i) {
            const int parent = tree.links[i].parent;
            if (parent != cluster.parent && (parent < body || parent >= i)) {
                fail("the members of cluster " + std::to_string(tree.clusters.size()) +
                     " hang on different bodies");
            }
            tree.cluster_of[i] = int(tree.clusters.size());
        }
        tree.clusters.push_back(cluster);
        body += size;
    }
    if (body != tree.n_bodies) fail("cluster_sizes do not add up to all bodies");
}

// where users find each joint's coordinates; own velocities come before dependent ones
void number_coordinates(Tree& tree, const ClusterStatements& statements) {
    if (int(statements.roles.size()) != tree.joint_nv) {
        fail("roles must have one entry for each velocity of the joints");
    }
    tree.roles = statements.roles;
    tree.column.assign(tree.joint_nv, -1);
    tree.user_v.assign(tree.joint_nv, -1);
    for (int i = 0; i < tree.n_bodies; ++i) {
        tree.body_of.insert(tree.body_of.end(), tree.links[i].nv, i);
    }
    for (Cluster& cluster : tree.clusters) {
        cluster.v = tree.nv, cluster.coupled = cluster.n_bodies > 1;
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const Link& link = tree.links[i];
            const bool follows = tree.roles[link.v] == Role::follower;
            for (int k = 1; k < link.nv; ++k) {
                if ((tree.roles[link.v + k] == Role::follower) != follows) {
                    fail("some velocities of a joint follow others and some do not");
                }
            }
            tree.user_q.push_back(follows ? -1 : tree.nq);
            if (!follows) tree.nq += kKindInfo[int(link.kind)].nq;
            cluster.nw += link.nv;
        }
        for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
            if (tree.roles[w] != Role::own) cluster.coupled = true;
            if (tree.roles[w] != Role::own) continue;
            tree.user_v[w] = tree.nv++, tree.column[w] = cluster.nv++;
        }
        for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
            if (tree.roles[w] == Role::dependent)
                tree.column[w] = cluster.nv + cluster.n_dependent++;
        }
        cluster.matrix = tree.n_matrix;
        cluster.inverse = tree.n_inverse;
        if (cluster.coupled) {
            const size_t nw = cluster.nw, nv = cluster.nv;
            limited(nw * nw);
            tree.n_matrix = int(limited(tree.n_matrix + nw * nv));
            tree.n_inverse = int(limited(tree.n_inverse + nv * nv));
            cluster.matrix_rates = tree.n_matrix_rates;
            tree.n_matrix_rates = int(limited(tree.n_matrix_rates + limited(nw * nv) * nv));
        }
        tree.coupled = tree.coupled || cluster.coupled;
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            Link& link = tree.links[i];
            link.own = cluster.coupled ? -1 : tree.user_v[link.v];
        }
    }
}

// branches of users' coordinates: those of a cluster, after those of the cluster that carries it
void list_branches(Tree& tree) {
    std::vector<int> last(tree.clusters.size());  // the last coordinate on each cluster's branch
    for (size_t c = 0; c < tree.clusters.size(); ++c) {
        const Cluster& cluster = tree.clusters[c];
        int above = cluster.parent < 0 ? -1 : last[tree.cluster_of[cluster.parent]];
        for (int dof = cluster.v; dof < cluster.v + cluster.nv; ++dof) {
            tree.depth.push_back(above < 0 ? 0 : tree.depth[above] + 1);
            tree.row.push_back(tree.n_compact);
            if (dof >= kMostCoordinates || size_t(tree.n_compact) > kMostNumbers) {
                fail("the mechanism is too large: at most " + std::to_string(kMostCoordinates) +
                     " velocity coordinates, or chains half as long");
            }
            for (int d = 0; above >= 0 && d <= tree.depth[above]; ++d) {
                tree.branch.push_back(tree.branch[tree.row[above] + d]);
            }
            tree.branch.push_back(dof);
            tree.n_compact += tree.depth.back() + 1;
            above = dof;
        }
        last[c] = above;
    }
}

void list_below(Tree& tree) {
    std::vector<std::vector<int>> below(tree.nv);
    for (int k = 0; k < tree.nv; ++k) {
        for (int d = 0; d < tree.depth[k]; ++d) below[tree.branch[tree.row[k] + d]].push_back(k);
    }
    tree.below_from.assign(1, 0);
    for (const std::vector<int>& list : below) {
        tree.below.insert(tree.below.end(), list.begin(), list.end());
        tree.below_from.push_back(int(tree.below.size()));
    }
}

// A joint's own columns are those of its velocities; a coupled cluster's come after all joints'.
void list_steps(Tree& tree) {
    size_t columns = tree.joint_nv, bends = 0;
    for (const Cluster& cluster : tree.clusters) {
        bool bends_own = cluster.coupled;
        visit(tree.links[cluster.body].kind,
              [&](auto joint) { bends_own = bends_own || !decltype(joint)::kConstantSubspace; });
        if (bends_own) tree.bending.push_back(int(&cluster - tree.clusters.data()));
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const size_t column = cluster.coupled ? columns : size_t(tree.links[i].v);
            const int bend = bends_own ? int(bends) : -1;
            tree.steps.push_back({int(column), cluster.v, cluster.nv, cluster.parent, bend});
            if (cluster.coupled) columns = limited(columns + cluster.nv);
            if (bends_own) bends = limited(bends + size_t(cluster.nv) * cluster.nv);
        }
    }
    tree.n_columns = int(columns), tree.n_bends = int(bends);
}

void find_sizes(Tree& tree) {
    for (const Cluster& cluster : tree.clusters) {
        if (!cluster.coupled) continue;
        const auto include = [&](ClusterSizes& most) {
            most.bodies = std::max(most.bodies, cluster.n_bodies);
            most.w = std::max(most.w, cluster.nw);
            most.free = std::max(most.free, cluster.nv + cluster.n_dependent);
            most.rows = std::max(most.rows, cluster.n_rows);
        };
        include(tree.most);
        if (!cluster.constant) include(tree.most_varying);
    }
    const size_t rows = tree.n_constraint_rows;
    limited(rows * rows), limited(rows * tree.joint_nv), limited(size_t(tree.joint_nv) * tree.nv);
    limited(size_t(tree.most.rows) * tree.most.w);
}

}  // namespace

void fail(const std::string& message) { throw std::invalid_argument(message); }

size_t limited(size_t numbers) {
    if (numbers > kMostNumbers) fail("the mechanism is too large: its matrices do not fit");
    return numbers;
}

void gather_clusters(Tree& tree, const ClusterStatements& statements) {
    group_bodies(tree, statements);
    number_coordinates(tree, statements);
    list_branches(tree);
    list_below(tree);
    read_couplings(tree, statements);
    read_loops(tree, statements);
    multiply_ratios(tree);
    list_followers(tree);
    fold_rotors(tree);
    mark_siblings(tree);
    list_passed_angles(tree);
    list_steps(tree);
    count_symbols(tree);
    find_sizes(tree);
}

}  // namespace tarsus
