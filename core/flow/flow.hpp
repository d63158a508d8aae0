// Smooth motions between given times: what a method is told, what lies outside of the core, and
// what it says about its work. Nothing here depends on how a method was compiled.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "flow/hybrid.hpp"

namespace tarsus {

struct World;       // in world/world.hpp
class ContactFlow;  // in flow/contact_flow.hpp
struct ContactFlowNumbers;
struct CompliantNumbers;    // in compliant/numbers.hpp
struct CompliantStatement;  // in flow/compliant_kernel.hpp

// What a motion asks of others while it goes on; all of it may throw.
class Outside {
   public:
    virtual ~Outside() = default;
    // efforts (n, nv) of n states at one time
    virtual void efforts(double t, long n, const double* q, const double* v, double* tau) = 0;
    // values of users' coupling functions, one row for each state of q (states, nq); or null
    virtual const double* table(const double* q, long states) = 0;
    // whether to stop; asked after each step
    virtual bool interrupted() = 0;
};

struct FlowNumbers {
    double rtol = 1e-6, atol = 1e-9;
    double step = 0;       // of methods with steps of one length; the first one of others, 0: found
    bool friction = true;  // dry friction of joints acts
    // Which linkage each number of q and of v belongs to. Errors are root mean squares within a
    // linkage, and the largest of these: what is at rest beside a motion does not hide its errors.
    std::vector<int> linkage_of_q, linkage_of_v;
    Parts parts;  // that act
    std::vector<double> part_numbers;
    int linkages = 0;
};

struct FlowStatistics {
    long steps = 0, rejected = 0, rates = 0, jacobians = 0, factorisations = 0, iterations = 0;
    double last_step = 0, next_step = 0;
};

// Why a motion stopped before the time it was sent to.
enum class FlowEnd : int {
    reached,
    interrupted,
    too_short,
    not_solved,
    not_finite,
    diverged,
    forever,  // events follow each other without time in between
    entered   // something has entered something else unseen
};

// A motion under way: time, positions, velocities; works of efforts, damping and dry friction (3
// nv) and of each part. The Runge–Kutta method moves several states together, each with its row of
// q, v and work.
class Flow {
   public:
    virtual ~Flow() = default;
    // from here on, with the length of step that was last in use
    virtual void start(double t, const double* q, const double* v, const double* work) = 0;
    // Makes steps until `until` is reached or passed; never past `end`.
    virtual FlowEnd go(double until, double end) = 0;
    // at a time within the last step
    virtual void sample(double t, double* q, double* v, double* work) = 0;

    long states = 1;  // set before `start`
    double t = 0;
    std::vector<double> q, v, work;
    std::vector<double> lost_q, lost_v;  // where rates had no finite value
    FlowStatistics statistics;
};

enum class FlowMethod : int { radau, gauss, dormand_prince, runge_kutta };

// The methods as compiled for one instruction set; `outside` and the tree must outlive the flow.
struct FlowKernel {
    std::unique_ptr<Flow> (*make)(FlowMethod, const Tree&, const FlowNumbers&, Outside&);
    // q and v := the nearest with unit quaternions, closed loops, and parts that are held at once;
    // false where there are none
    bool (*project)(const Tree&, const Parts&, const double* numbers, Outside&, double* q,
                    double* v);
    // generalised forces (n, nv) and records (n, parts × kRecord) of parts at n states, with powers
    // instead of works; false if a number is not finite
    bool (*part_forces)(const Tree&, const Parts&, const double* numbers, Outside&, long n,
                        const double* q, const double* v, double* tau, double* records);
    // accelerations (n, nv) under forces tau at n states, and records of the parts that are held,
    // those of others zero; false if a number is not finite
    bool (*held_accelerations)(const Tree&, const Parts&, const double* numbers, Outside&, long n,
                               const double* q, const double* v, const double* tau, double* a,
                               double* records);
    // motions with events, each from where it is to its end; outside may be null
    void (*hybrid)(const HybridStatement&, HybridOutside* outside, HybridMotion* motions,
                   long count);
    // a motion with rigid contacts
    std::unique_ptr<ContactFlow> (*make_contact)(const World&, const ContactFlowNumbers&, Outside&);
    // compliant contacts at n states (flow/compliant_forces.hpp)
    bool (*compliant_forces)(const World&, const CompliantNumbers&, long n,
                             const double* parameters, long parameter_stride, const double* q,
                             const double* v, const double* deformation, const double* on,
                             double* tau, double* rates, double* records);
    void (*compliant)(const CompliantStatement&, HybridOutside* outside, HybridMotion* motions,
                      long count);
};

}  // namespace tarsus
