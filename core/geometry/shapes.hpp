// What may touch, as plain arrays: points, rims and ellipsoids of bodies on the ground, solids in
// pairs.
//
// A candidate is a place that may touch: a sphere (or point) on a body, the rim of a cylinder or a
// torus, or an ellipsoid against the ground, or one of several places where two solids may meet.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "model/tree.hpp"

namespace tarsus {

enum class GroundKind : int { none, plane, profile, height_field, smooth };
enum class SolidKind : int { sphere, capsule, box, ellipsoid, torus, triangle, hull };
constexpr int kSolidNumbers = 4;
constexpr int kMostCorners = 256;  // of a hull

constexpr int kRingPoints = 3, kPairPoints = 8;
constexpr int kGroundPlaces = 2;  // of what touches a profile or a smooth ground

// in the core's frame of its body
struct Sphere {
    int body;
    double position[3], radius;
};
struct Ring {
    int body;
    double position[3], axis[3], across[3], radius;  // across: a unit vector in its plane
    double tube;                                     // the radius of the tube of a torus, or 0
};
struct Ellipsoid {
    int body;
    FrameOnBody on;
    double half_axes[3];

    double reach() const { return std::max({half_axes[0], half_axes[1], half_axes[2]}); }
};
// A convex solid with flat faces. Loops of faces are counterclockwise, seen from outside.
struct Hull {
    struct Edge {
        int from, to, left, right;  // corners, and the faces on both sides
    };

    std::vector<double> corners;               // x, y, z each
    std::vector<int> face_start, face_corner;  // where each loop starts, and their ends; corners
    std::vector<double> planes;                // of each face: unit normal, and its height along it
    std::vector<Edge> edges;

    int n_corners() const { return int(corners.size() / 3); }
    int n_faces() const { return int(planes.size() / 4); }
};
struct Solid {
    int body;  // −1 for the world
    SolidKind kind;
    FrameOnBody on;
    // sphere: radius; capsule: radius, length; box: half edges; ellipsoid: half axes; torus: radii
    // of its circle about z and of its tube; triangle: radius, x of two corners, y of the third
    double size[kSolidNumbers];
    double reach;                      // radius of a ball around it
    std::shared_ptr<const Hull> hull;  // of a hull
};

// the candidates on one body, and a ball that holds them
struct Touching {
    int body;
    int sphere, n_spheres, ring, n_rings, ellipsoid, n_ellipsoids;
    double center[3], radius;
};

// another solid that may touch a solid, and which pair they are
struct Partner {
    int solid, pair;
};

struct Shapes {
    GroundKind ground = GroundKind::none;
    std::vector<double> ground_numbers;

    std::vector<Sphere> spheres;  // ordered by body
    std::vector<Ring> rings;
    std::vector<Ellipsoid> ellipsoids;
    std::vector<int> sphere_candidate, ring_candidate, ellipsoid_candidate;  // how users count them
    std::vector<Touching> touching;
    std::vector<Solid> solids;
    std::vector<int> pairs;  // two solids each
    // the partners of each solid with higher numbers, in their order: those of solid k from
    // first_partner[k] on
    std::vector<Partner> partners;
    std::vector<int> first_partner;

    int n_ground() const {
        return int(spheres.size() + kRingPoints * rings.size() + ellipsoids.size());
    }
    int n_pairs() const { return int(pairs.size() / 2); }
    int n_first() const { return n_ground() + kPairPoints * n_pairs(); }
    // second places are counted behind all others, so that these have the same numbers everywhere
    int n_places() const {
        return ground == GroundKind::profile || ground == GroundKind::smooth ? kGroundPlaces : 1;
    }
    int n_candidates() const { return n_first() + (n_places() - 1) * n_ground(); }
    int pair_candidate(int pair) const { return n_ground() + kPairPoints * pair; }
    int candidate(int first, int place) const { return first + place * n_first(); }
};

}  // namespace tarsus
