// A mechanism that touches, at one state: where candidates are, and the rows of what is closed:
// loops, contacts (normal and two tangents each), limits of joints and dry frictions that stick.
//
// Rows are velocities; their rates count that a contact's point moves over the bodies and that its
// directions turn: for a point x with the rate x′, on a body with the velocity v, the turn ω and
// the accelerations a, α at its origin o,
//
//     d/dt (v + ω × (x − o)) = a + α × (x − o) + ω × (x′ − v).
#pragma once

#include "constraints/contact_set.hpp"
#include "dynamics/articulated_constraints.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kPointStands = 1e-8;  // [m/s] a point that is slower stands

// What dry friction of a joint holds while it stands: a thousandth more than when it slips, at
// least, so that a joint at the edge does one or the other.
inline double most_held(const DryFriction& dry) {
    return std::max(dry.coulomb * (1 + 1e-3), dry.stiction);
}

// What is closed, and how.
struct Grip {
    struct Hold {
        int candidate;
        bool slides = false;
        Vec3<double> way{0, 0, 0};  // in which it slides, where its velocity does not tell
        bool creeps = false;        // it slides so slowly that it would turn too fast
    };
    std::vector<Hold> contacts;  // in the order of candidates
    std::vector<int> limits;     // among World::limits
    std::vector<int> dry;        // dry frictions that stick, among World::friction
    std::vector<int> way;        // −1, 0, 1 for each dry friction: how the joint moves
    // for each rim on a plane: where its first point is on the body, from its first vector, while
    // it lies flat; not a number while it stands on its edge (rim_spots.hpp)
    std::vector<double> rim;

    // the same machine, touching nothing
    Grip open() const { return {{}, {}, {}, way, rim}; }

    int rows(const Tree& tree) const {
        return tree.n_constraint_rows + 3 * int(contacts.size()) + int(limits.size() + dry.size());
    }
    int blocks(const Tree& tree) const {
        return tree.n_constraints + int(contacts.size() + limits.size() + dry.size());
    }
};

// A candidate: its bodies, and where it is
struct Spot {
    int a = -1, b = -1;
    Touch<double> touch{};
};

// A contact that is closed, with the rates of its point and directions
struct Closed {
    int candidate, a, b;
    Touch<double> touch;
    Vec3<double> direction[3], rate[3];  // normal and tangents
    Vec3<double> point_rate;
};

class ContactMechanism {
   public:
    // q, v and what is lent must outlive it; `force` acts beside gravity (nv)
    ContactMechanism(const World& world, const double* parameters, const double* q, const double* v,
                     const double* force, const Grip& grip, Scratch scratch);
    static size_t bytes(const World& world, const Grip& grip);

    const std::vector<Spot>& spots() const { return spot_; }
    const std::vector<Closed>& closed() const { return closed_; }
    const JointState<double>& joints() const { return joints_; }
    const Pose<double>* poses() const { return pose_; }

    // relative velocity of a place's bodies at its point
    Vec3<double> velocity(int a, int b, const Vec3<double>& point) const;
    // rates of the points of rims on a plane
    Vec3<double> rim_rate(int ring, int point) const;
    // speed of the fastest point that may touch
    double fastest() const;
    // gap and its rate of a limit
    double limit_gap(int limit) const;
    double limit_rate(int limit) const;

    int rows() const { return rows_; }
    int first_contact() const { return tree_.n_constraint_rows; }
    int first_limit() const { return first_contact() + 3 * int(closed_.size()); }
    int first_dry() const { return first_limit() + int(grip_.limits.size()); }

    // of all rows: what they are for the velocities of the state
    void rates(double* out) const;
    // gaps of loops and of contacts and limits; zero for tangents
    void gaps(double* out) const;
    // accelerations a (nv) with what was loaded
    void accelerate(double* a);
    // rates of the users' positions (nq)
    void configuration_rate(double* out);
    // rates of the rows with these accelerations
    void curves(const double* a, double* out);
    // J H⁻¹ Jᵀ (rows × rows)
    void sum_operator(double* A);
    // adds forces along the rows
    void load(const double* p) { test_.add_load(p); }
    // what impulses along the rows change in v (nv); nothing else is known afterwards
    void change(const double* p, double* dv);

   private:
    void find();
    void find_rims();
    void follow(const double* q, const double* v, Scratch scratch);
    BodyMotion<double> motion_of(int body) const {
        return body_motion(pose_[body + 1], velocity_[body + 1], passes_.body[body + 1].v);
    }
    LoopAt<double> loop_place(const Loop& loop) const;

    const World& world_;
    const Tree& tree_;
    const Grip& grip_;
    const double *q_, *v_;
    JointState<double> joints_;
    ArticulatedPasses<double> passes_;
    Pose<double>* pose_;        // the world first
    Motion<double>* velocity_;  // in body frames
    TestForces<double> test_;
    Scratch scratch_;
    int rows_;
    std::vector<Spot> spot_;
    std::vector<Closed> closed_;
};

}  // namespace tarsus::TARSUS_ISA
