// The axis along which two polytopes are farthest apart or overlap least, among normals of faces
// and of pairs of edges: S. Gottschalk, "Separating axis theorem", 1996. Pairs of edges count where
// their arcs cross on the sphere of normals: D. Gregorius, "The separating axis test between convex
// polyhedra", Game Developers Conference, 2013.
#pragma once

#include "geometry/polytope.hpp"

namespace tarsus::TARSUS_ISA {

struct FaceAxis {
    double gap = -kFar;
    int face = 0;
    bool of_a = false;
    Point normal;  // out of the face
};

// `inside` is any point of the other one, which is not lower than its lowest corner
inline void try_faces(const Polytope& base, const Polytope& other, const Point& inside, bool of_a,
                      FaceAxis& best) {
    for (int f = 0; f < base.shape.n_faces(); ++f) {
        const Plane plane = base.plane(f);
        if (plane.over(inside) <= best.gap) continue;
        const double gap =
            Lowest(other.corner, other.n_corners, plane.normal).height - plane.height;
        if (gap > best.gap) best = {gap, f, of_a, plane.normal};
    }
}

// the face of a or b over which the other is highest, or least deep; points in a and in b
inline FaceAxis best_face(const Polytope& a, const Polytope& b, const Point& in_a,
                          const Point& in_b) {
    FaceAxis best;
    try_faces(a, b, in_b, true, best);
    try_faces(b, a, in_a, false, best);
    return best;
}

// what both may share: the bounds of both, and some room [m] around them
class SharedBounds {
   public:
    SharedBounds(const Polytope& a, const Polytope& b, double room) {
        Point low[2], high[2];
        bounds(a.corner, a.n_corners, low[0], high[0]);
        bounds(b.corner, b.n_corners, low[1], high[1]);
        const Point all{room, room, room};
        low_ = greatest(low[0], low[1]) - all;
        high_ = least(high[0], high[1]) + all;
    }
    bool has(const Point& p, const Point& q) const {
        const Point top = greatest(p, q), bottom = least(p, q);
        return top.x >= low_.x && top.y >= low_.y && top.z >= low_.z && bottom.x <= high_.x &&
               bottom.y <= high_.y && bottom.z <= high_.z;
    }

   private:
    static Point least(const Point& p, const Point& q) {
        return {std::min(p.x, q.x), std::min(p.y, q.y), std::min(p.z, q.z)};
    }
    static Point greatest(const Point& p, const Point& q) {
        return {std::max(p.x, q.x), std::max(p.y, q.y), std::max(p.z, q.z)};
    }
    static void bounds(const Point* points, int count, Point& low, Point& high) {
        low = high = points[0];
        for (int k = 1; k < count; ++k) {
            low = least(low, points[k]), high = greatest(high, points[k]);
        }
    }
    Point low_, high_;
};

struct EdgeAxis {
    double gap;
    const Hull::Edge *a = nullptr, *b = nullptr;
    Point normal{0.0, 0.0, 1.0};  // from a to b
};

// An edge with the normals of the faces on both sides, and their product, along the edge.
struct ArcOfEdge {
    const Hull::Edge* edge;
    Point left, right, across;
};

class EdgeAxes {
   public:
    EdgeAxis best;

    // looks for edges that are farther apart than `least` [m], clearly
    EdgeAxes(const Polytope& a, const Polytope& b, double least, double room) {
        best.gap = least + kClearly;
        const SharedBounds bounds(a, b, room);
        ArcOfEdge of_a[kMostEdges], of_b[kMostEdges];
        const int n_a = arcs(a, bounds, of_a), n_b = arcs(b, bounds, of_b);
        for (int i = 0; i < n_a; ++i) {
            for (int j = 0; j < n_b; ++j) {
                if (cross_on_sphere(of_a[i], of_b[j]))
                    try_edges(a, *of_a[i].edge, b, *of_b[j].edge);
            }
        }
    }

   private:
    static constexpr int kMostEdges = 3 * kMostCorners;
    static constexpr double kClearly = 1e-6;  // [m] or else faces touch
    // edges whose sine, squared, is below this are parallel
    static constexpr double kAlongside = 1e-12;

    static int arcs(const Polytope& of, const SharedBounds& bounds, ArcOfEdge* found) {
        int count = 0;
        for (const Hull::Edge& edge : of.shape.edges) {
            if (!bounds.has(of.corner[edge.from], of.corner[edge.to])) continue;
            const Point left = of.plane(edge.left).normal, right = of.plane(edge.right).normal;
            found[count++] = {&edge, left, right, cross(right, left)};
        }
        return count;
    }

    // the arc of one and that of the other, seen from the opposite side
    static bool cross_on_sphere(const ArcOfEdge& a, const ArcOfEdge& b) {
        const double left = -dot(b.left, a.across), right = -dot(b.right, a.across);
        if (!(left * right < 0)) return false;
        const double mine = dot(a.left, b.across), other = dot(a.right, b.across);
        return mine * other < 0 && left * other > 0;
    }

    void try_edges(const Polytope& a, const Hull::Edge& of_a, const Polytope& b,
                   const Hull::Edge& of_b) {
        const Point u = a.edge_way(of_a), w = b.edge_way(of_b), across = cross(u, w);
        const double square = dot(across, across);
        if (!(square > kAlongside * dot(u, u) * dot(w, w))) return;
        const Plane side = a.plane(of_a.left), other = a.plane(of_a.right);
        const double out = dot(across, side.normal + other.normal) < 0 ? -1.0 : 1.0;
        const Point normal = across * (out / std::sqrt(square));
        const double gap = dot(normal, b.corner[of_b.from] - a.corner[of_a.from]);
        if (gap > best.gap) best = {gap, &of_a, &of_b, normal};
    }
};

}  // namespace tarsus::TARSUS_ISA
