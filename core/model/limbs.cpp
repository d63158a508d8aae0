#include "model/limbs.hpp"

#include <algorithm>
#include <optional>

#include "model/clusters.hpp"

namespace tarsus {

namespace {

struct Limb {
    int body[LimbGroup::kJoints];  // outwards
    const Loop* loop;
};

bool holds_a_point(const Tree& tree, const Loop& loop) {
    if (loop.a.body >= 0 || loop.n_rows != 3) return false;
    for (int r = 0; r < 3; ++r) {
        const LoopRow& row = tree.rows[loop.row + r];
        if (row.kind != RowKind::position || row.i != r || !row.kept) return false;
    }
    return true;
}

// the three bodies before a held one, if nothing else hangs on them
std::optional<Limb> limb_of(const Tree& tree, const Loop& loop, const std::vector<int>& children) {
    Limb limb{{}, &loop};
    int body = loop.b.body;
    for (int j = LimbGroup::kJoints - 1; j >= 0; --j, body = tree.links[body].parent) {
        if (body < 0 || children[body] != (j == LimbGroup::kJoints - 1 ? 0 : 1)) return {};
        const Kind kind = tree.links[body].kind;
        if (kind != Kind::revolute && kind != Kind::prismatic) return {};
        limb.body[j] = body;
    }
    if (body < 0) return {};
    return limb;
}

// the tree without the bodies of limbs, and where its coordinates are among all
void cut_trunk(const Tree& tree, const std::vector<bool>& in_limb, Limbs& limbs) {
    Tree& trunk = limbs.trunk;
    std::vector<int> number(tree.n_bodies, -1);
    std::copy_n(tree.gravity, 3, trunk.gravity);
    for (int i = 0; i < tree.n_bodies; ++i) {
        if (in_limb[i]) continue;
        Link link = tree.links[i];
        const int nq = kKindInfo[int(link.kind)].nq;
        for (int k = 0; k < nq; ++k) limbs.q_of.push_back(link.q + k);
        for (int k = 0; k < link.nv; ++k) {
            limbs.v_of.push_back(link.v + k);
            trunk.armature.push_back(tree.armature[link.v + k]);
        }
        for (int k = 0; k < link.angles; ++k) {
            trunk.angle_coordinate.push_back(tree.angle_coordinate[link.angle + k] - link.q +
                                             trunk.joint_nq);
        }
        link.q = trunk.joint_nq, link.v = link.own = trunk.joint_nv;
        link.angle = int(trunk.all_angles.size());
        for (int k = 0; k < link.angles; ++k) trunk.all_angles.push_back(link.angle + k);
        if (link.parent >= 0) link.parent = number[link.parent];
        number[i] = trunk.n_bodies++;
        trunk.joint_nq += nq, trunk.joint_nv += link.nv;
        trunk.links.push_back(link);
        trunk.carried.push_back(tree.carried[i]);
    }
    trunk.nq = trunk.joint_nq, trunk.nv = trunk.joint_nv;
    trunk.n_angles = int(trunk.all_angles.size());
    trunk.first_rotor.assign(trunk.n_bodies + 1, 0);
    mark_siblings(trunk);
    list_passed_angles(trunk);
    for (LimbGroup& group : limbs.groups) {
        group.trunk = number[group.trunk];
        limbs.carries.push_back(group.trunk);
        // what limbs add is there before children hand down
        trunk.links[group.trunk].leaf = false;
        for (Link& link : trunk.links) {
            if (link.parent == group.trunk) link.last_sibling = false;
        }
    }
    std::sort(limbs.carries.begin(), limbs.carries.end());
    limbs.carries.erase(std::unique(limbs.carries.begin(), limbs.carries.end()),
                        limbs.carries.end());
}

void put(const Tree& tree, const Limb& limb, int lane, LimbGroup& group) {
    for (int j = 0; j < LimbGroup::kJoints; ++j) {
        const Link& link = tree.links[limb.body[j]];
        const RigidInertia& inertia = tree.carried[limb.body[j]];
        LimbGroup::Joint& joint = group.joint[j];
        joint.turn = lane == 0 || joint.turn == link.turn ? link.turn : Turn::general;
        joint.q[lane] = link.q, joint.v[lane] = link.v;
        for (int k = 0; k < 9; ++k) joint.rotation[k][lane] = link.rotation[k];
        joint.mass[lane] = inertia.mass, joint.armature[lane] = tree.armature[link.v];
        for (int k = 0; k < 3; ++k) {
            joint.position[k][lane] = link.position[k];
            joint.first[k][lane] = inertia.first[k];
        }
        for (int k = 0; k < 6; ++k) joint.second[k][lane] = inertia.second[k];
    }
    for (int k = 0; k < 3; ++k) {
        group.point[k][lane] = limb.loop->b.position[k];
        group.place[k][lane] = limb.loop->a.position[k];
    }
}

LimbGroup& group_for(const Tree& tree, const Limb& limb, std::vector<LimbGroup>& groups) {
    const int trunk = tree.links[limb.body[0]].parent;
    for (LimbGroup& group : groups) {
        bool same = group.trunk == trunk && group.n_limbs < LimbGroup::kMost;
        for (int j = 0; j < LimbGroup::kJoints; ++j)
            same = same && group.joint[j].kind == tree.links[limb.body[j]].kind;
        if (same) return group;
    }
    LimbGroup& group = groups.emplace_back();
    group.trunk = trunk, group.turns = true;
    for (int j = 0; j < LimbGroup::kJoints; ++j) {
        group.joint[j].kind = tree.links[limb.body[j]].kind;
        group.turns = group.turns && group.joint[j].kind == Kind::revolute;
    }
    return group;
}

}  // namespace

std::shared_ptr<const Limbs> find_limbs(const Tree& tree) {
    if (tree.coupled || tree.n_constraints == 0) return nullptr;
    std::vector<int> children(tree.n_bodies, 0);
    for (const Link& link : tree.links) {
        if (link.parent >= 0) ++children[link.parent];
    }
    auto limbs = std::make_shared<Limbs>();
    std::vector<bool> in_limb(tree.n_bodies, false);
    for (const Loop& loop : tree.loops) {
        if (!holds_a_point(tree, loop)) return nullptr;
        const std::optional<Limb> found = limb_of(tree, loop, children);
        if (!found || in_limb[found->body[0]]) return nullptr;
        for (int body : found->body) in_limb[body] = true;
        LimbGroup& group = group_for(tree, *found, limbs->groups);
        for (int lane = group.n_limbs; lane < LimbGroup::kMost; ++lane)
            put(tree, *found, lane, group);
        ++group.n_limbs;
    }
    cut_trunk(tree, in_limb, *limbs);
    return limbs;
}

}  // namespace tarsus
