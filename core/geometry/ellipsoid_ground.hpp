// Where an ellipsoid is nearest to the ground: closed on a plane, Newton's method on smooth
// grounds, face by face and ridge by ridge on a profile, lane by lane there and on a height field.
#pragma once

#include "geometry/ground.hpp"

namespace tarsus::TARSUS_ISA {

// the point of an ellipsoid that is lowest against a normal (Duindam 2006, example 3.4)
template <class T>
TARSUS_INLINE Vec3<T> lowest_point(const double* half_axes, const Pose<T>& at,
                                   const Vec3<T>& normal) {
    return EllipsoidOnBody<T>{half_axes, at}.point(-normal);
}

// An ellipsoid over a polyline in the plane (x, z) that is the same along y. A face touches in its
// lowest point, if that is over the valley that the face is part of, and not beyond a ridge at its
// end; a ridge with the normal between those of its faces that looks at its corner.
class EllipsoidOnProfile {
   public:
    Touch<double> nearest{kFar, {0.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}, other = nearest;
    int feature = 0;  // of the nearest

    EllipsoidOnProfile(const std::vector<double>& line, const double* half_axes, double reach,
                       const Pose<double>& at)
        : line_(line.data()), half_axes_(half_axes), reach_(reach), at_(at) {
        nearest.point = other.point = at.position;
        const int faces = int(line.size() / 2) - 1;
        const auto corner = [&](double x) {  // the number of corners before x
            int low = 0, high = faces + 1;
            while (low < high) {
                const int middle = (low + high) / 2;
                (line_[2 * middle] < x ? low : high) = line_[2 * middle] < x ? middle + 1 : middle;
            }
            return low;
        };
        constexpr double kSight = 1.0;  // [m]
        const double x = at.position.x;
        const int begin = std::max(corner(x - reach - kSight) - 1, 0);
        const int end = std::min(corner(x + reach + kSight) + 1, faces);
        // from where to where along x the valley goes that face k is part of
        int first = begin, last = begin;
        while (first > 0 && turn(first - 1) > 0) --first;
        for (int k = begin; k < end; ++k) {
            if (k > begin && !(turn(k - 1) > 0)) first = k;
            if (last < k) last = k;
            while (last + 1 < faces && turn(last) > 0) ++last;
            const Face here = face(k);
            const bool from = here.along >= 0 || (first < k && here.low.x >= line_[2 * first]);
            const bool to =
                here.along <= here.length || (last > k && here.low.x <= line_[2 * last + 2]);
            if (from && to) keep(2 * k, here.x, here.z, here.low);
            if (k + 1 == faces || !(turn(k) < 0 && here.along > here.length)) continue;
            const Face next = face(k + 1);
            if (next.along < 0) keep_ridge(k, here, next);
        }
        // deep in the ground: out by the way of its center
        const ProfilePlaces places(line, at.position.x, at.position.z);
        if (places.nearest.feature < 0 || (places.nearest.gap > 0 && nearest.gap < kFar)) return;
        const Vec3<double> normal{places.nearest.x, 0.0, places.nearest.z};
        const Vec3<double> p = low(normal.x, normal.z);
        const double gap = places.nearest.gap + dot(normal, p - at.position);
        nearest = {gap, p - normal * gap, normal}, feature = places.nearest.feature;
        other.gap = kFar;
    }

   private:
    struct Face {
        double x, z, length;  // normal
        Vec3<double> low;     // of the ellipsoid
        double along;         // from the start of the face to there
    };
    // above zero where the line turns up at the end of face k
    double turn(int k) const {
        const double* a = line_ + 2 * k;
        return neg_mul_add(a[3] - a[1], a[4] - a[2], (a[2] - a[0]) * (a[5] - a[3]));
    }

    Vec3<double> low(double x, double z) const {
        return lowest_point<double>(half_axes_, at_, {x, 0.0, z});
    }
    Face face(int k) const {
        const double *a = line_ + 2 * k, dx = a[2] - a[0], dz = a[3] - a[1];
        const double length = std::sqrt(dx * dx + dz * dz), x = -dz / length, z = dx / length;
        const Vec3<double> p = low(x, z);
        return {x, z, length, p, ((p.x - a[0]) * dx + (p.z - a[1]) * dz) / length};
    }
    // a corner between two faces: along the normal that is sought, the lowest point is over it
    void keep_ridge(int k, const Face& a, const Face& b) {
        const double* corner = line_ + 2 * k + 2;
        double from = 0, to = 1, x = a.x, z = a.z;
        Vec3<double> p = a.low;
        for (int i = 0; i < 52; ++i) {
            const double share = (from + to) / 2;
            x = a.x + share * (b.x - a.x), z = a.z + share * (b.z - a.z);
            const double size = std::sqrt(x * x + z * z);
            x /= size, z /= size, p = low(x, z);
            const bool beyond = z * (p.x - corner[0]) - x * (p.z - corner[1]) > 0;
            (beyond ? from : to) = share;
        }
        keep(2 * k + 1, x, z, p);
    }
    void keep(int number, double x, double z, const Vec3<double>& p) {
        const double* a = line_ + 2 * ((number + 1) / 2);  // a point of the face, or the corner
        const double gap = (p.x - a[0]) * x + (p.z - a[1]) * z;
        if (!(gap > -reach_)) return;  // seen from behind
        const Vec3<double> normal{x, 0.0, z};
        const Touch<double> touch{gap, p - normal * gap, normal};
        if (gap < nearest.gap) other = nearest, nearest = touch, feature = number;
        else if (gap < other.gap) other = touch;
    }

    const double *line_, *half_axes_;
    const double reach_;
    const Pose<double>& at_;
};

// down from its center, then where it is lowest against the slope found there
inline Touch<double> ellipsoid_on_field(const std::vector<double>& field, const double* half_axes,
                                        const Pose<double>& at) {
    Vec3<double> point = at.position;
    for (int k = 0; k < 3; ++k) {
        point = lowest_point(half_axes, at, touch_field(field, point, 0.0).normal);
    }
    return touch_field(field, point, 0.0);
}

// the places of an ellipsoid on the ground: the nearest, and perhaps another
template <class T>
class EllipsoidPlaces {
   public:
    Touch<T> at[kGroundPlaces];

    EllipsoidPlaces(const Shapes& shapes, const Ellipsoid& ellipsoid, const Pose<T>& body) {
        const Pose<T> pose = frame_on(ellipsoid.on, body);
        const std::vector<double>& numbers = shapes.ground_numbers;
        for (Touch<T>& touch : at) touch = {T(kFar), pose.position, {T(0.0), T(0.0), T(1.0)}};
        if (shapes.ground == GroundKind::plane) {
            const Vec3<T> normal = constant_vector<T>(numbers.data());
            const Vec3<T> low = lowest_point(ellipsoid.half_axes, pose, normal);
            const T gap = dot(normal, low) - T(numbers[3]);
            at[0] = {gap, neg_mul_add(normal, gap, low), normal};
        } else if (shapes.ground == GroundKind::smooth) {
            const EllipsoidOnBody<T> map{ellipsoid.half_axes, pose};
            in_slots(SmoothPlaces<T>(numbers, map, pose.position, ellipsoid.reach()), at);
        } else if (shapes.ground != GroundKind::none) {
            for (int l = 0; l < kLaneCount<T>; ++l) set_lanes(shapes, ellipsoid, pose, l);
        }
    }

   private:
    void set_lanes(const Shapes& shapes, const Ellipsoid& ellipsoid, const Pose<T>& pose, int l) {
        const Pose<double> here{
            {lane_of(pose.rotation.x, l), lane_of(pose.rotation.y, l), lane_of(pose.rotation.z, l)},
            lane_of(pose.position, l)};
        const std::vector<double>& numbers = shapes.ground_numbers;
        if (shapes.ground == GroundKind::height_field) {
            set_touch(at[0], l, ellipsoid_on_field(numbers, ellipsoid.half_axes, here));
            return;
        }
        const EllipsoidOnProfile found(numbers, ellipsoid.half_axes, ellipsoid.reach(), here);
        const int slot = (found.feature / 2) & 1;
        set_touch(at[slot], l, found.nearest), set_touch(at[1 - slot], l, found.other);
    }
};

}  // namespace tarsus::TARSUS_ISA
