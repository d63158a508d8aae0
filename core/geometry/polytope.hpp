// A convex solid with flat faces where it is: a hull, or a box as one.
#pragma once

#include "geometry/solid_gaps.hpp"

namespace tarsus::TARSUS_ISA {

// corners between −1 and 1, which the half edges of a box stretch
inline const Hull& unit_cube() {
    static const Hull cube = [] {
        Hull made;
        for (int k = 0; k < 8; ++k) {
            for (int bit : {1, 2, 4}) made.corners.push_back(k & bit ? 1.0 : -1.0);
        }
        made.planes = {-1, 0, 0, 1, 1, 0, 0, 1, 0, -1, 0, 1, 0, 1, 0, 1, 0, 0, -1, 1, 0, 0, 1, 1};
        made.face_corner = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
        made.face_start = {0, 4, 8, 12, 16, 20, 24};
        // faces: −x 0, x 1, −y 2, y 3, −z 4, z 5
        made.edges = {{0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5},
                      {0, 2, 4, 0}, {1, 3, 1, 4}, {4, 6, 0, 5}, {5, 7, 5, 1},
                      {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}};
        return made;
    }();
    return cube;
}

struct Plane {
    Point normal;
    double height;

    double over(const Point& p) const { return dot(normal, p) - height; }
};

class Polytope {
   public:
    const Hull& shape;
    int n_corners;
    Point corner[kMostCorners];

    explicit Polytope(const PlacedSolid& solid)
        : shape(solid.kind() == SolidKind::hull ? *solid.solid->hull : unit_cube()),
          n_corners(shape.n_corners()),
          pose_(solid.pose) {
        if (solid.kind() == SolidKind::box) half_ = vector_at(solid.solid->size);
        for (int k = 0; k < n_corners; ++k) {
            const Point p = vector_at(&shape.corners[3 * k]);
            corner[k] = pose_.position +
                        pose_.rotation * Point{p.x * half_.x, p.y * half_.y, p.z * half_.z};
        }
    }

    Plane plane(int face) const {
        const double* own = &shape.planes[4 * face];
        const Point n = vector_at(own);
        // normals of a box are along its axes: stretching changes how far out the faces are
        const double stretch =
            std::abs(n.x) * half_.x + std::abs(n.y) * half_.y + std::abs(n.z) * half_.z;
        const Point normal = pose_.rotation * n;
        const double out = &shape == &unit_cube() ? stretch : own[3];
        return {normal, out + dot(normal, pose_.position)};
    }
    Point edge_way(const Hull::Edge& edge) const { return corner[edge.to] - corner[edge.from]; }

    int n_in_loop(int face) const { return shape.face_start[face + 1] - shape.face_start[face]; }
    const Point& in_loop(int face, int i) const {
        return corner[shape.face_corner[shape.face_start[face] + i]];
    }
    // whether a point lies over a face, and not beside it
    bool is_over(int face, const Point& normal, const Point& p) const {
        const int count = n_in_loop(face);
        for (int i = 0; i < count; ++i) {
            const Point &from = in_loop(face, i), &to = in_loop(face, (i + 1) % count);
            if (dot(cross(normal, to - from), p - from) < 0) return false;
        }
        return true;
    }

   private:
    Pose<double> pose_;
    Point half_{1.0, 1.0, 1.0};
};

// how far the lowest of some points is along a direction, and which it is
struct Lowest {
    double height = kFar;
    int at = 0;

    Lowest(const Point* points, int count, const Point& direction) {
        for (int k = 0; k < count; ++k) {
            const double here = dot(points[k], direction);
            if (here < height) height = here, at = k;
        }
    }
};

}  // namespace tarsus::TARSUS_ISA
