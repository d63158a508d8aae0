// Where a torus or an ellipsoid touches another solid.
//
// A torus is a circle with a tube: it touches where the distance of the circle's points from the
// other solid is least. An ellipsoid touches a box in the box's point that is nearest to it, and
// another ellipsoid along the direction in which both are farthest apart or overlap least.
#pragma once

#include "geometry/solid_gaps.hpp"

namespace tarsus::TARSUS_ISA {

// The circle of a torus on another solid: where it is nearest, a third of a turn to both sides, and
// in order of the angle the other places that are nearest among their neighbours. `at` has
// kPairPoints touches that are far away.
class TorusTouches {
   public:
    TorusTouches(const PlacedSolid& torus, const PlacedSolid& other, double sign, Touch<double>* at)
        : torus_(torus), other_(other) {
        double gap[kSamples];
        for (int k = 0; k < kSamples; ++k) gap[k] = gap_to(other_, point(angle(k))).gap;
        double lows[kSamples], least = kFar;
        int n_lows = 0, best = 0;
        for (int k = 0; k < kSamples; ++k) {
            const double before = gap[(k + kSamples - 1) % kSamples],
                         after = gap[(k + 1) % kSamples];
            if (!(gap[k] < before && gap[k] <= after)) continue;
            lows[n_lows] = lowest(k);
            const double here = gap_to(other_, point(lows[n_lows])).gap;
            if (here < least) least = here, best = n_lows;
            ++n_lows;
        }
        const double start = n_lows ? lows[best] : 0.0;  // the same all around
        constexpr double kThird = 2.0943951023931953;
        const double first[3] = {start, start + kThird, start - kThird};
        for (int i = 0; i < kRingPoints; ++i) put(at[i], first[i], sign);
        for (int i = 1, k = kRingPoints; i < n_lows && k < kPairPoints; ++i, ++k) {
            put(at[k], lows[(best + i) % n_lows], sign);
        }
    }

   private:
    static constexpr int kSamples = 24;
    static constexpr double kTurn = 6.283185307179586;
    static double angle(int k) { return k * (kTurn / kSamples); }

    Point point(double angle) const {
        const auto [c, s] = sincos_of(angle);
        const Mat3<double>& axes = torus_.pose.rotation;
        return torus_.pose.position + (axes.x * c + axes.y * s) * torus_.solid->size[0];
    }
    Point tangent(double angle) const {
        const auto [c, s] = sincos_of(angle);
        return torus_.pose.rotation.y * c - torus_.pose.rotation.x * s;
    }
    // the least distance between the neighbours of a sample: its slope changes its sign
    double lowest(int k) const {
        double low = angle(k - 1), high = angle(k + 1);
        for (int i = 0; i < 48; ++i) {
            const double middle = (low + high) / 2;
            const bool falls = dot(gap_to(other_, point(middle)).normal, tangent(middle)) < 0;
            (falls ? low : high) = middle;
        }
        return (low + high) / 2;
    }
    void put(Touch<double>& touch, double angle, double sign) const {
        const Point p = point(angle);
        touch = touch_at(p, torus_.solid->size[1], gap_to(other_, p));
        touch.normal = touch.normal * sign;
    }

    const PlacedSolid &torus_, &other_;
};

// The point of a box that is nearest to an ellipsoid, or deepest in it. The distance is convex:
// what is nearest among its neighbours on a face is it, else the nearest of all edges, ends
// included.
class BoxOnEllipsoid {
   public:
    Touch<double> touch;  // the normal out of the ellipsoid

    BoxOnEllipsoid(const PlacedSolid& box, const PlacedSolid& ellipsoid)
        : touch{kFar, box.pose.position, {0.0, 0.0, 1.0}}, box_(box), ellipsoid_(ellipsoid) {
        if (on_faces()) return;
        // four edges along each axis: along them the distance falls, then rises
        for (int edge = 0; edge < 12; ++edge) {
            const int i = edge / 4;
            double x[3];
            x[(i + 1) % 3] = half((i + 1) % 3) * (edge & 1 ? 1 : -1);
            x[(i + 2) % 3] = half((i + 2) % 3) * (edge & 2 ? 1 : -1);
            double low = -half(i), high = half(i);
            for (int k = 0; k < 48; ++k) {
                x[i] = (low + high) / 2;
                const double slope = part(gap_at(x).normal, i);
                if (slope == 0) break;
                (slope < 0 ? low : high) = x[i];
            }
            const SolidGap found = gap_at(x);
            if (found.gap < touch.gap) touch = touch_at(world(x), 0.0, found);
        }
    }

   private:
    double half(int i) const { return box_.solid->size[i]; }
    Point world(const double* x) const {
        return box_.pose.position + box_.pose.rotation * vector_at(x);
    }
    SolidGap gap_at(const double* x) const { return gap_to_ellipsoid(ellipsoid_, world(x)); }
    // of a vector of the world, in the box
    double part(const Point& a, int i) const {
        const Mat3<double>& axes = box_.pose.rotation;
        return dot(i == 0 ? axes.x : i == 1 ? axes.y : axes.z, a);
    }

    // a face touches in the point of the ellipsoid that is lowest against it, if that is over it
    bool on_faces() {
        const Point center = box_.local(ellipsoid_.pose.position);
        const double c[3] = {center.x, center.y, center.z};
        for (int i = 0; i < 3; ++i) {
            const double side = c[i] < 0 ? -1.0 : 1.0;
            double n[3] = {0, 0, 0};
            n[i] = side;
            const Point out = box_.pose.rotation * vector_at(n);
            const EllipsoidOnBody<double> map{ellipsoid_.solid->size, ellipsoid_.pose};
            const Point low = map.point(-out), local = box_.local(low);
            const double x[3] = {local.x, local.y, local.z};
            bool over = std::abs(c[i]) > half(i);  // the ellipsoid's middle is not in the box
            for (int k = 0; k < 3; ++k) over = over && (k == i || std::abs(x[k]) <= half(k));
            if (!over) continue;
            const double gap = side * x[i] - half(i);
            touch = {gap, low - out * (gap / 2), -out};
            return true;
        }
        return false;
    }

    const PlacedSolid &box_, &ellipsoid_;
};

// Two ellipsoids: the unit normal n from b to a along which s(n) = n · (c_a − c_b) − h_a(n) −
// h_b(n) is greatest, with the support functions h; Newton's method on the sphere, uphill.
class EllipsoidTouch {
   public:
    Touch<double> touch;

    EllipsoidTouch(const PlacedSolid& a, const PlacedSolid& b)
        : a_(a), b_(b), apart_(a.pose.position - b.pose.position) {
        Point n = start();
        double here = separation(n);
        const double size = std::max(a.solid->reach, b.solid->reach);
        double missed = kFar;
        for (int k = 0; k < 80; ++k) {
            Point e, f;
            frame(n, e, f);
            const Point slope = apart_ - support(a_, n) - support(b_, n);
            const double ge = dot(e, slope), gf = dot(f, slope);
            missed = std::sqrt(ge * ge + gf * gf);
            if (missed <= 1e-13 * size) break;
            // minus the second derivatives on the sphere; a shift where they do not bend down
            const Point be = bend(n, e), bf = bend(n, f);
            double ee = dot(e, be) + here, ff = dot(f, bf) + here, ef = dot(e, bf);
            const double middle = (ee + ff) / 2, spread = std::hypot((ee - ff) / 2, ef);
            const double shift = std::max(0.0, 1e-3 * size - (middle - spread));
            ee += shift, ff += shift;
            const double determinant = ee * ff - ef * ef;
            double de = (ff * ge - ef * gf) / determinant, df = (ee * gf - ef * ge) / determinant;
            const double turn = std::sqrt(de * de + df * df);
            double share = turn > 0.5 ? 0.5 / turn : 1.0;
            bool rises = false;
            for (int half = 0; half < 40 && !rises; ++half, share /= 2) {
                Point next = n + e * (share * de) + f * (share * df);
                next = next * (1 / length(next));
                const double there = separation(next);
                rises = there > here;
                if (rises) n = next, here = there;
            }
            if (!rises) break;  // as high as numbers tell
        }
        const Point on_a = a.pose.position - support(a_, n),
                    on_b = b.pose.position + support(b_, n);
        touch = {here, (on_a + on_b) * 0.5, n, 0.0, missed <= 1e-7 * size ? 0.0 : missed};
    }

   private:
    // where the quadratic form of both, in sum, is steepest: exact for two that are alike
    Point start() const {
        const Mat3<double> sum = plus(square_of(a_), square_of(b_));
        const Point x = cross(sum.y, sum.z), y = cross(sum.z, sum.x), z = cross(sum.x, sum.y);
        const Point n{dot(x, apart_), dot(y, apart_), dot(z, apart_)};
        const double size = length(n);
        return size > 0 ? n * (1 / size) : Point{0.0, 0.0, 1.0};
    }
    // R S² Rᵀ
    static Mat3<double> square_of(const PlacedSolid& s) {
        const Mat3<double>& r = s.pose.rotation;
        const double* h = s.solid->size;
        const Mat3<double> rows =
            transpose(Mat3<double>{r.x * squared(h[0]), r.y * squared(h[1]), r.z * squared(h[2])});
        return {r * rows.x, r * rows.y, r * rows.z};
    }
    static Mat3<double> plus(const Mat3<double>& a, const Mat3<double>& b) {
        return {a.x + b.x, a.y + b.y, a.z + b.z};
    }
    // from its center to the point with the normal n
    static Point support(const PlacedSolid& s, const Point& n) {
        return s.pose.rotation *
               EllipsoidMap::point(s.solid->size, transposed_times(s.pose.rotation, n));
    }
    double separation(const Point& n) const {
        return dot(n, apart_) - dot(n, support(a_, n)) - dot(n, support(b_, n));
    }
    Point bend(const Point& n, const Point& way) const {
        const auto of = [&](const PlacedSolid& s) {
            const Mat3<double>& r = s.pose.rotation;
            return r * (EllipsoidMap::slope(s.solid->size, transposed_times(r, n)) *
                        transposed_times(r, way));
        };
        return of(a_) + of(b_);
    }
    static void frame(const Point& n, Point& e, Point& f) {
        const Point other = std::abs(n.z) < 0.9 ? Point{0.0, 0.0, 1.0} : Point{1.0, 0.0, 0.0};
        e = cross(n, other), e = e * (1 / length(e)), f = cross(n, e);
    }

    const PlacedSolid &a_, &b_;
    const Point apart_;
};

}  // namespace tarsus::TARSUS_ISA
