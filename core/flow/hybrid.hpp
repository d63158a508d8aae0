// Motions with events: phases of smooth motion, guards whose zeros end them, and resets that lead
// from a phase to the next. Nothing here depends on how it was compiled.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "flow/wide.hpp"
#include "model/limbs.hpp"

namespace tarsus {

// What a guard is a sum of; `coefficient` times one of
//   position   of a joint with one coordinate (index among all joints' positions, other: velocity)
//   velocity   of the users' velocities (index)
//   height     of a point on body a along a direction of the world
//   distance   of a point on body a from one on body b
//   function   of the users (index)
enum class TermKind : int { position, velocity, height, distance, function };
struct GuardTerm {
    TermKind kind;
    double coefficient;
    int index = 0, other = 0;
    int a = -1, b = -1;                               // bodies, −1 for the world
    double on_a[3] = {0, 0, 0}, on_b[3] = {0, 0, 0};  // in the core's frames of them
    double direction[3] = {0, 0, 1};
};

// constant + Σ terms
struct GuardSum {
    double constant = 0;
    std::vector<GuardTerm> terms;
};

enum class Crossing : int { falling = -1, any = 0, rising = 1 };

// What happens at an event, one after the other.
struct ResetStep {
    enum class Kind : int { linear, project, function } kind;
    // linear: q := matrix q + shift, v := rates v, of other sizes, perhaps; by rows
    std::vector<double> matrix, shift, rates;
    // project: momenta change along the constraints of a tree only, until it keeps them
    const Tree* tree = nullptr;
    Wide wide;
    int function = 0;
    int nq = 0, nv = 0;  // afterwards
};

struct Exit {
    GuardSum guard, wide;              // wide: the same guard in the phase's wide tree
    std::vector<GuardSum> conditions;  // that must be positive at the zero
    Crossing crossing = Crossing::falling;
    std::vector<ResetStep> reset;
    int to = -1;  // the next phase; −1: the motion ends
};

struct Phase {
    const Tree* tree;
    std::shared_ptr<const Limbs> limbs;  // of the tree, or null
    std::vector<Exit> exits;
    Parts parts;
    std::vector<double> part_numbers;
    std::vector<int> linkage;  // of each number of q, then of v
    int linkages = 0;
    bool efforts = false;   // users compute them
    std::vector<int> ways;  // of all joints' velocities; none: all turn as they do
    Wide wide;

    int way(int k) const { return ways.empty() ? kAsItTurns : ways[k]; }
    int n_guards() const {
        int count = 0;
        for (const Exit& exit : exits) count += 1 + int(exit.conditions.size());
        return count;
    }
};

struct HybridNumbers {
    double rtol = 1e-10, atol = 1e-12;
    double duration = 0;
    double first_step = 0, longest_step = 0;  // 0: found; without bound
    double sample_every = 0;                  // 0: no samples
    double pause = INFINITY;  // motions pause at the end of the step that reaches this time [s]
    long most_events = 0, most_steps = 0;
    double per_second = 0;  // by how much of these numbers they grow in each second
    bool record = true;     // events with their states

    // how many events or steps there may be until a time
    double most(long count, double t) const { return double(count) * (1 + per_second * t); }
};

// Why a motion ended.
enum class HybridEnd : int {
    time,        // it lasted as long as it should
    exit,        // by an exit that leads nowhere
    events,      // there were as many as there may be
    too_short,   // the step became too short
    not_finite,  // rates, guards or resets have no finite value
    diverged,    // velocities beyond all bounds
    forever,     // events follow each other without time in between
    steps,       // there were as many steps as there may be
    interrupted,
    paused,  // in its last step, which is made again when it goes on
};

struct HybridEvent {
    double t;
    int phase, exit;
    std::vector<double> q, v;            // before
    std::vector<double> next_q, next_v;  // and after
};
struct HybridSample {
    double t;
    int phase;
    std::vector<double> q, v;
};

// One motion: where it is, how it ended, and what happened on the way.
struct HybridMotion {
    double t = 0;
    int phase = 0;
    std::vector<double> q, v, tau;
    std::vector<double> more;  // that a system carries beside q and v
    HybridEnd ended = HybridEnd::time;
    int element = -1;  // the guard that was past its zero at the start, −1 for none
    std::vector<HybridEvent> events;
    std::vector<HybridSample> samples;
    long n_events = 0, steps = 0, rejected = 0;
    double first_event = -1;
    static constexpr int kAll = -2;  // all guards were looked at where the motion is
    int taken = -1;   // the exit by which it came to its phase, if that is one of the same phase
    int at_once = 0;  // events since that first one

    // The step in which it paused: its start and length, whether the last try was rejected, the
    // exit it takes and the factor of the next length; then y, its rates, guards, their rates, and
    // from which side those of exits count. It is made again when the motion goes on, so that no
    // bit depends on where a motion pauses. Empty: the motion starts with a new step.
    std::vector<double> step;
    static constexpr size_t kStep = 5;
    static size_t step_size(size_t numbers, size_t guards, size_t exits) {
        return kStep + 2 * (numbers + guards) + exits;
    }

    // With derivatives: (2 nv × m) how steps of q and changes of v, as long after the last event as
    // now, depend on what `Wide::columns` are; how the time of that event does; accelerations.
    std::vector<double> columns, time, a;
};

// What users compute; all of it may throw.
class HybridOutside {
   public:
    virtual ~HybridOutside() = default;
    virtual void efforts(int phase, double t, const double* q, const double* v, double* tau) = 0;
    virtual double guard(int function, int phase, double t, const double* q, const double* v) = 0;
    virtual void reset(int function, double t, std::vector<double>& q, std::vector<double>& v) = 0;
    // derivatives by steps of q, changes of v and t, with rows of 2 nv + 1: one of a guard, 2 nv'
    // of a reset, nv of efforts
    virtual std::vector<double> derivative(int, double, const double*, long, const double*, long,
                                           long /* rows */) {
        return {};
    }
    virtual std::vector<double> efforts_derivative(int, double, const double*, const double*) {
        return {};
    }
    virtual const double* table(int phase, const double* q) = 0;
    virtual bool interrupted() = 0;
    // whether the work is given up, so that samples within a step may be left out
    virtual bool abandoned() { return false; }
};

struct HybridStatement {
    std::vector<Phase> phases;
    HybridNumbers numbers;
    bool derivatives = false;
    bool needs_python = false;  // efforts, guards, resets or couplings are users' functions
};

}  // namespace tarsus
