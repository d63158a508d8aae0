#include "geometry/solids.hpp"

#include <span>

#include "geometry/smooth_solids.hpp"
#include "geometry/triangle_touches.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// fills in the touches of one pair of solids; they are far away before
class PairTouches {
   public:
    explicit PairTouches(std::span<Touch<double>, kPairPoints> touches) : at(touches) {}

    void find(const PlacedSolid& a, const PlacedSolid& b, double margin) {
        if (is(a, SolidKind::torus)) TorusTouches(a, b, 1.0, at.data());
        else if (is(b, SolidKind::torus)) TorusTouches(b, a, -1.0, at.data());
        else if (is(b, SolidKind::hull)) hull_touches(a, b, 1.0, margin, at.data());
        else if (is(a, SolidKind::hull)) hull_touches(b, a, -1.0, margin, at.data());
        else if (is(a, SolidKind::ellipsoid)) on_ellipsoid(b, a, -1.0);
        else if (is(b, SolidKind::ellipsoid)) on_ellipsoid(a, b, 1.0);
        else if (is(b, SolidKind::triangle)) TriangleTouches(a, b, 1.0, margin, at.data());
        else if (is(a, SolidKind::triangle)) TriangleTouches(b, a, -1.0, margin, at.data());
        else if (is_box(a) && is_box(b)) boxes(a, b);
        else if (is_box(b)) round_on_box(a, b, 1.0);
        else if (is_box(a)) round_on_box(b, a, -1.0);
        else capsules(a, b);
    }

   private:
    static bool is(const PlacedSolid& s, SolidKind kind) { return s.kind() == kind; }
    static bool is_box(const PlacedSolid& s) { return is(s, SolidKind::box); }

    // a place between two points with radii; `fallback` where the points coincide
    void between(int k, const Point& a, double ra, const Point& b, double rb, double sign,
                 const Point& fallback) {
        const Point apart = a - b;
        const double distance = length(apart);
        const Point normal = distance > 1e-12 ? apart * (1 / distance) : fallback;
        const double gap = distance - ra - rb;
        at[k] = {gap, b + normal * (rb + gap / 2), normal * sign};
    }

    // the ends of each on the other, and the place where two axes cross
    void capsules(const PlacedSolid& a, const PlacedSolid& b) {
        const Point a0 = end_of(a, -1), a1 = end_of(a, 1), b0 = end_of(b, -1), b1 = end_of(b, 1);
        const double ra = a.solid->size[0], rb = b.solid->size[0];
        const Point up{0.0, 0.0, 1.0};
        const bool point_a = length(a1 - a0) == 0, point_b = length(b1 - b0) == 0;
        const auto end_on = [&](int k, const Point& end, const Point& c, const Point& d,
                                bool of_a) {
            const Point on = along(c, d, closest_on_segment(end, c, d));
            if (of_a) between(k, end, ra, on, rb, 1.0, up);
            else between(k, on, ra, end, rb, 1.0, up);
        };
        end_on(0, a0, b0, b1, true);
        if (!point_a) end_on(1, a1, b0, b1, true);
        if (point_a || point_b) {
            if (!point_b) return;
            if (!point_a) at[0].gap = at[1].gap = kFar;
            end_on(2, b0, a0, a1, false);
            if (point_a) at[2].gap = kFar;  // the same place as 0
            return;
        }
        end_on(2, b0, a0, a1, false);
        end_on(3, b1, a0, a1, false);
        const Point u = a1 - a0, w = b1 - b0, r = a0 - b0;
        const double uu = dot(u, u), uw = dot(u, w), ww = dot(w, w), ur = dot(u, r), wr = dot(w, r);
        const double determinant = uu * ww - uw * uw;
        if (determinant <= 1e-12 * uu * ww) return;
        const double s = (uw * wr - ww * ur) / determinant, t = (uu * wr - uw * ur) / determinant;
        if (s <= 0 || s >= 1 || t <= 0 || t >= 1) return;
        between(4, along(a0, a1, s), ra, along(b0, b1, t), rb, 1.0, up);
    }

    void on_box(int k, const Point& center, double radius, const PlacedSolid& box, double sign) {
        at[k] = touch_at(center, radius, gap_to_box(box, center));
        at[k].normal = at[k].normal * sign;
    }

    // whatever is no torus on an ellipsoid: the ends of a capsule, and the point of its axis that
    // is nearest, at which the distance changes from falling to rising
    void on_ellipsoid(const PlacedSolid& other, const PlacedSolid& ellipsoid, double sign) {
        if (is_box(other)) {
            at[0] = BoxOnEllipsoid(other, ellipsoid).touch;
        } else if (is(other, SolidKind::ellipsoid)) {
            at[0] = EllipsoidTouch(other, ellipsoid).touch;
        } else if (is(other, SolidKind::triangle)) {
            TriangleOnEllipsoid(other, ellipsoid, at.data());
        } else {
            const double radius = other.solid->size[0];
            const Point from = end_of(other, -1), to = end_of(other, 1);
            at[0] = touch_at(from, radius, gap_to_ellipsoid(ellipsoid, from));
            if (length(to - from) > 0) {
                at[1] = touch_at(to, radius, gap_to_ellipsoid(ellipsoid, to));
                const double t = nearest_on_ellipsoid(ellipsoid, from, to);
                const Point p = along(from, to, t);
                if (t > 0.01 && t < 0.99) {
                    at[2] = touch_at(p, radius, gap_to_ellipsoid(ellipsoid, p));
                }
            }
        }
        for (Touch<double>& touch : at) touch.normal = touch.normal * sign;
    }

    // the ends of a capsule and the point of its axis that is nearest to the box
    void round_on_box(const PlacedSolid& round, const PlacedSolid& box, double sign) {
        const double radius = round.solid->size[0];
        const Point from = end_of(round, -1), to = end_of(round, 1);
        on_box(0, from, radius, box, sign);
        if (length(to - from) == 0) return;
        on_box(1, to, radius, box, sign);
        const double t = deepest_on_box(box, from, to);
        if (t > 0.01 && t < 0.99) on_box(2, along(from, to, t), radius, box, sign);
    }

    // Boxes with a face between them: the other's nearest face, clipped to it, if they overlap,
    // nearly touch or what is nearest lies over the face. Else corners of each on the other, the
    // nearest ones, and where two edges meet.
    void boxes(const PlacedSolid& a, const PlacedSolid& b) {
        Face best{-kFar, 0, false};
        for (int i = 0; i < 3; ++i) {
            best = std::max({best, Face{separation(a, b, edge_axis(a, i)), i, true},
                             Face{separation(a, b, edge_axis(b, i)), i, false}},
                            [](const Face& x, const Face& y) { return x.gap < y.gap; });
        }
        const Touch<double> crossing = edges(a, b, best.gap);
        if (crossing.gap == kFar) {
            const bool of_a = best.of_a;
            const bool over = clip(of_a ? a : b, of_a ? b : a, best.axis, of_a ? -1.0 : 1.0);
            if (over && (best.gap < kNearFace || nearest_of(at).gap < best.gap + 1e-9)) return;
            for (Touch<double>& touch : at) touch.gap = kFar;
        }
        Touch<double> found[17];
        for (int k = 0; k < 8; ++k) {
            on_box(0, box_corner(a, k), 0.0, b, 1.0);
            found[k] = at[0];
            on_box(0, box_corner(b, k), 0.0, a, -1.0);
            found[8 + k] = at[0];
        }
        at[0].gap = kFar;
        found[16] = crossing;
        int order[17];
        for (int k = 0; k < 17; ++k) order[k] = k;
        std::stable_sort(order, order + 17,
                         [&](int i, int j) { return found[i].gap < found[j].gap; });
        std::sort(order, order + kPairPoints);
        for (int k = 0; k < kPairPoints; ++k) at[k] = found[order[k]];
    }

    struct Face {
        double gap;
        int axis;
        bool of_a;
    };

    static double separation(const PlacedSolid& a, const PlacedSolid& b, const Point& n) {
        return std::abs(dot(a.pose.position - b.pose.position, n)) - extent(a, n) - extent(b, n);
    }

    // The face of `base` along its axis i that looks at `other`, and the face of `other` that looks
    // back, clipped to it (Sutherland & Hodgman 1974); sign: of the base's normal on a. False if
    // nothing is left.
    bool clip(const PlacedSolid& base, const PlacedSolid& other, int i, double sign) {
        const Point apart = other.pose.position - base.pose.position;
        const Point n = edge_axis(base, i) * (dot(apart, edge_axis(base, i)) < 0 ? -1.0 : 1.0);
        int face = 0;
        for (int k = 1; k < 3; ++k) {
            if (std::abs(dot(edge_axis(other, k), n)) > std::abs(dot(edge_axis(other, face), n)))
                face = k;
        }
        const int u = (face + 1) % 3, w = (face + 2) % 3;
        const Point& out = edge_axis(other, face);
        const Point middle =
            other.pose.position + out * std::copysign(other.solid->size[face], -dot(out, n));
        const Point eu = edge_axis(other, u) * other.solid->size[u];
        const Point ew = edge_axis(other, w) * other.solid->size[w];
        Point polygon[kPairPoints + 1] = {middle + eu + ew, middle - eu + ew, middle - eu - ew,
                                          middle + eu - ew};
        int count = 4;
        for (int k = 0; k < 3; ++k) {
            if (k == i) continue;
            for (double side : {1.0, -1.0}) {
                const Point normal = edge_axis(base, k) * side;
                const double bound = dot(base.pose.position, normal) + base.solid->size[k];
                count = cut(polygon, count, normal, bound);
            }
        }
        const double top = dot(base.pose.position, n) + base.solid->size[i];
        for (int k = 0; k < count; ++k) {
            const double gap = dot(polygon[k], n) - top;
            at[k] = {gap, polygon[k] - n * (gap / 2), n * sign};
        }
        return count > 0;
    }
    // what is left of a polygon on the inner side of a plane
    static int cut(Point* polygon, int count, const Point& normal, double bound) {
        Point kept[kPairPoints + 1];
        int left = 0;
        for (int k = 0; k < count && left < kPairPoints; ++k) {
            const Point &p = polygon[k], &q = polygon[(k + 1) % count];
            const double over_p = dot(p, normal) - bound, over_q = dot(q, normal) - bound;
            if (over_p <= 0) kept[left++] = p;
            if ((over_p < 0 && over_q > 0) || (over_p > 0 && over_q < 0)) {
                if (left < kPairPoints) kept[left++] = p + (q - p) * (over_p / (over_p - over_q));
            }
        }
        std::copy(kept, kept + left, polygon);
        return left;
    }

    // half extent of a box along an axis
    static double extent(const PlacedSolid& box, const Point& axis) {
        const Point n = transposed_times(box.pose.rotation, axis);
        const double* h = box.solid->size;
        return std::abs(n.x) * h[0] + std::abs(n.y) * h[1] + std::abs(n.z) * h[2];
    }
    static const Point& edge_axis(const PlacedSolid& box, int i) {
        return i == 0 ? box.pose.rotation.x : i == 1 ? box.pose.rotation.y : box.pose.rotation.z;
    }
    // the middle of the edge along axis i that lies farthest in direction n
    static Point edge_middle(const PlacedSolid& box, int i, const Point& n) {
        Point p = box.pose.position;
        for (int k = 0; k < 3; ++k) {
            if (k == i) continue;
            const Point& axis = edge_axis(box, k);
            p = p + axis * std::copysign(box.solid->size[k], dot(axis, n));
        }
        return p;
    }

    // The axis of least overlap (Gottschalk 1996): if it belongs to two edges, clearly more than to
    // the faces, they touch.
    Touch<double> edges(const PlacedSolid& a, const PlacedSolid& b, double least) const {
        const Point apart = a.pose.position - b.pose.position;
        Touch<double> best{kFar, a.pose.position, {0.0, 0.0, 1.0}};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                Point n = cross(edge_axis(a, i), edge_axis(b, j));
                const double size = length(n);
                if (size < 1e-6) continue;
                n = n * ((dot(n, apart) < 0 ? -1.0 : 1.0) / size);
                const double gap = separation(a, b, n);
                if (gap <= least + 1e-6) continue;
                least = gap;
                const Point p = edge_middle(a, i, -n), q = edge_middle(b, j, n);
                const Point &u = edge_axis(a, i), &w = edge_axis(b, j), r = p - q;
                const double uw = dot(u, w), determinant = 1 - uw * uw;
                const double s = (uw * dot(w, r) - dot(u, r)) / determinant;
                const double t = (dot(w, r) - uw * dot(u, r)) / determinant;
                const bool on_edges =
                    std::abs(s) <= a.solid->size[i] && std::abs(t) <= b.solid->size[j];
                best = {on_edges ? gap : kFar, ((p + u * s) + (q + w * t)) * 0.5, n};
            }
        }
        return best;
    }

    const std::span<Touch<double>, kPairPoints> at;
};

}  // namespace

SolidTouches::SolidTouches(const PlacedSolid& a, const PlacedSolid& b, double margin) {
    for (Touch<double>& touch : at) touch = {kFar, a.pose.position, {0.0, 0.0, 1.0}};
    const Point apart = a.pose.position - b.pose.position;
    if (!(dot(apart, apart) <= squared(a.solid->reach + b.solid->reach + margin))) return;
    PairTouches(at).find(a, b, margin);
}

}  // namespace tarsus::TARSUS_ISA
