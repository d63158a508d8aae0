// Motions on compliant surfaces: what is asked for. Nothing here depends on how it was compiled.
#pragma once

#include "compliant/numbers.hpp"
#include "flow/hybrid.hpp"
#include "world/world.hpp"

namespace tarsus {

// what contacts lost: to dampers across the surfaces, along them, and at resets; and how often
// surfaces met
constexpr int kLosses = 4;

struct CompliantStatement {
    const World* world;
    CompliantNumbers contact;
    Parts parts;
    std::vector<double> part_numbers;
    HybridNumbers numbers;
    std::vector<int> linkage;  // of each number of q, then of v
    int linkages = 0;
    bool friction = true;  // dry friction of joints acts
    bool efforts = false;  // users compute them
    // samples after `first` dt, each `every` dt, the last one after `last` dt, where motions pause
    double dt = 0;
    long first = 0, every = 1, last = 0;
};

// A motion's v has its velocities, deformations, works and switches (flow/compliant_system.hpp),
// its tau has efforts that are held, friction and viscous friction. Its events have the candidate
// for an exit, and 1 for a phase where surfaces touch, 0 where they part.

}  // namespace tarsus
