// What contacts and joints obey, as plain numbers.
#pragma once

namespace tarsus {

enum class Law : int { exact, lemke, penalty };

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

// the first parameters of a state
enum ParameterIndex { kFriction, kViscous, kRestitution, kRestSpeed };

enum class LcpEnd { solved, ray, tired };
struct LcpReport {
    LcpEnd end;
    int pivots;
};

}  // namespace tarsus
