// Limbs that are held at their tips: three joints in a row on a trunk, each of which turns or
// slides, and a point of the last body that stands still in the world. Where all constraints of a
// mechanism hold such limbs, its trunk is a tree of its own, and what it does determines what the
// limbs do (dynamics/limb.hpp).
#pragma once

#include <memory>

#include "model/tree.hpp"

namespace tarsus {

// Up to four limbs of the same kinds of joints on the same body: one state has them in lanes, and
// each number is there for each of them. Missing ones repeat the last.
struct LimbGroup {
    static constexpr int kJoints = 3, kMost = 4;
    struct Joint {
        Kind kind;
        Turn turn;  // general where they differ
        int q[kMost], v[kMost];
        double rotation[9][kMost], position[3][kMost];  // as in Link
        double mass[kMost], first[3][kMost], second[6][kMost];
        double armature[kMost];
    };
    int trunk;  // the body that carries them, among those of the trunk
    int n_limbs = 0;
    bool turns;  // all joints are revolute
    Joint joint[kJoints];
    double point[3][kMost];  // that is held, in the core's frame of the last body
    double place[3][kMost];  // where it is held, in the world
};

struct Limbs {
    Tree trunk;                // everything but the limbs
    std::vector<int> q_of;     // for each position of the trunk: where it is among all
    std::vector<int> v_of;     // for each velocity
    std::vector<int> carries;  // the trunk's bodies that carry limbs
    std::vector<LimbGroup> groups;
};

// null where a constraint holds anything else, or clusters are coupled
std::shared_ptr<const Limbs> find_limbs(const Tree& tree);

}  // namespace tarsus
