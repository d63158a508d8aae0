// What derivatives of a motion are by beside its initial state: parameters of its mechanism.
//
// A length is the coordinate of a joint that stands still. The mechanism with such joints is a tree
// of its own, wider than the one that moves; all derivatives are taken there. Nothing here depends
// on how it was compiled. Mechanisms with users' coupling functions have no such tree.
#pragma once

#include <vector>

#include "parts/part.hpp"

namespace tarsus {

// How a joint turns that dry friction brakes: −1, 0 or 1 as a phase says, or as it does
constexpr int kAsItTurns = 2;

// What one parameter changes, times a number: `numbers[0]`, or
//   inertia   mass, first and second moments of a body (xx xy yy xz yz zz), as users see it: all
//   ten gravity   three numbers
// Others change one velocity of the wide tree (length), or of all its joints.
struct ParameterTerm {
    enum class Kind : int { length, inertia, stiffness, damping, rest, gravity, friction } kind;
    int parameter;
    int index;  // the body, or the velocity
    double numbers[10];
};

struct Wide {
    const Tree* tree = nullptr;
    // for each of its positions and velocities that of the mechanism, −1 for lengths
    std::vector<int> q, v;
    std::vector<int> own;  // for each velocity of the mechanism that of the wide tree
    Parts parts;
    std::vector<double> part_numbers;
    std::vector<ParameterTerm> terms;
    std::vector<int> ways;  // of all joints' velocities
    // derivatives: of each state by steps and velocities of the first phase, then by parameters
    int columns = 0, parameters = 0;
};

}  // namespace tarsus
