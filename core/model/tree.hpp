// The mechanism as the recursions see it: plain arrays, parents before children.
//
// Every body hangs on one joint; together they are the spanning tree, which a Link describes body
// by body, with positions x and velocities w of all joints. A cluster is a group of bodies that
// move on their common parent body by the cluster's own coordinates: w = G(q) v. Most clusters
// have one body, and then x and w are its part of q and v.
//
// Inside the core a joint's axis is always z of its body's frame. The body frames that users see
// differ by the constant rotation `Tree::body_axes`, which is applied where poses and wrenches
// enter or leave.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "surfaces/surface.hpp"

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
    knife_edge,
    rolling_wheel,
    rolling_disc,
    rolling_ball,
    differential_base,
    rolling_cylinder,
    rolling,
};
constexpr int kKinds = 17;

struct KindInfo {
    const char* name;
    int nq, nv;
    int angles;           // how many of its coordinates are angles whose sine and cosine it needs
    int first_angle = 0;  // where among its coordinates they begin
    int quaternion = -1;  // where a quaternion begins, −1 for none
};
extern const KindInfo kKindInfo[kKinds];
constexpr int kMostPositions = 7, kMostVelocities = 6, kMostAngles = 3;  // of any kind

// How a joint's frame is turned on its parent: most robots use few distinct rotations.
enum class Turn : int { none, cyclic, anticyclic, general };

struct Link {
    int parent;  // body index, −1 for the world
    Kind kind;
    int q, v, nv;       // where its coordinates start among all joints', how many velocities
    int own;            // where users' velocities for it start, −1 if its cluster is coupled
    int angle, angles;  // where its sines and cosines start, how many they are
    Turn turn;
    bool spinning;       // a rotor about its axis of symmetry, see Spin
    bool leaf;           // carries no other body, or only such rotors
    bool last_sibling;   // of the bodies on its parent, the one that inward passes meet first
    double rotation[9];  // joint frame in the parent's frame, by columns
    double position[3];
    double mass;
    double first[3];   // m c
    double second[6];  // about the origin: xx xy yy xz yz zz
    double pitch;
    double radius, track;     // of rolling joints
    Surface surface, ground;  // of a body that rolls, and what it rolls on
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

// a force on a joint velocity
struct JointShare {
    int w;  // among all joints'
    double ratio;
};

// Whose a joint's velocity is: the users' own, given by a coupling, or given by a loop. Users state
// the position of a joint that a loop gives too, as the place from where the loop is closed.
enum class Role : int { own, follower, dependent };

struct Cluster {
    int body, n_bodies;  // its members, consecutive
    int parent;          // the body that carries them, −1 for the world
    int v, nv;           // the users' velocities that move it
    int w, nw;           // the velocities of its joints
    int n_dependent;     // how many of those follow from loops
    int inverse;         // where the inverse of its articulated inertia starts
    int matrix;          // where its G, nw × nv by rows, starts
    int matrix_rates;    // where the rates of G along each own velocity start, nv times nw × nv
    bool constant;       // G does not depend on the configuration: it is in constant_matrix
    int coupling, n_couplings;
    int loop, n_loops;  // in Tree::cluster_loops
    int n_rows;         // of its loops
    // one joint with a coordinate of its own, and rotors that spin on the same parent
    bool geared;
    int moving;  // that joint's body
    int spin, n_spins;
    bool coupled;  // not just a joint: couplings or loops give some of its velocities
};

enum class CouplingKind : int { linear, spindle, tilting_spindle, parallel_ankle, function };

struct Coupling {
    CouplingKind kind;
    int leader, n_leaders, follower, n_followers;  // in Tree::coupling_joints, bodies
    int number;                                    // in Tree::coupling_numbers
    int table;                                     // for functions: where their values start
    int thirds;                                    // … and where their third derivatives start
    int index;                                     // in the order in which they were stated
};

// One scalar equation of a loop between frames a and b.
enum class RowKind : int { position, rotation, distance, lateral };
struct LoopRow {
    RowKind kind;
    int i, j;          // position: component i in a; rotation: axis i of a on axis j of b
    bool kept = true;  // false: it repeats others, but for rounded numbers, and is left out
};

struct Loop {
    FrameOnBody a, b;
    double length;
    int row, n_rows;  // in Tree::rows
    int cluster;      // −1 for a constraint
    int first_row;    // among the rows of its cluster
};

// A rotor that turns about its axis of symmetry: seen from its parent it adds a constant inertia,
// and a moment of momentum along the axis.
struct Spin {
    int body, parent, w;
    double axis[3];  // in the core's frame of the parent
    double inertia;  // about the axis
};

// A joint that follows others by a constant G: sums over own joints of its cluster.
struct ConstantFollower {
    int q, w;  // of the joint, among all joints'
    double offset;
    int term, n_terms;  // in Tree::terms
};
struct FollowerTerm {
    int q, v;  // position of an own joint among all joints', and its velocity among the users'
    double ratio;
};

// From a body to the one that carries its cluster: which of the users' velocities move it there.
struct Step {
    int column;  // where its motions for unit velocities of the cluster start
    int v, nv;   // those velocities
    int next;    // the body that carries the cluster, −1 for the world
    int bend;    // where the nv × nv rates of those motions start, −1 if a constant subspace gives
                 // them: see ClusterBends
};

// What the rotors of a geared cluster with constant ratios add to its joint: inertia, and the
// moment of momentum for a unit velocity, in the core's frame of the parent.
struct GearConstants {
    double armature, couple[3];
};

struct ClusterSizes {
    int bodies = 0, w = 0, free = 0, rows = 0;
};

struct RigidInertia {
    double mass, first[3], second[6];
};

// A rotor that another body carries, and what it adds to that one's inertia.
struct CarriedRotor {
    int body, carrier;
    RigidInertia inertia;  // in the core's frame of the carrier
};

struct Tree {
    int n_bodies = 0, n_angles = 0;
    int nq = 0, nv = 0;              // the users' coordinates
    int joint_nq = 0, joint_nv = 0;  // those of all joints
    double gravity[3] = {0, 0, 0};
    double total_mass = 0;

    bool coupled = false;  // a cluster is
    std::vector<Cluster> clusters;
    std::vector<int> cluster_of;  // for each body
    std::vector<Role> roles;      // for each w
    std::vector<int> user_q;      // for each body: where users state its position, or −1
    std::vector<int> user_v;      // for each w: where users state it, or −1
    std::vector<int> body_of;     // for each w
    std::vector<int> column;      // for each w: own velocities first, then dependent ones
    std::vector<Coupling> couplings;
    std::vector<int> coupling_joints;
    std::vector<double> coupling_numbers;
    int table_size = 0, thirds_size = 0;
    std::vector<Loop> loops;
    std::vector<int> cluster_loops;  // indices of loops, cluster by cluster
    std::vector<std::string> loop_names, coupling_names;
    std::vector<LoopRow> rows;
    std::vector<Spin> spins;
    std::vector<RigidInertia> carried;  // bodies with the rotors that spin on them
    std::vector<CarriedRotor> rotors;   // those, in the order of their carriers
    std::vector<int> first_rotor;       // among them, for each body, and the end
    std::vector<double> constant_matrix;
    std::vector<ConstantFollower> constant_followers;
    std::vector<FollowerTerm> terms;
    std::vector<GearConstants> gears;  // for each cluster
    std::vector<Step> steps;           // for each body
    int n_columns = 0, n_bends = 0, n_matrix_rates = 0;
    size_t n_symbols = 0;          // Christoffel symbols that may differ from zero
    std::vector<int> bending;      // clusters whose bodies have bends
    std::vector<int> varying;      // coupled clusters whose G is not constant
    std::vector<int> position_to;  // for each of the users' positions: where among all joints'
    std::vector<int> velocity_to;  // for each of the users' velocities
    int n_matrix = 0;
    int n_inverse = 0;  // numbers in the inverses of coupled clusters' inertias, nv × nv each
    ClusterSizes most, most_varying;  // in any coupled cluster, and in any whose G varies
    int most_slopes = 0;              // of any coupling
    int n_constraints = 0, n_constraint_rows = 0;  // loops outside clusters

    std::vector<Link> links;
    std::vector<BodyAxes> body_axes;
    std::vector<MatrixRows> placement_rows, axes_rows;  // links' placements and body axes again
    std::vector<FrameOnBody> frames;
    std::vector<int> angle_coordinate;  // index into q of each angle
    std::vector<int> all_angles;        // 0 … n_angles − 1
    std::vector<int> passed_angles;     // those of joints that transmit more than a spin

    std::vector<int> depth;  // how many velocity coordinates are above each on its branch
    // branch-compact storage of a lower triangle: row k holds the coordinates above k from the
    // root down, then k itself, as listed in branch[row[k] … row[k] + depth[k]]
    std::vector<int> row, branch;
    int n_compact = 0;
    // the same by columns: coordinates below k on its branches, below[below_from[k]] to
    // below[below_from[k + 1] − 1]
    std::vector<int> below_from, below;

    std::vector<double> neutral;  // a configuration in which all loops are closed
    std::vector<double> armature, damping, friction, stiffness, rest, lower, upper;
};

// What the builder states about one joint and the body that it carries.
struct LinkStatement {
    int parent;
    Kind kind;
    double placement[16];  // row-major pose of the child body frame in the parent body frame
    double axis[3], second_axis[3];
    double pitch, radius, track;
    Surface surface, ground;
    double mass, com[3];
    double inertia[9];  // about the centre of mass, body axes
};

struct FrameStatement {
    int body;
    double placement[16];
};

struct CouplingStatement {
    CouplingKind kind;
    std::vector<int> leaders, followers;  // bodies
    std::vector<double> numbers;
};

struct LoopStatement {
    std::string name, kind;
    FrameStatement a, b;
    double length;
    bool in_cluster;
    std::vector<bool> kept;  // one for each row
};

struct ClusterStatements {
    std::vector<int> sizes;
    std::vector<Role> roles;  // of all joints' velocities
    std::vector<CouplingStatement> couplings;
    std::vector<LoopStatement> loops;
};

// Rotation (row-major) that takes z to the given unit axis; permutations for the coordinate axes.
void axis_rotation(const double axis[3], double rotation[9]);

// Throws std::invalid_argument, naming the body, if the statements do not make a tree.
Tree make_tree(const std::vector<LinkStatement>& links, const std::vector<FrameStatement>& frames,
               const ClusterStatements& clusters, const double gravity[3]);

// What depends on parameters that are set after the tree was made.
void weigh_gears(Tree& tree);

// i, j, k of each of the n_symbols, in the order in which the core computes them
std::vector<int> symbol_indices(const Tree& tree);

// the rows of a loop joint, by its name; throws std::invalid_argument
std::vector<LoopRow> loop_rows(const std::string& kind);

}  // namespace tarsus
