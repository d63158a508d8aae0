// Tasks of inverse kinematics as plain numbers: which rows they have, and where their targets are.
// Nothing here depends on how the rows were compiled.
#pragma once

#include <vector>

#include "model/tree.hpp"

namespace tarsus {

// Position (world axes) and rotation vector (axes of the target) of a frame, one of them or both.
// The target is the rotation by columns, then the position.
struct FrameRows {
    int frame;
    bool linear, angular;
    int row = 0, target = 0;        // where its rows and its numbers start
    std::vector<int> path = {};     // bodies that move it, root first
    std::vector<int> coupled = {};  // users' velocities of coupled clusters among them
};
constexpr int kFrameTarget = 12;

// A joint's own coordinate less its target.
struct PostureRow {
    int q, v;
    int row = 0, target = 0;
};

struct TaskSet {
    std::vector<FrameRows> frames;
    std::vector<PostureRow> postures;
    std::vector<int> bodies, angles;  // of all paths, parents first
    int rows = 0, targets = 0;
};

// Rows in the order of the tasks as stated; throws std::invalid_argument for what is not there.
struct TaskStatement {
    int frame = -1;  // a frame's task, or
    bool linear = true, angular = true;
    std::vector<int> q = {}, v = {};  // a posture's coordinates
};
TaskSet make_task_set(const Tree& tree, const std::vector<TaskStatement>& stated);

}  // namespace tarsus
