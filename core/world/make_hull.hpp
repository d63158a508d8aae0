// Hulls from what was stated of them: corners, and loops of faces.
#pragma once

#include "geometry/shapes.hpp"

namespace tarsus {

// Corners are counted by hull, their positions and the loops of their faces follow each other.
// Throws std::invalid_argument, naming what is wrong.
std::vector<std::shared_ptr<const Hull>> make_hulls(
    const std::vector<int>& counts, const std::vector<double>& corners,
    const std::vector<std::vector<std::vector<int>>>& faces);

// how far from the origin it reaches [m]
double farthest_corner(const Hull& hull);

}  // namespace tarsus
