// Where a hull touches another solid that is no torus: geometry/hull_touches.cpp.
#pragma once

#include "geometry/solid_gaps.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kNearFace = 1e-3;  // [m] faces nearer than this touch as faces

// `at` has kPairPoints touches that are far away, and stay so where the solids are farther apart
// than `margin` [m]; normals point from the hull to the other, times `sign`
void hull_touches(const PlacedSolid& other, const PlacedSolid& hull, double sign, double margin,
                  Touch<double>* at);

}  // namespace tarsus::TARSUS_ISA
