// Rotors about an axis of symmetry need no recursion of their own.
#include <algorithm>
#include <cmath>

#include "model/clusters.hpp"
#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;

namespace {

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
    if (!(s[5] > 0)) return false;  // a body without inertia is no rotor
    const double size = 1e-13 * (s[0] + s[2] + s[5]);
    const double offset = std::abs(link.first[0]) + std::abs(link.first[1]);
    return std::abs(s[0] - s[2]) <= size && std::abs(s[1]) <= size && std::abs(s[3]) <= size &&
           std::abs(s[4]) <= size && offset <= 1e-13 * link.mass;
}

}  // namespace

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
                ++moving, cluster.moving = i;
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
            tree.rotors.push_back({i, link.parent, rigid(seen)});
        }
        cluster.n_spins = int(tree.spins.size()) - cluster.spin;
        cluster.geared = cluster.coupled && moving == 1 && on_parent == cluster.n_spins &&
                         cluster.nv == 1 && cluster.n_loops == 0;
    }
    std::stable_sort(tree.rotors.begin(), tree.rotors.end(),
                     [](const auto& a, const auto& b) { return a.carrier < b.carrier; });
    size_t next = 0;
    for (int i = 0; i <= tree.n_bodies; ++i) {
        tree.first_rotor.push_back(int(next));
        while (next < tree.rotors.size() && tree.rotors[next].carrier == i) ++next;
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

void weigh_gears(Tree& tree) {
    for (const Cluster& cluster : tree.clusters) {
        GearConstants gear{tree.armature[tree.links[cluster.moving].v], {0, 0, 0}};
        for (int k = cluster.spin; cluster.constant && k < cluster.spin + cluster.n_spins; ++k) {
            const Spin& spin = tree.spins[k];
            const double ratio =
                tree.constant_matrix[cluster.matrix + (spin.w - cluster.w) * cluster.nv];
            gear.armature += ratio * ratio * (spin.inertia + tree.armature[spin.w]);
            for (int e = 0; e < 3; ++e) gear.couple[e] += spin.axis[e] * ratio * spin.inertia;
        }
        tree.gears.push_back(gear);
    }
}

}  // namespace tarsus
