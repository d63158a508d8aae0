// How far a point is from a hull: the nearest face if it is inside or over that, else the nearest
// corner or edge.
#include "geometry/nearest_corners.hpp"

namespace tarsus::TARSUS_ISA {

SolidGap gap_to_hull(const PlacedSolid& hull, const Point& p) {
    const Polytope solid(hull);
    Plane highest{{0.0, 0.0, 1.0}, 0.0};
    double over = -kFar;
    int face = 0;
    for (int f = 0; f < solid.shape.n_faces(); ++f) {
        const Plane plane = solid.plane(f);
        const double here = plane.over(p);
        if (here > over) over = here, highest = plane, face = f;
    }
    if (over <= 0 || solid.is_over(face, highest.normal, p)) return {over, highest.normal};
    const NearestCorners found(&p, 1, solid.corner, solid.n_corners, kFar);
    if (!(found.distance > 0)) return {over, highest.normal};
    return {found.distance, found.normal};
}

}  // namespace tarsus::TARSUS_ISA
