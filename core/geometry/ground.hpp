// How far a ball is from the ground, where it would touch, and which way the ground pushes.
//
// Planes and smooth grounds are exact for all lanes at once; profiles (polylines extruded along y:
// steps, ramps) and height fields are looked up lane by lane. A ball touches a profile or a smooth
// ground in up to two places.
#pragma once

#include "geometry/profile.hpp"
#include "geometry/smooth_ground.hpp"
#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Touch {
    T gap;
    Vec3<T> point, normal;  // on the ground, and away from it
    T past = T(0.0);        // 1 for what flies past it, however near it comes
    T missed = T(0.0);      // [m] by how much nearest points were not found
};

// height and slopes of a field on a grid, flat beyond its ends
inline void height_of_field(const std::vector<double>& field, double x, double y, double* height,
                            double slope[2]) {
    const double* head = field.data();
    const int nx = int(head[4]), ny = int(head[5]);
    // what is not a number is at the start: no index is out of bounds
    const auto within = [](double at, double end) { return at > 0 ? (at < end ? at : end) : 0.0; };
    const double u = within((x - head[0]) / head[2], nx - 1);
    const double v = within((y - head[1]) / head[3], ny - 1);
    const int i = std::min(int(u), nx - 2), j = std::min(int(v), ny - 2);
    const double a = u - i, b = v - j;
    const double* h = head + 6 + i * ny + j;
    const double low = h[0] + b * (h[1] - h[0]), high = h[ny] + b * (h[ny + 1] - h[ny]);
    *height = low + a * (high - low);
    const bool in_x = x >= head[0] && x <= head[0] + head[2] * (nx - 1);
    const bool in_y = y >= head[1] && y <= head[1] + head[3] * (ny - 1);
    slope[0] = in_x ? (high - low) / head[2] : 0.0;
    const double left = h[1] - h[0], right = h[ny + 1] - h[ny];
    slope[1] = in_y ? (left + a * (right - left)) / head[3] : 0.0;
}

inline Touch<double> touch_field(const std::vector<double>& field, const Vec3<double>& center,
                                 double radius) {
    double height, slope[2];
    height_of_field(field, center.x, center.y, &height, slope);
    const double scale = 1 / std::sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
    const Vec3<double> normal{-slope[0] * scale, -slope[1] * scale, scale};
    const double gap = (center.z - height) * scale;
    return {gap - radius, center - normal * gap, normal};
}

inline Touch<double> touch_profile(const ProfilePlace& place, const Vec3<double>& center,
                                   double radius) {
    const Vec3<double> normal{place.x, 0.0, place.z};
    if (place.feature < 0) return {kFar, center, normal};
    return {place.gap - radius, center - normal * place.gap, normal};
}

template <class T>
TARSUS_INLINE void set_touch(Touch<T>& touch, int lane, const Touch<double>& of) {
    set_lane(touch.gap, lane, of.gap), set_lane(touch.past, lane, of.past);
    set_lane(touch.missed, lane, of.missed);
    set_lane(touch.point.x, lane, of.point.x), set_lane(touch.point.y, lane, of.point.y);
    set_lane(touch.point.z, lane, of.point.z), set_lane(touch.normal.x, lane, of.normal.x);
    set_lane(touch.normal.y, lane, of.normal.y), set_lane(touch.normal.z, lane, of.normal.z);
}

template <class T>
TARSUS_INLINE Vec3<double> lane_of(const Vec3<T>& a, int lane) {
    return {lane_of(a.x, lane), lane_of(a.y, lane), lane_of(a.z, lane)};
}

template <class T>
TARSUS_INLINE Touch<T> touch_smooth(const SmoothPlace<T>& place) {
    return {place.gap, place.foot, place.normal, T(0.0), place.missed};
}
// if there are two places, the one that comes first along the ground is in the first slot
template <class T>
TARSUS_INLINE void in_slots(const SmoothPlaces<T>& places, Touch<T>* at) {
    const T zero(0.0), one(1.0);
    const Vec3<T> apart = places.other.foot - places.nearest.foot;
    const T there = select(places.other.gap < T(kFar), one, zero);
    const T before = select(mul_add(apart.y, T(1.6), apart.x) < zero, there, zero);
    SmoothPlace<T> first = places.nearest, second = places.other;
    put_where(before, first, places.other), put_where(before, second, places.nearest);
    at[0] = touch_smooth(first), at[1] = touch_smooth(second);
}

// where a ball is nearest to the ground
template <class T>
TARSUS_INLINE Touch<T> touch_ground(const Shapes& shapes, const Vec3<T>& center, double radius) {
    const std::vector<double>& numbers = shapes.ground_numbers;
    if (shapes.ground == GroundKind::plane) {
        const Vec3<T> normal = constant_vector<T>(numbers.data());
        const T height = dot(vector_at(numbers.data()), center) - T(numbers[3]);
        return {height - T(radius), neg_mul_add(normal, height, center), normal};
    }
    if (shapes.ground == GroundKind::smooth) {
        const SmoothPlaces<T> places(numbers, BallMap<T>{center, radius}, center, radius);
        return touch_smooth(places.nearest);
    }
    Touch<T> touch{T(kFar), center, {T(0.0), T(0.0), T(1.0)}};
    if (shapes.ground == GroundKind::none) return touch;
    for (int l = 0; l < kLaneCount<T>; ++l) {
        const Vec3<double> at = lane_of(center, l);
        if (shapes.ground == GroundKind::profile) {
            const ProfilePlaces places(numbers, at.x, at.z);
            set_touch(touch, l, touch_profile(places.nearest, at, radius));
        } else {
            set_touch(touch, l, touch_field(numbers, at, radius));
        }
    }
    return touch;
}

// The places of a ball on the ground: the nearest, and perhaps another; in which slot is each
// lane's own business.
template <class T>
class GroundPlaces {
   public:
    Touch<T> at[kGroundPlaces];

    GroundPlaces(const Shapes& shapes, const Vec3<T>& center, double radius) : shapes_(shapes) {
        if (shapes.ground != GroundKind::smooth) {
            find(center, radius);
            return;
        }
        const BallMap<T> ball{center, radius};
        in_slots(SmoothPlaces<T>(shapes.ground_numbers, ball, center, radius), at);
    }

    // A ball on what these places are about that reaches towards the place in `slot`: it is
    // measured by the same part of the ground, or around the nearest place by whatever is nearest.
    Touch<T> of_ball(int slot, const Vec3<T>& point, double radius) const {
        if (shapes_.n_places() == 1) return touch_ground(shapes_, point, radius);
        Touch<T> touch;
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const Vec3<double> where = lane_of(point, l);
            const ProfilePlaces found(shapes_.ground_numbers, where.x, where.z);
            ProfilePlace place;
            if (slot == slot_[l]) {
                const bool swapped =
                    found.nearest.feature == other_[l] && found.other.feature == nearest_[l];
                place = swapped ? found.other : found.nearest;
            } else if (other_[l] >= 0) {
                if (found.nearest.feature == other_[l]) place = found.nearest;
                if (found.other.feature == other_[l]) place = found.other;
            }
            set_touch(touch, l, touch_profile(place, where, radius));
        }
        return touch;
    }

   private:
    TARSUS_INLINE void find(const Vec3<T>& center, double radius) {
        if (shapes_.n_places() == 1) {
            at[0] = touch_ground(shapes_, center, radius);
            return;
        }
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const Vec3<double> where = lane_of(center, l);
            const ProfilePlaces places(shapes_.ground_numbers, where.x, where.z);
            const int slot = ProfilePlaces::slot(places.nearest);
            set_touch(at[slot], l, touch_profile(places.nearest, where, radius));
            set_touch(at[1 - slot], l, touch_profile(places.other, where, radius));
            nearest_[l] = places.nearest.feature, other_[l] = places.other.feature, slot_[l] = slot;
        }
    }

    const Shapes& shapes_;
    int nearest_[kLaneCount<T>], other_[kLaneCount<T>], slot_[kLaneCount<T>];
};

}  // namespace tarsus::TARSUS_ISA
