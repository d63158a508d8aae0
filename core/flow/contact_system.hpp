// A mechanism that touches as y′ = f(t, y) while its grip lasts, y = (q, v, works), with guards
// that tell when it ends.
#pragma once

#include "flow/contact_flow.hpp"
#include "flow/holding_forces.hpp"
#include "flow/hybrid.hpp"

namespace tarsus::TARSUS_ISA {

// What may end a grip: zeros of
enum class Watch : int {
    gap,         // of a candidate that is open
    pull,        // force along the normal of a closed one
    cone,        // what friction could still hold of one that sticks
    turn,        // speed of one that slides, along its way at the start
    slow,        // its speed above that of creeping
    fast,        // what one that creeps lacks to the speed of sliding
    tilt,        // of a rim, beyond that at which it lies flat, or below
    limit_gap,   // of a joint that is free of a limit
    limit_pull,  // force of a limit
    dry_margin,  // what dry friction could still hold of a joint that sticks
    dry_turn,    // speed of one that rubs
};
struct Watching {
    Watch what;
    int index;  // of the candidate, the contact, the rim, the limit or the dry friction
    double offset = 0;
};

class ContactSystem {
   public:
    using Number = double;

    ContactSystem(const World& world, const ContactFlowNumbers& numbers, Outside& outside);

    Grip grip;
    std::vector<double> near;        // forces along its rows when it was found
    double allowed = 0;              // so much may forces be beyond their laws [N]
    std::vector<Vec3<double>> ways;  // of contacts that slide, at the start
    std::vector<Watching> watching;
    std::vector<double> released;   // for each candidate: how far it may come back
    const double* times = nullptr;  // of samples
    long next = 0, count = 0;
    std::vector<ContactSample>* samples = nullptr;
    long evaluated = 0;
    int entered = -1;  // a candidate that is open and deep inside, −1 for none: it came unseen

    int size() const { return tree_.nq + tree_.nv + n_works_; }
    int measured() const { return tree_.nq + tree_.nv; }
    int n_guards() const { return int(watching.size()); }
    int n_works() const { return n_works_; }

    void watch();
    void rates(double t, const double* y, double* dy, double* values, double* slopes);
    void settle(double where, double* y);

    // so that no pair of solids comes near and leaves unseen
    double longest_step(int, const double* y);
    void load(int, const HybridMotion& motion, double* y) const;
    void store(int, const double* y, const double*, HybridMotion& motion) const;
    void note(int, double t, const double* y, const HybridMotion& motion);
    double next_sample(const HybridMotion&) const { return next < count ? times[next] : INFINITY; }

    // forces (nv) that act beside gravity and grip, and their powers, unless null
    void push(double t, const double* q, const double* v, double* force, double* power);
    ContactMechanism at(const double* q, const double* v, const double* force, const Grip& grip) {
        return ContactMechanism(world_, parameters(), q, v, force, grip,
                                Scratch(memory_.get(ContactMechanism::bytes(world_, grip))));
    }
    const double* parameters() const { return numbers_.parameters.data(); }
    // Friction is such that what slides slowly turns fast. On facets ways end at edges, which it
    // must not go straight on over.
    bool may_creep() const {
        const double mu = parameters()[kFriction];
        const GroundKind ground = world_.shapes.ground;
        const bool facets = ground == GroundKind::profile || ground == GroundKind::height_field;
        const bool rubs = mu > 0 || !world_.candidate_friction.empty();
        return rubs && std::isfinite(mu) && !facets;
    }
    double creep() const { return numbers_.creep; }
    // Points that creep and have come to the end of their ways stand, whatever they do across; true
    // if there was one.
    bool stop_turned(const double* q, const double* v);
    // moved (nq) := q after a step along velocities (nv)
    void step(const double* q, const double* along, double* moved);
    // rims lie flat or stand on their edges, as they are tilted
    void tip_rims(const double* q, const double* v);

   private:
    void look(const ContactMechanism& mechanism, const double* a, double* values, double* slopes);
    double shift(ContactMechanism& mechanism, const double* rows, double* out);
    double friction_power(const ContactMechanism& mechanism) const;

    const World& world_;
    const Tree& tree_;
    const ContactFlowNumbers& numbers_;
    Outside& outside_;
    const int n_works_;
    HoldingForces holding_;
    WorkMemory memory_, push_memory_;
    std::vector<double> force_, zero_, room_, records_;
};

}  // namespace tarsus::TARSUS_ISA
