// Where two solids touch: spheres, capsules, boxes, ellipsoids, tori, triangles with round edges
// and hulls, with up to kPairPoints places.
//
// Each place has the gap (negative inside), a point half way, and the normal from b to a. Places
// are ordered by the features that make them, so that forces of the last step find theirs again.
#pragma once

#include <algorithm>
#include <span>

#include "geometry/hull_touches.hpp"

namespace tarsus::TARSUS_ISA {

inline const Touch<double>& nearest_of(std::span<const Touch<double>> touches) {
    return *std::min_element(
        touches.begin(), touches.end(),
        [](const Touch<double>& x, const Touch<double>& y) { return x.gap < y.gap; });
}

struct SolidTouches {
    Touch<double> at[kPairPoints];

    // solids that are farther apart than `margin` [m] need not be looked at
    SolidTouches(const PlacedSolid& a, const PlacedSolid& b, double margin);
};

}  // namespace tarsus::TARSUS_ISA
