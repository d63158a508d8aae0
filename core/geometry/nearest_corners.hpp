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
            if (count_ > 0 && (vv - ahead <= kPrecise * vv || has(next))) break;
            Difference kept[4];
            double kept_share[4];
            std::copy(simplex_, simplex_ + count_, kept);
            std::copy(share_, share_ + count_, kept_share);
            const int kept_count = count_;
            simplex_[count_++] = next;
            const Point nearer = reduce();
            const double here = dot(nearer, nearer);
            if (count_ == 4 || here <= tiny) {
                v = Point{0.0, 0.0, 0.0};
                break;
            }
            if (!(here < square)) {  // as near as numbers tell
                std::copy(kept, kept + kept_count, simplex_);
                std::copy(kept_share, kept_share + kept_count, share_);
                count_ = kept_count;
                break;
            }
            v = nearer, square = here;
        }
        on_a = on_b = Point{0.0, 0.0, 0.0};
        for (int k = 0; k < count_; ++k) {
            on_a = on_a + a[simplex_[k].a] * share_[k];
            on_b = on_b + b[simplex_[k].b] * share_[k];
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

    bool has(const Difference& next) const {
        return std::any_of(simplex_, simplex_ + count_, [&](const Difference& each) {
            return each.a == next.a && each.b == next.b;
        });
    }

    void keep(std::initializer_list<int> which, std::initializer_list<double> shares) {
        Difference left[4];
        int n = 0;
        for (int k : which) left[n++] = simplex_[k];
        std::copy(left, left + n, simplex_);
        std::copy(shares.begin(), shares.end(), share_);
        count_ = n;
    }
    Point sum() const {
        Point p{0.0, 0.0, 0.0};
        for (int k = 0; k < count_; ++k) p = p + simplex_[k].way * share_[k];
        return p;
    }

    // leaves the corners that the point of the simplex which is nearest to the origin needs
    Point reduce() {
        if (count_ == 1) share_[0] = 1;
        if (count_ == 2) on_line(0, 1);
        if (count_ == 3) on_triangle(0, 1, 2);
        if (count_ == 4) in_tetrahedron();
        return sum();
    }
    void on_line(int i, int j) {
        const Point &p = simplex_[i].way, way = simplex_[j].way - p;
        const double size = dot(way, way), t = size > 0 ? -dot(p, way) / size : 0.0;
        if (t <= 0) keep({i}, {1.0});
        else if (t >= 1) keep({j}, {1.0});
        else keep({i, j}, {1 - t, t});
    }
    // C. Ericson, "Real-time collision detection", 2005, section 5.1.5
    void on_triangle(int i, int j, int k) {
        const Point &a = simplex_[i].way, &b = simplex_[j].way, &c = simplex_[k].way;
        const Point ab = b - a, ac = c - a;
        const double d1 = -dot(ab, a), d2 = -dot(ac, a), d3 = -dot(ab, b), d4 = -dot(ac, b);
        const double d5 = -dot(ab, c), d6 = -dot(ac, c);
        const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
        const double area = va + vb + vc;
        if (d1 <= 0 && d2 <= 0) return keep({i}, {1.0});
        if (d3 >= 0 && d4 <= d3) return keep({j}, {1.0});
        if (d6 >= 0 && d5 <= d6) return keep({k}, {1.0});
        if (vc <= 0 && d1 >= 0 && d3 <= 0) return on_line(i, j);
        if (vb <= 0 && d2 >= 0 && d6 <= 0) return on_line(i, k);
        if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) return on_line(j, k);
        if (!(area > 0)) return on_line(i, j);
        keep({i, j, k}, {va / area, vb / area, vc / area});
    }
    // the nearest of the faces that the origin is outside of; all four stay where it is inside
    void in_tetrahedron() {
        constexpr int kFaces[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}, {0, 2, 3, 1}, {1, 2, 3, 0}};
        Difference all[4], best[3];
        std::copy(simplex_, simplex_ + 4, all);
        double best_share[3], least = kFar;
        int best_count = 0;
        for (const auto& face : kFaces) {
            const Point &p = all[face[0]].way, u = all[face[1]].way - p, w = all[face[2]].way - p;
            const Point out = cross(u, w);
            const double side = dot(out, all[face[3]].way - p);
            // what is flat has the origin outside of all its faces
            if (side != 0 && -dot(out, p) * side > 0) continue;
            for (int i = 0; i < 3; ++i) simplex_[i] = all[face[i]];
            count_ = 3;
            on_triangle(0, 1, 2);
            const Point found = sum();
            const double here = dot(found, found);
            if (here >= least) continue;
            least = here, best_count = count_;
            std::copy(simplex_, simplex_ + count_, best);
            std::copy(share_, share_ + count_, best_share);
        }
        if (best_count == 0) {
            std::copy(all, all + 4, simplex_);
            std::fill(share_, share_ + 4, 0.25);
            count_ = 4;
            return;
        }
        std::copy(best, best + best_count, simplex_);
        std::copy(best_share, best_share + best_count, share_);
        count_ = best_count;
    }

    Difference simplex_[4];
    double share_[4];
    int count_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
