// The mechanism as the recursions see it: plain arrays, parents before children.
//
// A cluster is a group of bodies that move on its parent body by the cluster's own coordinates.
// Every cluster has one body today, so body and cluster share an index and a Link describes both.
//
// Inside the core a joint's axis is always z of its body's frame. The body frames that users see
// differ by the constant rotation `Tree::body_axes`, which is applied where poses and wrenches
// enter or leave.
#pragma once

#include <string>
#include <vector>

namespace tarsus {

enum class Kind : int {
    revolute,
    prismatic,
    screw,
    cylindrical,
    universal,
    spherical,
    spherical_zyx,
    planar,
    translation,
    free,
};
constexpr int kKinds = 10;

struct KindInfo {
    const char* name;
    int nq, nv;
    int angles;  // how many of its coordinates are angles whose sine and cosine it needs
};
extern const KindInfo kKindInfo[kKinds];

// How a joint's frame is turned on its parent: most robots use few distinct rotations.
enum class Turn : int { none, cyclic, anticyclic, general };

struct Link {
    int parent;  // body index, −1 for the world
    Kind kind;
    int q, v, nv;       // where its coordinates start, how many velocities it has
    int angle, angles;  // where its sines and cosines start, how many they are
    Turn turn;
    bool leaf;           // carries no other body
    bool last_sibling;   // of the bodies on its parent, the one that inward passes meet first
    double rotation[9];  // joint frame in the parent's frame, by columns
    double position[3];
    double mass;
    double first[3];   // m c
    double second[6];  // about the origin: xx xy yy xz yz zz
    double pitch;
};

struct BodyAxes {
    Turn turn;
    double rotation[9];  // the user's body frame in the core's, by columns
};

// Upper three rows of a homogeneous matrix [R p].
struct MatrixRows {
    double row[3][4];
};

struct FrameOnBody {
    int body;
    double rotation[9];  // in the core's body frame, by columns
    double position[3];
};

struct Tree {
    int n_bodies = 0, nq = 0, nv = 0, n_angles = 0;
    double gravity[3] = {0, 0, 0};
    double total_mass = 0;

    std::vector<Link> links;
    std::vector<BodyAxes> body_axes;
    std::vector<MatrixRows> placement_rows, axes_rows;  // links' placements and body axes again
    std::vector<FrameOnBody> frames;
    std::vector<int> angle_coordinate;  // index into q of each angle
    std::vector<int> all_angles;        // 0 … n_angles − 1

    std::vector<int> depth;  // how many velocity coordinates are above each on its branch
    // branch-compact storage of a lower triangle: row k holds the coordinates above k from the
    // root down, then k itself, as listed in branch[row[k] … row[k] + depth[k]]
    std::vector<int> row, branch;
    int n_compact = 0;

    std::vector<double> armature, damping, friction, stiffness, rest, lower, upper;
};

// What the builder states about one joint and the body that it carries.
struct LinkStatement {
    int parent;
    Kind kind;
    double placement[16];  // row-major pose of the child body frame in the parent body frame
    double axis[3], second_axis[3];
    double pitch;
    double mass, com[3];
    double inertia[9];  // about the centre of mass, body axes
};

struct FrameStatement {
    int body;
    double placement[16];
};

// Rotation (row-major) that takes z to the given unit axis; permutations for the coordinate axes.
void axis_rotation(const double axis[3], double rotation[9]);

// Throws std::invalid_argument, naming the body, if the statements do not make a tree.
Tree make_tree(const std::vector<LinkStatement>& links, const std::vector<FrameStatement>& frames,
               const double gravity[3]);

}  // namespace tarsus
