// The simulated world as the step sees it: plain arrays, made once.
//
// A candidate is a point that may touch: a sphere (or point) on a body or the rim of a cylinder
// against the ground, or one of several places where two solids may meet. Which of them touch is
// found anew in each step; forces of the last step start the next one.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "model/tree.hpp"

namespace tarsus {

enum class GroundKind : int { none, plane, profile, height_field };
enum class Law : int { exact, lemke, penalty };
enum class SolidKind : int { sphere, capsule, box };
enum class ControlKind : int { torque, pd, implicit_pd, pid, inverse_dynamics, passivity };

constexpr int kRingPoints = 3, kPairPoints = 8;
constexpr int kSharing = 3;  // so many candidates on a body share its six wrenches

// in the core's frame of its body
struct Sphere {
    int body;
    double position[3], radius;
};
struct Ring {
    int body;
    double position[3], axis[3], across[3], radius;  // across: a unit vector in its plane
};
struct Solid {
    int body;  // −1 for the world
    SolidKind kind;
    FrameOnBody on;
    double size[3];  // sphere: radius; capsule: radius, length; box: half edges
    double reach;    // radius of a ball around it
};

// the candidates on one body, and a ball that holds them
struct Touching {
    int body;
    int sphere, n_spheres, ring, n_rings;
    double center[3], radius;
};

struct LawNumbers {
    int iterations = 200, facets = 0;
    double tolerance = 1e-10;
    bool ahead = true, block = true, hunt_crossley = false;
    double stiffness = 0, damping = 0, tangential_stiffness = 0, tangential_damping = 0;
};

struct Limit {
    int w, x;  // velocity and position among all joints'
    double bound, sign;
};
struct DryFriction {
    int w;
    double coulomb, stiction;
};

struct World {
    const Tree* tree;
    double dt;
    bool explicit_euler = false;
    Law law = Law::exact;
    LawNumbers numbers;
    int max_contacts = 0;

    GroundKind ground = GroundKind::none;
    std::vector<double> ground_numbers;

    std::vector<Sphere> spheres;  // ordered by body
    std::vector<Ring> rings;
    std::vector<int> sphere_candidate, ring_candidate;  // how users count them
    std::vector<Touching> touching;
    std::vector<bool> shares;  // for each body: its contacts with the ground share test forces
    std::vector<Solid> solids;
    std::vector<int> pairs;  // two solids each

    std::vector<DryFriction> friction;
    std::vector<Limit> limits;
    bool turning = false;   // joints state linear velocities in axes that turn
    bool passive = false;   // joints have springs or dampers
    bool implicit = false;  // something adds to the diagonal of the mass matrix

    ControlKind control = ControlKind::torque;
    int control_steps = 1;
    std::vector<double> effort;

    int n_ground() const { return int(spheres.size() + kRingPoints * rings.size()); }
    int n_pairs() const { return int(pairs.size() / 2); }
    int n_candidates() const { return n_ground() + kPairPoints * n_pairs(); }
    int n_rows() const { return int(friction.size() + limits.size()); }

    // parameters of one state
    int kp() const { return 4; }
    int kd() const { return kp() + tree->nv; }
    int ki() const { return kd() + tree->nv; }
    int mass_scale() const { return ki() + tree->nv; }
    int parameter_size() const { return mass_scale() + tree->n_bodies; }

    int command_size() const {
        return control == ControlKind::torque ? tree->nv : tree->nq + 2 * tree->nv;
    }

    // what a state keeps between calls
    int kept_contacts() const { return 0; }  // candidate + 1 and three numbers each
    int kept_rows() const { return 4 * max_contacts; }
    int integral() const { return kept_rows() + n_rows(); }
    int held() const { return integral() + tree->nv; }
    int works() const { return held() + tree->nv; }
    int failed() const { return works() + n_works(); }
    int memory_size() const { return failed() + 1; }

    // the ledger: energies at a state, then works since the start
    static constexpr int kEnergies = 4;  // kinetic, gravity, elastic, staggering
    enum WorkIndex {
        impacts,
        contact_normal,
        contact_friction,
        loops,
        at_limits,
        n_impacts,
        kWorks
    };
    int supplied() const { return kWorks; }
    int damped() const { return supplied() + tree->nv; }
    int rubbed() const { return damped() + tree->nv; }
    int by_body() const { return rubbed() + tree->nv; }
    int n_works() const { return by_body() + tree->n_bodies; }
    int energy_size() const { return kEnergies + n_works(); }
};

enum ParameterIndex { kFriction, kViscous, kRestitution, kRestSpeed };

// Where a call's states are and what it writes; pointers of records may be null.
struct Run {
    long states = 0;
    double *q = nullptr, *v = nullptr, *memory = nullptr, *status = nullptr;
    const double *parameters = nullptr, *commands = nullptr;
    long parameter_stride = 0, command_stride = 0, n_commands = 1, hold = 1;
    long first_step = 0, steps = 0, every = 1, samples = 0;
    bool ledger = false;
    double *record_q = nullptr, *record_v = nullptr, *record_tau = nullptr;
    double *record_energy = nullptr, *record_contacts = nullptr, *record_statistics = nullptr;
};
constexpr int kStatus = 3, kContactNumbers = 13, kStatistics = 4;
enum class StepFault : int { none, not_finite, crowded, loops_lost, unsolved, diverged };

// The step as compiled for one instruction set.
struct StepKernel {
    size_t (*bytes_one)(const World&);
    size_t (*bytes_lanes)(const World&);
    void (*one)(const World&, const Run&, long state, std::byte* memory);
    void (*lanes)(const World&, const Run&, long begin, long end, std::byte* memory);
    // the ledger's row for each state
    void (*energies)(const World&, const Run&, double* out, std::byte* memory);
    // gap, point and normal of every candidate
    void (*contacts)(const World&, const double* q, double* out, std::byte* memory);
    // operator (3m × 3m) and rows (3m × nv) of these candidates
    void (*contact_operator)(const World&, const double* q, const double* parameters,
                             const std::vector<int>& candidates, double* A, double* J,
                             std::byte* memory);
};

struct WorldStatement {
    double dt = 0;
    std::string law, controller, ground_kind;
    bool explicit_euler = false, joint_friction = true, joint_limits = true;
    std::vector<int> point_body, ring_body, solid_body, pairs;
    std::vector<double> point_position, point_radius, ring_position, ring_axis, ring_radius;
    std::vector<std::string> solid_kind;
    std::vector<double> solid_placement, solid_size, ground_numbers, stiction, effort;
    int max_contacts = 0, control_steps = 1;
    LawNumbers numbers;
};

// Throws std::invalid_argument, naming what is wrong.
World make_world(const Tree& tree, const WorldStatement& statement);

}  // namespace tarsus
