// The point of a hull that is nearest to an ellipsoid, or deepest in it. The distance is convex: a
// face over which the ellipsoid's lowest point lies has it, else the nearest of all edges, ends
// included.
#pragma once

#include "geometry/polytope.hpp"

namespace tarsus::TARSUS_ISA {

class HullOnEllipsoid {
   public:
    Touch<double> touch;  // the normal out of the ellipsoid

    HullOnEllipsoid(const PlacedSolid& hull, const PlacedSolid& ellipsoid)
        : touch{kFar, hull.pose.position, {0.0, 0.0, 1.0}}, hull_(hull), ellipsoid_(ellipsoid) {
        if (on_faces()) return;
        for (const Hull::Edge& edge : hull_.shape.edges) {
            const Point &from = hull_.corner[edge.from], &to = hull_.corner[edge.to];
            // no point of an edge is nearer than its middle by more than half its length
            const SolidGap middle = gap_to_ellipsoid(ellipsoid_, (from + to) * 0.5);
            if (middle.gap - length(to - from) / 2 >= touch.gap) continue;
            const Point p = along(from, to, nearest_on_ellipsoid(ellipsoid_, from, to));
            const SolidGap found = gap_to_ellipsoid(ellipsoid_, p);
            if (found.gap < touch.gap) touch = touch_at(p, 0.0, found);
        }
    }

   private:
    bool on_faces() {
        const EllipsoidOnBody<double> map{ellipsoid_.solid->size, ellipsoid_.pose};
        double highest = -kFar;
        for (int f = 0; f < hull_.shape.n_faces(); ++f) {
            const Plane plane = hull_.plane(f);
            // a face that the middle is behind has its near side elsewhere
            if (!(plane.over(ellipsoid_.pose.position) > 0)) continue;
            const Point low = map.point(-plane.normal);
            const double gap = plane.over(low);
            if (!(gap > highest) || !hull_.is_over(f, plane.normal, low)) continue;
            highest = gap;
            touch = {gap, low - plane.normal * (gap / 2), -plane.normal};
        }
        return highest > -kFar;
    }

    const Polytope hull_;
    const PlacedSolid& ellipsoid_;
};

}  // namespace tarsus::TARSUS_ISA
