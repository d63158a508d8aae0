// What may touch, as plain arrays: points and rims of bodies on the ground, solids in pairs.
//
// A candidate is a place that may touch: a sphere (or point) on a body or the rim of a cylinder
// against the ground, or one of several places where two solids may meet.
#pragma once

#include <vector>

#include "model/tree.hpp"

namespace tarsus {

enum class GroundKind : int { none, plane, profile, height_field };
enum class SolidKind : int { sphere, capsule, box };

constexpr int kRingPoints = 3, kPairPoints = 8;
constexpr int kGroundPlaces = 2;  // of a ball or a point of a rim, on a profile

// in the core's frame of its body
struct Sphere {
    int body;
    double position[3], radius;
};
struct Ring {
    int body;
    double position[3], axis[3], across[3], radius;  // across: a unit vector in its plane
};
struct Solid {
    int body;  // −1 for the world
    SolidKind kind;
    FrameOnBody on;
    double size[3];  // sphere: radius; capsule: radius, length; box: half edges
    double reach;    // radius of a ball around it
};

// the candidates on one body, and a ball that holds them
struct Touching {
    int body;
    int sphere, n_spheres, ring, n_rings;
    double center[3], radius;
};

struct Shapes {
    GroundKind ground = GroundKind::none;
    std::vector<double> ground_numbers;

    std::vector<Sphere> spheres;  // ordered by body
    std::vector<Ring> rings;
    std::vector<int> sphere_candidate, ring_candidate;  // how users count them
    std::vector<Touching> touching;
    std::vector<Solid> solids;
    std::vector<int> pairs;  // two solids each

    int n_ground() const { return int(spheres.size() + kRingPoints * rings.size()); }
    int n_pairs() const { return int(pairs.size() / 2); }
    int n_first() const { return n_ground() + kPairPoints * n_pairs(); }
    // second places are counted behind all others, so that these have the same numbers everywhere
    int n_places() const { return ground == GroundKind::profile ? kGroundPlaces : 1; }
    int n_candidates() const { return n_first() + (n_places() - 1) * n_ground(); }
    int pair_candidate(int pair) const { return n_ground() + kPairPoints * pair; }
    int candidate(int first, int place) const { return first + place * n_first(); }
};

}  // namespace tarsus
