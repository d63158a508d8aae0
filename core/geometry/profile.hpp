// Where a point is near a polyline in the plane (x, z), solid below: its nearest place, and
// another.
//
// Along a line that turns up only, a valley, what is free is what lies above all of its faces: each
// face is a place, with the height over it. Corners that turn down, ridges, are places of their own
// for what is beyond both faces; below a ridge the nearer face counts and no other.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "scalar/real.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFar = 1e30;  // the gap where there is nothing to touch

struct ProfilePlace {
    double gap = kFar, x = 0, z = 1;  // height over it, negative inside; normal, out of the solid
    int feature = -1;                 // 2 k: face k; 2 k + 1: the corner at its end
};

class ProfilePlaces {
   public:
    ProfilePlace nearest, other;

    // `line`: x and z of corners, all faces of some length; not a number is near nothing
    ProfilePlaces(const std::vector<double>& line, double x, double z)
        : line_(line.data()), x_(x), z_(z), begin_(0), end_(int(line.size() / 2) - 1) {
        look_around();
        find_nearest();
        if (nearest.feature < 0) return;
        int from = 0, to = -1;  // faces of the valley
        if (nearest.feature % 2 == 0) look_along_valley(nearest.feature / 2, from, to);
        if (nearest.gap <= 0) return;  // inside, other faces are seen from behind
        for (int k = begin_; k < end_; ++k) {
            const Face here = face(k);
            if (here.beside && here.over > 0 && !(k >= from && k <= to)) {
                keep_lower(other, place_on(here, k));
            }
            if (k + 1 < end_ && here.after && 2 * k + 1 != nearest.feature && face(k + 1).before) {
                keep_lower(other, place_at_corner(k));
            }
        }
    }

    // faces that meet have different slots, so that their forces do not change places
    static int slot(const ProfilePlace& place) { return (place.feature / 2) & 1; }

   private:
    struct Face {
        double x, z, over;           // unit normal, and the height over the face's line
        bool before, beside, after;  // where along it
    };
    static constexpr double kStraight = 1e-9;  // sine of an angle that is none
    static constexpr double kSight = 1.0;      // [m] how much farther than the nearest is looked

    // the number of corners with an abscissa below x
    int corners_before(double x) const {
        int low = 0, high = end_ + 1;
        while (low < high) {
            const int middle = (low + high) / 2;
            (line_[2 * middle] < x ? low : high) = line_[2 * middle] < x ? middle + 1 : middle;
        }
        return low;
    }
    // only faces from begin_ to end_ can be near: the line at x is no farther than straight down
    void look_around() {
        const int last = end_, k = std::min(std::max(corners_before(x_), 1), last);
        const double *a = line_ + 2 * (k - 1), run = a[2] - a[0];
        const double height = run > 0 ? a[1] + (x_ - a[0]) / run * (a[3] - a[1]) : a[3];
        const double far = std::abs(z_ - height) + kSight;
        begin_ = std::min(std::max(corners_before(x_ - far) - 1, 0), last - 1);
        end_ = std::min(std::max(corners_before(x_ + far) + 1, 1), last);
    }

    Face face(int k) const {
        const double *a = line_ + 2 * k, dx = a[2] - a[0], dz = a[3] - a[1];
        const double length = std::sqrt(dx * dx + dz * dz);
        const double along = ((x_ - a[0]) * dx + (z_ - a[1]) * dz) / (length * length);
        const double nx = -dz / length, nz = dx / length;
        const double over = (x_ - a[0]) * nx + (z_ - a[1]) * nz;
        return {nx, nz, over, along < 0, along >= 0 && along <= 1, along > 1};
    }
    // sine of the angle by which the line turns up at the end of face k
    double turn(int k) const {
        const Face a = face(k), b = face(k + 1);
        return neg_mul_add(a.z, b.x, a.x * b.z);
    }
    static ProfilePlace place_on(const Face& face, int k) {
        return {face.over, face.x, face.z, 2 * k};
    }
    ProfilePlace place_at_corner(int k) const {
        const double rx = x_ - line_[2 * k + 2], rz = z_ - line_[2 * k + 3];
        const double distance = std::sqrt(rx * rx + rz * rz);
        return {distance, rx / distance, rz / distance, 2 * k + 1};
    }
    static void keep_lower(ProfilePlace& kept, const ProfilePlace& place) {
        if (place.gap < kept.gap) kept = place;
    }

    void find_nearest() {
        double least = kFar;
        for (int k = begin_; k < end_; ++k) {
            const Face here = face(k);
            if (here.beside && std::abs(here.over) < least) {
                least = std::abs(here.over), nearest = place_on(here, k);
            }
            if (k + 1 == end_ || !here.after) continue;
            const Face next = face(k + 1);
            if (!next.before) continue;
            const ProfilePlace corner = place_at_corner(k);
            if (!(corner.gap < least)) continue;
            least = corner.gap, nearest = corner;
            // inside, behind the bottom of a valley: the deeper face
            if (turn(k) > 0) {
                nearest = here.over < next.over ? place_on(here, k) : place_on(next, k + 1);
            }
        }
    }

    // the lowest of the other faces of the valley that face k is part of
    void look_along_valley(int k, int& from, int& to) {
        from = to = k;
        while (from > begin_ && turn(from - 1) > -kStraight) --from;
        while (to + 1 < end_ && turn(to) > -kStraight) ++to;
        // beyond a ridge at its end the valley has no face to that side
        const bool over_first = face(from).before, over_last = face(to).after;
        for (int i = from; i <= to; ++i) {
            const Face here = face(i);
            if (i < k ? here.before && over_first : here.after && over_last) continue;
            const double turned = neg_mul_add(here.z, nearest.x, here.x * nearest.z);
            if (std::abs(turned) > kStraight) keep_lower(other, place_on(here, i));
        }
    }

    const double* line_;
    const double x_, z_;
    int begin_, end_;  // faces that are looked at
};

}  // namespace tarsus::TARSUS_ISA
