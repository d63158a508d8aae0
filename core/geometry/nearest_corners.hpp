// The nearest points of two convex sets, each the hull of some corners: E. Gilbert, D. Johnson, S.
// Keerthi, "A fast procedure for computing the distance between complex objects in
// three-dimensional space", IEEE Journal on Robotics and Automation 4, 1988.
//
// A simplex of differences of corners comes nearer to the origin from step to step, until no corner
// lies farther that way.
#pragma once

#include "geometry/polytope.hpp"

namespace tarsus::TARSUS_ISA {

class NearestCorners {
   public:
    double distance = 0;  // 0 where they meet; a bound from below where that is above the margin
    bool beyond = false;  // farther apart than the margin
    Point on_a, on_b;
    Point normal{0.0, 0.0, 1.0};  // from b to a, where they are apart

    NearestCorners(const Point* a, int n_a, const Point* b, int n_b, double margin) {
        Point v = a[0] - b[0];
        double square = kFar;
        const double tiny = squared(kMeet);
        for (int k = 0; k < kSteps; ++k) {
            const Lowest from_a(a, n_a, v), from_b(b, n_b, -v);
            const Difference next{a[from_a.at] - b[from_b.at], from_a.at, from_b.at};
            const double vv = dot(v, v), ahead = dot(v, next.way);
            if (ahead > 0 && squared(ahead) > squared(margin) * vv) {
                beyond = true, distance = ahead / std::sqrt(vv);
                return;
            }
            if (of_.count > 0 && (vv - ahead <= kPrecise * vv || has(next))) break;
            const Simplex before = of_;
            of_.at[of_.count++] = next;
            const Point nearer = reduce();
            const double here = dot(nearer, nearer);
            if (of_.count == 4 || here <= tiny) {
                v = Point{0.0, 0.0, 0.0};
                break;
            }
            if (!(here < square)) {  // as near as numbers tell
                of_ = before;
                break;
            }
            v = nearer, square = here;
        }
        on_a = on_b = Point{0.0, 0.0, 0.0};
        for (int k = 0; k < of_.count; ++k) {
            on_a = on_a + a[of_.at[k].a] * of_.share[k];
            on_b = on_b + b[of_.at[k].b] * of_.share[k];
        }
        distance = length(v);
        if (distance > 0) normal = v * (1 / distance);
    }

   private:
    static constexpr int kSteps = 128;
    static constexpr double kPrecise = 1e-14;
    static constexpr double kMeet = 1e-12;  // [m] what is nearer meets

    struct Difference {
        Point way;
        int a, b;
    };
    // some of these, and how much each counts in the point that is nearest to the origin
    struct Simplex {
        Difference at[4] = {};
        double share[4] = {};
        int count = 0;
    };

    bool has(const Difference& next) const {
        return std::any_of(of_.at, of_.at + of_.count, [&](const Difference& each) {
            return each.a == next.a && each.b == next.b;
        });
    }

    // leaves some corners of a simplex, with the shares that they have in a point of it
    void keep(const Simplex& all, std::initializer_list<int> which,
              std::initializer_list<double> shares) {
        of_.count = 0;
        for (int k : which) of_.at[of_.count++] = all.at[k];
        std::copy(shares.begin(), shares.end(), of_.share);
    }
    Point sum() const {
        Point p{0.0, 0.0, 0.0};
        for (int k = 0; k < of_.count; ++k) p = p + of_.at[k].way * of_.share[k];
        return p;
    }

    // leaves the corners that the point of the simplex which is nearest to the origin needs
    Point reduce() {
        const Simplex all = of_;
        if (all.count == 1) of_.share[0] = 1;
        if (all.count == 2) on_line(all, 0, 1);
        if (all.count == 3) on_triangle(all, 0, 1, 2);
        if (all.count == 4) in_tetrahedron(all);
        return sum();
    }
    void on_line(const Simplex& all, int i, int j) {
        const Point &p = all.at[i].way, way = all.at[j].way - p;
        const double size = dot(way, way), t = size > 0 ? -dot(p, way) / size : 0.0;
        if (t <= 0) keep(all, {i}, {1.0});
        else if (t >= 1) keep(all, {j}, {1.0});
        else keep(all, {i, j}, {1 - t, t});
    }
    // C. Ericson, "Real-time collision detection", 2005, section 5.1.5
    void on_triangle(const Simplex& all, int i, int j, int k) {
        const Point &a = all.at[i].way, &b = all.at[j].way, &c = all.at[k].way;
        const Point ab = b - a, ac = c - a;
        const double d1 = -dot(ab, a), d2 = -dot(ac, a), d3 = -dot(ab, b), d4 = -dot(ac, b);
        const double d5 = -dot(ab, c), d6 = -dot(ac, c);
        const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
        const double area = va + vb + vc;
        if (d1 <= 0 && d2 <= 0) return keep(all, {i}, {1.0});
        if (d3 >= 0 && d4 <= d3) return keep(all, {j}, {1.0});
        if (d6 >= 0 && d5 <= d6) return keep(all, {k}, {1.0});
        if (vc <= 0 && d1 >= 0 && d3 <= 0) return on_line(all, i, j);
        if (vb <= 0 && d2 >= 0 && d6 <= 0) return on_line(all, i, k);
        if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return on_line(all, j, k);
        if (!(area > 0)) return on_line(all, i, j);
        keep(all, {i, j, k}, {va / area, vb / area, vc / area});
    }
    // the nearest of the faces that the origin is outside of; all four stay where it is inside
    void in_tetrahedron(const Simplex& all) {
        constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        Simplex best = all;
        std::fill(best.share, best.share + 4, 0.25);  // any point inside
        double least = kFar;
        for (const auto& face : kFaces) {
            const Point &p = all.at[face[0]].way, u = all.at[face[1]].way - p,
                        w = all.at[face[2]].way - p;
            const Point out = cross(u, w);
            const double side = dot(out, all.at[face[3]].way - p);
            // what is flat has the origin outside of all its faces
            if (side != 0 && -dot(out, p) * side > 0) continue;
            on_triangle(all, face[0], face[1], face[2]);
            const Point found = sum();
            const double here = dot(found, found);
            if (here < least) least = here, best = of_;
        }
        of_ = best;
    }

    Simplex of_;
};

}  // namespace tarsus::TARSUS_ISA
