// Where a triangle with round edges touches spheres, capsules, triangles, boxes and ellipsoids.
//
// All but the last are corners and edges with a radius around them. They touch where a corner of
// one is nearest to the other and where two edges cross: whatever lies flat on a face does so in
// all corners of what both share. Any two points of what is swept over must stay as far apart as
// both radii say, so places too many do no harm.
//
// Where what is swept over meets, those places lead to both sides. Then there is one, in the
// direction in which they come apart.
#pragma once

#include "geometry/solid_gaps.hpp"

namespace tarsus::TARSUS_ISA {

// corners, edges by their numbers, and the radius around them
struct Outline {
    int n_corners = 0, n_edges = 0;
    Point corner[8];
    int edge[12][2];
    double radius = 0;

    SweptCore<double, 2> line(int i) const {
        const Point ends[2] = {corner[edge[i][0]], corner[edge[i][1]]};
        return swept_core(ends);
    }
};

inline Point box_corner(const PlacedSolid& box, int k) {
    const double* h = box.solid->size;
    const Point local{k & 1 ? h[0] : -h[0], k & 2 ? h[1] : -h[1], k & 4 ? h[2] : -h[2]};
    return box.pose.position + box.pose.rotation * local;
}

inline Outline outline_of(const PlacedSolid& s) {
    Outline out;
    const auto join = [&](int i, int j) {
        out.edge[out.n_edges][0] = i, out.edge[out.n_edges++][1] = j;
    };
    if (s.kind() == SolidKind::box) {
        for (; out.n_corners < 8; ++out.n_corners) {
            out.corner[out.n_corners] = box_corner(s, out.n_corners);
        }
        for (int i = 0; i < 8; ++i) {
            for (int bit : {1, 2, 4}) {
                if (!(i & bit)) join(i, i | bit);
            }
        }
        return out;
    }
    out.radius = s.solid->size[0];
    if (s.kind() == SolidKind::triangle) {
        Point corner[3];
        corners_of(s, corner);
        for (; out.n_corners < 3; ++out.n_corners)
            out.corner[out.n_corners] = corner[out.n_corners];
        join(0, 1), join(1, 2), join(2, 0);
    } else {
        out.corner[out.n_corners++] = end_of(s, -1);
        if (s.kind() == SolidKind::capsule && s.solid->size[1] > 0) {
            out.corner[out.n_corners++] = end_of(s, 1);
            join(0, 1);
        }
    }
    return out;
}

class TriangleTouches {
   public:
    // `at` has kPairPoints touches that are far away, and stay so where the solids are farther
    // apart than `margin` [m]; normals point from the triangle to the other, times `sign`
    TriangleTouches(const PlacedSolid& other, const PlacedSolid& triangle, double sign,
                    double margin, Touch<double>* at)
        : other_(other),
          a_(outline_of(other)),
          b_(outline_of(triangle)),
          face_(face_of(triangle)),
          box_(other.kind() == SolidKind::box) {
        const bool met = meet();
        if (apart_ > a_.radius + b_.radius + margin) return;
        if (!met) {
            for (int i = 0; i < a_.n_corners; ++i) {
                put(touch_at(a_.corner[i], a_.radius, gap_to(triangle, a_.corner[i])));
            }
            for (int i = 0; i < b_.n_corners && a_.n_corners > 1; ++i) on_other(b_.corner[i]);
            for (int i = 0; i < a_.n_edges; ++i) {
                for (int j = 0; j < b_.n_edges; ++j) cross_edges(a_.line(i), b_.line(j));
            }
            for (int i = 0; i < b_.n_edges && box_; ++i) deepest(b_.line(i));
        }
        keep(at);
        for (int k = 0; k < kPairPoints; ++k) at[k].normal = at[k].normal * sign;
    }

   private:
    // eight corners, three others, 36 pairs of edges, three edges
    static constexpr int kMost = 50;
    // edges that cross nearer to their ends than this are met by corners
    static constexpr double kEnd = 1e-9;
    // edges whose sine, squared, is below this are parallel: their corners meet them
    static constexpr double kAlongside = 1e-12;

    void put(const Touch<double>& touch) { found_[count_++] = touch; }

    // a point of the triangle on the other solid
    void on_other(const Point& p) { put(touch_at(p, b_.radius, gap_to(other_, p), -1)); }

    void cross_edges(const SweptCore<double, 2>& a, const SweptCore<double, 2>& b) {
        const Point across = cross(a.e.along, b.e.along);
        if (!(dot(across, across) > kAlongside * a.e.square * b.e.square)) return;
        const EdgePair<double> at = nearest_edges(a.e, b.e, b.origin - a.origin);
        const auto at_end = [](double s) { return s < kEnd || s > 1 - kEnd; };
        if (at_end(at.s) || at_end(at.t)) return;
        const Point p = b.origin + b.e.along * at.t;
        // a box has an inside: the nearest of its surface is not always on that edge
        if (box_) on_other(p);
        else
            put(touch_at(p, b_.radius, gap_to_point(p, a.origin + a.e.along * at.s, a_.radius),
                         -1));
    }

    // the point of an edge of the triangle that is nearest to a box, or deepest in it
    void deepest(const SweptCore<double, 2>& edge) {
        const double t = deepest_on_box(other_, edge.origin, edge.origin + edge.e.along);
        if (t > 0.01 && t < 0.99) on_other(edge.origin + edge.e.along * t);
    }

    // Where what is swept over meets; of a box the edges that go through the face.
    bool meet() {
        if (a_.n_corners == 3) {
            const Point corner[3] = {a_.corner[0], a_.corner[1], a_.corner[2]};
            return come_apart(swept_distance(swept_core(corner), 0.0, face_, 0.0));
        }
        for (int i = 0; i < a_.n_edges; ++i) {
            const SweptDistance<double> found = swept_distance(a_.line(i), 0.0, face_, 0.0);
            if (!box_) return come_apart(found);
            if (found.distance > 0) continue;
            const Point normal = meeting::face_of(face_);
            const double side = dot(normal, other_.pose.position - middle_of(face_));
            put({-b_.radius, found.b, side < 0 ? -normal : normal});
            return true;
        }
        return false;
    }
    bool come_apart(const SweptDistance<double>& found) {
        apart_ = found.distance;
        if (apart_ > 0) return false;
        put({-a_.radius - b_.radius, found.b, -found.n});
        return true;
    }

    // Of those that are found the nearest, in their order; what is in the place of another that is
    // before it comes last, so that few features do not take the room of others.
    void keep(Touch<double>* at) {
        double size = 0;
        for (int i = 0; i < 3; ++i) size = std::max(size, length(b_.corner[i] - b_.corner[0]));
        bool again[kMost] = {};
        int order[kMost];
        for (int k = 0; k < count_; ++k) {
            order[k] = k;
            for (int j = 0; j < k && !again[k]; ++j) {
                again[k] = !again[j] && length(found_[k].point - found_[j].point) < 1e-6 * size;
            }
        }
        std::stable_sort(order, order + count_, [&](int i, int j) {
            return again[i] != again[j] ? again[j] : found_[i].gap < found_[j].gap;
        });
        const int kept = std::min(count_, kPairPoints);
        std::sort(order, order + kept);
        for (int k = 0; k < kept; ++k) at[k] = found_[order[k]];
    }

    const PlacedSolid& other_;
    const Outline a_, b_;
    const SweptCore<double, 3> face_;
    const bool box_;
    Touch<double> found_[kMost];
    int count_ = 0;
    double apart_ = 0;  // how far what is swept over is apart at least [m]
};

// A triangle with round edges on an ellipsoid: the ellipsoid's lowest point against the face if it
// is over that, else the nearest of each edge. `at` has touches that are far away.
class TriangleOnEllipsoid {
   public:
    TriangleOnEllipsoid(const PlacedSolid& triangle, const PlacedSolid& ellipsoid,
                        Touch<double>* at) {
        const double radius = triangle.solid->size[0];
        Point corner[3];
        corners_of(triangle, corner);
        const SweptCore<double, 3> face = swept_core(corner);
        Point out = meeting::face_of(face);
        if (dot(out, ellipsoid.pose.position - face.origin) < 0) out = -out;
        const EllipsoidOnBody<double> map{ellipsoid.solid->size, ellipsoid.pose};
        const Point low = map.point(-out), over = low - face.origin;
        if (dot(out, out) > 0 && inside_square(over_face(face, over)) < kOutside) {
            const double gap = dot(out, over) - radius;
            at[0] = {gap, low - out * (gap / 2), -out};
            return;
        }
        for (int i = 0; i < 3; ++i) {
            const Point &from = corner[i], &to = corner[(i + 1) % 3];
            const Point p = along(from, to, nearest_on_ellipsoid(ellipsoid, from, to));
            at[i] = touch_at(p, radius, gap_to_ellipsoid(ellipsoid, p));
        }
    }
};

}  // namespace tarsus::TARSUS_ISA
