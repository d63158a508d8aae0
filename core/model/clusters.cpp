#include "model/clusters.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;

namespace {

// sizes of matrices must fit an int, those of branches into memory
constexpr int kMostCoordinates = 32768, kMostCompact = 1 << 27;

[[noreturn]] void fail(const std::string& message) { throw std::invalid_argument(message); }

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
        if (cluster.coupled) tree.n_matrix += cluster.nw * cluster.nv;
        if (cluster.coupled) tree.n_inverse += cluster.nv * cluster.nv;
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
            if (dof >= kMostCoordinates || tree.n_compact > kMostCompact) {
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

// leaders, followers and numbers that a kind of coupling has; linear and function ones have any
struct CouplingShape {
    int leaders, followers, numbers;
};
constexpr CouplingShape kCouplingShapes[] = {
    {0, 0, 0}, {1, 1, 10}, {1, 2, 13}, {2, 2, 26}, {0, 0, 0}};

void check_coupling(const Tree& tree, const CouplingStatement& from) {
    CouplingShape shape = kCouplingShapes[int(from.kind)];
    const int n = int(from.followers.size()), k = int(from.leaders.size());
    if (from.kind == CouplingKind::linear) shape.numbers = n * k + n;
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

// cluster by cluster, otherwise in the order in which they were stated
void read_couplings(Tree& tree, const ClusterStatements& statements) {
    std::vector<Coupling> couplings;
    const auto list = [&](const std::vector<int>& bodies) {
        const int at = int(tree.coupling_joints.size());
        tree.coupling_joints.insert(tree.coupling_joints.end(), bodies.begin(), bodies.end());
        return at;
    };
    for (const CouplingStatement& from : statements.couplings) {
        check_coupling(tree, from);
        const int n = int(from.followers.size()), k = int(from.leaders.size());
        const int leader = list(from.leaders), follower = list(from.followers);
        const int number = int(tree.coupling_numbers.size());
        tree.coupling_numbers.insert(tree.coupling_numbers.end(), from.numbers.begin(),
                                     from.numbers.end());
        couplings.push_back(
            {from.kind, leader, k, follower, n, number, tree.table_size, int(couplings.size())});
        if (from.kind == CouplingKind::function) tree.table_size += n * (1 + k + k * k);
        tree.most_slopes = std::max(tree.most_slopes, n * k);
    }
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

void read_loops(Tree& tree, const ClusterStatements& statements) {
    std::vector<std::vector<int>> members(tree.clusters.size());
    for (int l = 0; l < int(tree.loops.size()); ++l) {
        Loop& loop = tree.loops[l];
        if (loop.a.body == loop.b.body) fail("a loop joins two different bodies");
        if (!statements.loops[l].in_cluster) {
            tree.n_constraints += 1, tree.n_constraint_rows += loop.n_rows;
            continue;
        }
        loop.cluster = tree.cluster_of[std::max(loop.a.body, loop.b.body)];
        Cluster& cluster = tree.clusters[loop.cluster];
        for (int end : {loop.a.body, loop.b.body}) {
            const bool inside = end >= cluster.body && end < cluster.body + cluster.n_bodies;
            if (end != cluster.parent && !inside) {
                fail("loop '" + statements.loops[l].name + "' leaves its cluster");
            }
        }
        members[loop.cluster].push_back(l);
        loop.first_row = cluster.n_rows;
        cluster.n_rows += loop.n_rows;
    }
    for (size_t c = 0; c < tree.clusters.size(); ++c) {
        Cluster& cluster = tree.clusters[c];
        cluster.loop = int(tree.cluster_loops.size()), cluster.n_loops = int(members[c].size());
        tree.cluster_loops.insert(tree.cluster_loops.end(), members[c].begin(), members[c].end());
        if (cluster.n_dependent > cluster.n_rows) {
            fail("a cluster has more dependent velocities than rows of loops");
        }
        if (cluster.n_rows > 0 && cluster.n_dependent == 0) fail("a loop without dependent joints");
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

RigidInertia rigid(const Inertia<double>& from) {
    const Sym3<double>& s = from.second;
    return {from.mass,
            {from.first.x, from.first.y, from.first.z},
            {s.xx, s.xy, s.yy, s.xz, s.yz, s.zz}};
}

bool spins(const Tree& tree, int body, bool carries) {
    const Link& link = tree.links[body];
    if (tree.roles[link.v] != Role::follower || link.kind != Kind::revolute || carries)
        return false;
    const double* s = link.second;
    const double size = 1e-13 * (s[0] + s[2] + s[5]);
    const double offset = std::abs(link.first[0]) + std::abs(link.first[1]);
    return std::abs(s[0] - s[2]) <= size && std::abs(s[1]) <= size && std::abs(s[3]) <= size &&
           std::abs(s[4]) <= size && offset <= 1e-13 * link.mass;
}

// rotors about an axis of symmetry move with their parent, but for their spin
void fold_rotors(Tree& tree) {
    std::vector<bool> carries(tree.n_bodies, false);
    for (const Link& link : tree.links) {
        tree.carried.push_back(rigid(inertia_of(link)));
        if (link.parent >= 0) carries[link.parent] = true;
    }
    for (const Loop& loop : tree.loops) {
        for (int body : {loop.a.body, loop.b.body}) {
            if (body >= 0) carries[body] = true;
        }
    }
    for (Cluster& cluster : tree.clusters) {
        cluster.spin = int(tree.spins.size());
        int moving = 0, on_parent = 0;
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            if (!cluster.coupled || !spins(tree, i, carries[i])) {
                ++moving;
                continue;
            }
            Link& link = tree.links[i];
            link.spinning = true;
            const double* z = link.rotation + 6;
            tree.spins.push_back({i, link.parent, link.v, {z[0], z[1], z[2]}, link.second[5]});
            on_parent += link.parent == cluster.parent;
            if (link.parent < 0) continue;
            const Inertia<double> seen =
                shift(rotate(matrix_at(link.rotation), inertia_of(link)), vector_at(link.position));
            tree.carried[link.parent] = rigid(inertia_of(tree.carried[link.parent]) + seen);
        }
        cluster.n_spins = int(tree.spins.size()) - cluster.spin;
        cluster.geared = cluster.coupled && moving == 1 && on_parent == cluster.n_spins &&
                         cluster.nv == 1 && cluster.n_loops == 0;
    }
}

// inward passes meet bodies from the last to the first, and leave out rotors that others carry
void mark_siblings(Tree& tree) {
    std::vector<bool> met(tree.n_bodies + 1, false);
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        Link& link = tree.links[i];
        link.leaf = !met[i + 1];
        if (link.spinning && link.parent >= 0) continue;
        link.last_sibling = !met[link.parent + 1];
        met[link.parent + 1] = true;
    }
}

void list_passed_angles(Tree& tree) {
    for (const Link& link : tree.links) {
        for (int k = 0; k < link.angles && !link.spinning; ++k) {
            tree.passed_angles.push_back(link.angle + k);
        }
    }
}

void find_sizes(Tree& tree) {
    for (const Cluster& cluster : tree.clusters) {
        if (!cluster.coupled) continue;
        tree.most_bodies = std::max(tree.most_bodies, cluster.n_bodies);
        tree.most_w = std::max(tree.most_w, cluster.nw);
        tree.most_free = std::max(tree.most_free, cluster.nv + cluster.n_dependent);
        tree.most_rows = std::max(tree.most_rows, cluster.n_rows);
    }
}

}  // namespace

std::vector<LoopRow> loop_rows(const std::string& kind) {
    using R = RowKind;
    const LoopRow x{R::position, 0, 0}, y{R::position, 1, 0}, z{R::position, 2, 0};
    const LoopRow tilt_x{R::rotation, 0, 2}, tilt_y{R::rotation, 1, 2};
    const LoopRow turns[] = {{R::rotation, 1, 2}, {R::rotation, 2, 0}, {R::rotation, 0, 1}};
    if (kind == "weld") return {x, y, z, turns[0], turns[1], turns[2]};
    if (kind == "revolute") return {x, y, z, tilt_x, tilt_y};
    if (kind == "prismatic") return {x, y, turns[0], turns[1], turns[2]};
    if (kind == "universal") return {x, y, z, {R::rotation, 2, 0}};
    if (kind == "cylindrical") return {x, y, tilt_x, tilt_y};
    if (kind == "spherical") return {x, y, z};
    if (kind == "planar") return {z, tilt_x, tilt_y};
    if (kind == "point_on_line") return {x, y};
    if (kind == "distance") return {{R::distance, 0, 0}};
    if (kind == "knife_edge") return {{R::lateral, 0, 0}};
    fail("no loop is of kind '" + kind +
         "'; kinds: weld, revolute, prismatic, universal, cylindrical, spherical, planar, "
         "point_on_line, distance, knife_edge");
}

void gather_clusters(Tree& tree, const ClusterStatements& statements) {
    group_bodies(tree, statements);
    number_coordinates(tree, statements);
    list_branches(tree);
    read_couplings(tree, statements);
    read_loops(tree, statements);
    multiply_ratios(tree);
    fold_rotors(tree);
    mark_siblings(tree);
    list_passed_angles(tree);
    find_sizes(tree);
}

}  // namespace tarsus
