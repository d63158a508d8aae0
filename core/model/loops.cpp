// Loop joints: their rows, and which cluster each belongs to.
#include <algorithm>
#include <cmath>

#include "model/clusters.hpp"
#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;

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

}  // namespace tarsus
