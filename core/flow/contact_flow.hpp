// Motions with rigid contacts between given times: what happens on the way, located. Nothing here
// depends on how it was compiled.
#pragma once

#include <memory>
#include <vector>

#include "flow/flow.hpp"
#include "world/world.hpp"

namespace tarsus {

enum class ContactEventKind : int {
    impact,         // of a candidate
    release,        // a candidate opens
    slip,           // a candidate that stuck slides
    stick,          // a candidate that slid stands
    limit_impact,   // a joint is stopped by its limit
    limit_release,  // … and leaves it
    joint_slip,     // dry friction of a joint is overcome
    joint_stick,    // … and holds
};

struct ContactEvent {
    double t;
    ContactEventKind kind;
    int index;  // of the candidate, the limit or the dry friction
    double point[3] = {0, 0, 0}, impulse[3] = {0, 0, 0};
    double lost = 0;  // energy [J]
};

struct ContactFlowNumbers {
    double rtol = 1e-9, atol = 1e-11;
    double creep = 1e-4;       // [m/s] what slides more slowly turns no faster
    std::vector<int> linkage;  // of each number of q, then of v
    int linkages = 0;
    Parts parts;
    std::vector<double> part_numbers;
    std::vector<double> parameters;  // of one state, as those of a World
    long most_events = 1000000;
};

// what is known at a sample: q, v, works, and contacts as records of a World have them
struct ContactSample {
    std::vector<double> q, v, work, contacts;
};

class ContactFlow {
   public:
    virtual ~ContactFlow() = default;
    virtual void start(double t, const double* q, const double* v, const double* work) = 0;
    // Adds samples at rising times, none of them past `end`, where forces may jump and a step ends.
    // Other steps do not end at samples: no bit depends on how times are divided among calls.
    virtual FlowEnd go(const double* times, long count, double end) = 0;

    double t = 0;
    std::vector<double> q, v, work, lost_q, lost_v;
    int entered = -1;  // the candidate that entered unseen
    long merged = 0;   // how often changes came too fast and were made one
    std::vector<ContactSample> samples;
    std::vector<ContactEvent> events;
    FlowStatistics statistics;

    // works beside those of a Flow: of friction at contacts, and lost at impacts of contacts and of
    // limits
    enum : int { kRubbing, kImpacts, kStops, kOwnWorks };
};

}  // namespace tarsus
