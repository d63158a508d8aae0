// Where a hull touches boxes, hulls, spheres, capsules, ellipsoids, and triangles with round edges.
//
// Solids with flat faces that are apart touch where they are nearest. Those that nearly touch do so
// along the axis of least overlap: with the corners of what two faces share, or where two edges
// cross. Round ones touch with their ends, and where their axis is nearest.
#include "geometry/hull_touches.hpp"

#include "geometry/face_touches.hpp"
#include "geometry/hull_on_ellipsoid.hpp"
#include "geometry/nearest_corners.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

class FlatTouches {
   public:
    // normals from b to a
    FlatTouches(const PlacedSolid& first, const PlacedSolid& second, double margin,
                Touch<double>* at)
        : a_(first), b_(second) {
        const NearestCorners near(a_.corner, a_.n_corners, b_.corner, b_.n_corners,
                                  std::max(margin, kNearFace));
        if (near.beyond) return;
        if (near.distance > kNearFace) {
            at[0] = between(near);
            return;
        }
        const FaceAxis face = best_face(a_, b_, near.on_a, near.on_b);
        const double room = std::max(kNearFace, -face.gap);
        const EdgeAxis edge = EdgeAxes(a_, b_, face.gap, room).best;
        if (edge.a) {
            if (on_edges(edge, at[0])) return;
        } else {
            const FaceTouches found(face.of_a ? a_ : b_, face, face.of_a ? b_ : a_,
                                    face.of_a ? -1.0 : 1.0);
            found.put(at);
            if (found.any()) return;
        }
        at[0] = near.distance > kSure ? between(near) : at_corner(face);
    }

   private:
    // [m] from nearer points no normal is taken
    static constexpr double kSure = 1e-9;

    static Touch<double> between(const NearestCorners& near) {
        return {near.distance, (near.on_a + near.on_b) * 0.5, near.normal};
    }
    // where two edges cross; false if they pass each other beyond an end
    bool on_edges(const EdgeAxis& axis, Touch<double>& touch) const {
        const Point &p = a_.corner[axis.a->from], &q = b_.corner[axis.b->from];
        const Point u = a_.edge_way(*axis.a), w = b_.edge_way(*axis.b), r = p - q;
        const double uu = dot(u, u), uw = dot(u, w), ww = dot(w, w);
        const double determinant = uu * ww - uw * uw;
        const double s = (uw * dot(w, r) - ww * dot(u, r)) / determinant;
        const double t = (uu * dot(w, r) - uw * dot(u, r)) / determinant;
        if (!(s >= 0 && s <= 1 && t >= 0 && t <= 1)) return false;
        touch = {axis.gap, ((p + u * s) + (q + w * t)) * 0.5, -axis.normal};
        return true;
    }
    // the corner that is deepest under a face
    Touch<double> at_corner(const FaceAxis& face) const {
        const Polytope& other = face.of_a ? b_ : a_;
        const Point p = other.corner[Lowest(other.corner, other.n_corners, face.normal).at];
        return {face.gap, p - face.normal * (face.gap / 2), face.normal * (face.of_a ? -1.0 : 1.0)};
    }

    const Polytope a_, b_;
};

// The ends of a sphere or capsule on a hull, and the point of its axis that is nearest.
void round_on_hull(const PlacedSolid& round, const PlacedSolid& hull, double margin,
                   Touch<double>* at) {
    const double radius = round.solid->size[0];
    const Point ends[2] = {end_of(round, -1), end_of(round, 1)};
    const int count = length(ends[1] - ends[0]) > 0 ? 2 : 1;
    const Polytope solid(hull);
    const NearestCorners near(ends, count, solid.corner, solid.n_corners, margin + radius);
    if (near.beyond) return;
    for (int k = 0; k < count; ++k) at[k] = touch_at(ends[k], radius, gap_to_hull(hull, ends[k]));
    if (count == 1) return;
    // inside, how deep a point is falls and rises only once along the axis
    double t = closest_on_segment(near.on_a, ends[0], ends[1]);
    if (!(near.distance > 0)) {
        double low = 0, high = 1;
        for (int i = 0; i < 40; ++i) {
            const double x = low + (high - low) / 3, y = high - (high - low) / 3;
            const bool left = gap_to_hull(hull, along(ends[0], ends[1], x)).gap <=
                              gap_to_hull(hull, along(ends[0], ends[1], y)).gap;
            (left ? high : low) = left ? y : x;
        }
        t = (low + high) / 2;
    }
    const Point p = along(ends[0], ends[1], t);
    if (t > 0.01 && t < 0.99) at[2] = touch_at(p, radius, gap_to_hull(hull, p));
}

// The corners of a triangle on a hull, the nearest points of both, and corners of the hull's face
// that looks at the triangle.
void triangle_on_hull(const PlacedSolid& triangle, const PlacedSolid& hull, double margin,
                      Touch<double>* at) {
    const double radius = triangle.solid->size[0];
    Point corner[3];
    corners_of(triangle, corner);
    const Polytope solid(hull);
    const NearestCorners near(corner, 3, solid.corner, solid.n_corners, margin + radius);
    if (near.beyond) return;
    int n = 0;
    for (const Point& p : corner) at[n++] = touch_at(p, radius, gap_to_hull(hull, p));
    Point normal = near.normal;
    if (near.distance > 0) {
        const double gap = near.distance - radius;
        at[n++] = {gap, near.on_b + normal * (gap / 2), normal};
    } else {
        normal = at[std::min_element(at, at + 3,
                                     [](const Touch<double>& x, const Touch<double>& y) {
                                         return x.gap < y.gap;
                                     }) -
                    at]
                     .normal;
    }
    int face = 0;
    for (int f = 1; f < solid.shape.n_faces(); ++f) {
        if (dot(solid.plane(f).normal, normal) > dot(solid.plane(face).normal, normal)) face = f;
    }
    for (int i = 0; i < solid.n_in_loop(face) && n < kPairPoints; ++i) {
        const Point& p = solid.in_loop(face, i);
        at[n++] = touch_at(p, 0.0, gap_to_triangle(triangle, p), -1.0);
    }
}

}  // namespace

void hull_touches(const PlacedSolid& other, const PlacedSolid& hull, double sign, double margin,
                  Touch<double>* at) {
    switch (other.kind()) {
        case SolidKind::box:
        case SolidKind::hull:
            FlatTouches(other, hull, margin, at);
            break;
        case SolidKind::ellipsoid:
            at[0] = HullOnEllipsoid(hull, other).touch;
            at[0].normal = -at[0].normal;
            break;
        case SolidKind::triangle:
            triangle_on_hull(other, hull, margin, at);
            break;
        default:
            round_on_hull(other, hull, margin, at);
    }
    for (int k = 0; k < kPairPoints; ++k) at[k].normal = at[k].normal * sign;
}

}  // namespace tarsus::TARSUS_ISA
