// The simulated world as the step sees it: plain arrays, made once. Which candidates touch is found
// anew in each step; forces of the last step start the next one.
#pragma once

#include <string>

#include "constraints/laws.hpp"
#include "geometry/shapes.hpp"

namespace tarsus {

enum class ControlKind : int { torque, pd, implicit_pd, pid, inverse_dynamics, passivity };

constexpr int kSharing = 3;  // so many candidates on a body share its six wrenches

struct World {
    const Tree* tree;
    double dt;
    bool explicit_euler = false;
    Law law = Law::exact;
    LawNumbers numbers;
    LawExtras extras;
    double limit_restitution = 0;
    bool strict = false;  // a step that is not solved ends the run
    int max_contacts = 0;

    Shapes shapes;
    std::vector<bool> shares;  // for each body: its contacts with the ground share test forces

    std::vector<DryFriction> friction;
    std::vector<Limit> limits;
    bool turning = false;   // joints state linear velocities in axes that turn
    bool passive = false;   // joints have springs or dampers
    bool implicit = false;  // something adds to the diagonal of the mass matrix

    ControlKind control = ControlKind::torque;
    int control_steps = 1;
    std::vector<double> effort;

    // by candidate; empty where all are as their states say
    std::vector<Blend> candidate_friction, candidate_restitution;
    std::vector<LawExtras> candidate_extras;
    std::vector<ContactSpring> candidate_springs;

    int n_candidates() const { return shapes.n_candidates(); }
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
    int unsolved() const { return works() + n_works(); }  // how many steps, and the worst of them
    int failed() const { return unsolved() + 2; }
    int memory_size() const { return failed() + 1; }

    // the ledger: energies at a state, then works since the start
    static constexpr int kEnergies = 4;  // kinetic, gravity, elastic, staggering
    enum WorkIndex {
        impacts,
        contact_normal,
        contact_friction,
        loops,
        at_limits,
        corrections,
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

struct WorldStatement {
    double dt = 0;
    std::string law, controller, ground_kind;
    bool explicit_euler = false, joint_friction = true, joint_limits = true;
    std::vector<int> point_body, ring_body, ellipsoid_body, solid_body, pairs;
    std::vector<double> point_position, point_radius, ring_position, ring_axis, ring_radius;
    std::vector<double> ring_tube, ellipsoid_placement, ellipsoid_size;
    std::vector<std::string> solid_kind;
    std::vector<double> solid_placement, solid_size, ground_numbers, stiction, effort;
    // of hulls, one after another: how many corners, where they are, and loops of faces; solids
    // that are hulls name theirs as their first size
    std::vector<int> hull_counts;
    std::vector<double> hull_corners;
    std::vector<std::vector<std::vector<int>>> hull_faces;
    int max_contacts = 0, control_steps = 1;
    LawNumbers numbers;
    LawExtras extras;
    double limit_restitution = 0;
    bool strict = false;
    // of candidates, if they have their own: rows of scale, offset, low, high; of torsion, rolling;
    // of stiffness and damping, normal and tangential
    std::vector<double> candidate_friction, candidate_restitution, candidate_extras;
    std::vector<double> candidate_springs;
};

// Throws std::invalid_argument, naming what is wrong.
World make_world(const Tree& tree, const WorldStatement& statement);

}  // namespace tarsus
