// What contacts and joints obey, as plain numbers.
#pragma once

namespace tarsus {

enum class Law : int { exact, lemke, penalty };

struct LawNumbers {
    int iterations = 1500, facets = 0;
    double tolerance = 1e-10;
    bool ahead = true, newton = true, hunt_crossley = false;
    double stiffness = 0, damping = 0, tangential_stiffness = 0, tangential_damping = 0;
};

// friction of contacts beside sliding, as lengths [m] by which normal impulses are multiplied
struct LawExtras {
    double torsion = 0, rolling = 0;
    int rows() const { return rolling > 0 ? 6 : torsion > 0 ? 4 : 3; }
};

// How a number of one candidate follows from that of its state, x: scale x + offset, at least low
// and at most high. So it is the larger or the smaller one of two, their mean or product, or what
// was stated whatever the state has.
struct Blend {
    double scale = 1, offset = 0, low = 0, high = 1e300;
};

// How one candidate gives way, where contacts are springs and dampers: along its normal, and across
// [N/m, N·s/m].
struct ContactSpring {
    double stiffness = 0, damping = 0, tangential_stiffness = 0, tangential_damping = 0;
};

// Viscous friction goes out with the normal impulse: it is at most so many times as large. A jump
// to none would leave some problems without a solution.
constexpr double kFade = 10;

constexpr double kSlowest = 0.1;  // [m/s] slower worlds are solved as precisely as this

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
