// Tasks of inverse kinematics as plain numbers: which rows they have, and where their targets are.
#pragma once

#include <string>
#include <vector>

#include "model/tree.hpp"

namespace tarsus {

// A point that tasks lead, or from which others are seen: fixed to a body, or a centre of mass.
struct TaskPoint {
    int body = -1;                   // −1 for the world
    double position[3] = {0, 0, 0};  // in the core's frame of the body
    int centre = -1;                 // in TaskSet::centres, if it is one
};

// axes of a frame: those of a body, turned
struct TaskAxes {
    int body = -1;
    double rotation[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};  // by columns
};

// the centre of mass of some bodies
struct MassCentre {
    std::vector<char> counts;     // for each body: whether it is one of them
    std::vector<double> carried;  // … and their mass among it and all that it carries
    double mass = 0;
};

// A joint velocity, its body, and which of the things that a task compares it moves.
struct TaskColumn {
    int v, body;
    unsigned char moves;
};
enum Moved : unsigned char { kMovesPoint = 1, kMovesOrigin = 2, kMovesAxes = 4 };

// Where a point is, seen from an origin in some axes; the target is that place, and its velocity.
struct PointRows {
    TaskPoint point, origin;
    TaskAxes axes;
    bool turned = false;  // the axes are not the world's
    int row = 0, target = 0;
    std::vector<TaskColumn> columns = {};
};

// The rotation vector from a target to a frame (in axes of the target), both seen from `other`. The
// target is the rotation by columns, and its angular velocity.
struct TurnRows {
    TaskAxes frame, other;
    int row = 0, target = 0;
    std::vector<TaskColumn> columns = {};
};

// The angle between the third axis of a frame and the way to a point, about the first two. The
// target is that point, and its velocity.
struct LookRows {
    TaskPoint point;
    TaskAxes axes;
    int row = 0, target = 0;
    std::vector<TaskColumn> columns = {};
};

// Some rows of the momentum, linear ones first, about the centre of mass; the target is what they
// shall be.
struct MomentumRows {
    std::vector<int> which;
    int row = 0, target = 0;
};

// A sum of positions of joints, own ones or not; the target is what it shall be, and its rate.
struct SumRow {
    std::vector<int> q, v;  // among all joints'
    std::vector<double> ratio;
    int row = 0, target = 0;
};

// The linear and angular velocity of a frame at a point of it, in world axes; there is no target.
struct TwistRows {
    TaskPoint point;
    TaskAxes axes;
    int row = 0, target = 0;
    std::vector<TaskColumn> columns = {};
};

// How far a point is from a place, along some directions in world axes. The target is the
// directions, one after the other, then the place, and its velocity.
struct AcrossRows {
    TaskPoint point;
    int count = 0, row = 0, target = 0;
    std::vector<TaskColumn> columns = {};
};

// Rows that are evaluated elsewhere. The target is their errors, what the target's motion adds, and
// the jacobian by the users' velocities, row by row.
struct GivenRows {
    int count = 0, row = 0, target = 0;
};

// A joint's own coordinate less its target, which is that place, and its velocity.
struct PostureRow {
    int q, v;
    int row = 0, target = 0;
};

struct TaskSet {
    std::vector<PointRows> points;
    std::vector<TurnRows> turns;
    std::vector<LookRows> looks;
    std::vector<MomentumRows> momenta;
    std::vector<SumRow> sums;
    std::vector<TwistRows> twists;
    std::vector<AcrossRows> across;
    std::vector<GivenRows> given;
    std::vector<PostureRow> postures;
    std::vector<MassCentre> centres;
    std::vector<char> is_posture;  // for each row
    std::vector<char> by_users;    // … and whether its jacobian is not by all joints' velocities
    int rows = 0, targets = 0;
    bool placed = false;  // some rows ask where bodies are
};

// One of the row kinds above, by its name:
//   point      frames of the point, its origin and the axes; centres of the first two; an offset
//   turn       the frame, and the one that it is seen from
//   look       the frame; the rotation of what looks in it, by columns
//   momentum   rows
//   sum        positions, then velocities, among all joints'; ratios
//   twist      the frame; an offset
//   across     the frame and the centre of the point, how many directions; an offset
//   given      how many rows
//   posture    positions, then velocities, among the users'
// A frame of −1 is the world, a centre of −1 none.
struct TaskStatement {
    std::string kind;
    std::vector<int> indices;
    std::vector<double> numbers;
};

// Rows in the order of the statements; `centres` are bodies. Throws std::invalid_argument for what
// is not there.
TaskSet make_task_set(const Tree& tree, const std::vector<TaskStatement>& stated,
                      const std::vector<std::vector<int>>& centres);

}  // namespace tarsus
