// A smooth surface as it is stated: a kind and its numbers [m].
//
//   kind         numbers              the surface, in its own frame
//   plane                             z = 0
//   sphere       radius               about the origin
//   ellipsoid    rx, ry, rz           half axes along x, y, z
//   disc         radius               the rim: a circle about z, without thickness
//   torus        major, minor         a tube of radius `minor` about a circle of radius `major`
//   paraboloid   a, b                 z = a x² + b y²
//   sinusoid     amplitude, frequency   z = amplitude sin(2π frequency y)
//
// A body that rolls is given by its inverse Gauss map (inverse_gauss.hpp), a ground by its height
// (heights.hpp).
#pragma once

#include <string>

namespace tarsus {

enum class SurfaceKind : int { plane, sphere, ellipsoid, disc, torus, paraboloid, sinusoid };
constexpr int kSurfaceKinds = 7, kMostSurfaceNumbers = 3;

struct SurfaceInfo {
    const char* name;
    int numbers;
    bool rolls;   // as a body: closed, with one point for each direction of its normal
    bool ground;  // as a ground: its height is a function of x and y
};
inline constexpr SurfaceInfo kSurfaceInfo[kSurfaceKinds] = {
    {"plane", 0, false, true},    {"sphere", 1, true, true}, {"ellipsoid", 3, true, true},
    {"disc", 1, true, false},     {"torus", 2, true, false}, {"paraboloid", 2, false, true},
    {"sinusoid", 2, false, true},
};

struct Surface {
    SurfaceKind kind = SurfaceKind::plane;
    double numbers[kMostSurfaceNumbers] = {0, 0, 0};
};

}  // namespace tarsus
