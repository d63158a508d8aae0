// How far a ball is from the ground, where it would touch, and which way the ground pushes.
//
// Planes are exact for all lanes at once; profiles (polylines extruded along y: steps, ramps) and
// height fields are looked up lane by lane.
#pragma once

#include <algorithm>

#include "geometry/shapes.hpp"
#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFar = 1e30;  // the gap where there is nothing to touch

template <class T>
struct Touch {
    T gap;
    Vec3<T> point, normal;  // the ball's lowest point, and away from the ground
};

// signed distance of a polyline in the plane (x, z), solid below; normal: out of the solid
inline double profile_gap(const std::vector<double>& line, double x, double z, double normal[2]) {
    double nearest = kFar, height = -kFar, gap = 0;
    bool corner = false;
    for (size_t i = 0; i + 3 < line.size(); i += 2) {
        const double ax = line[i], az = line[i + 1], dx = line[i + 2] - ax, dz = line[i + 3] - az;
        const double length = std::sqrt(dx * dx + dz * dz);
        if (length == 0.0) continue;
        if (x >= ax && x <= ax + dx) {
            height = std::max(height, dx > 0 ? az + (x - ax) / dx * dz : std::max(az, az + dz));
        }
        const double along = ((x - ax) * dx + (z - az) * dz) / (length * length);
        const bool beside = along >= 0 && along <= 1;
        // beside a segment along its own normal, beyond its ends the way to the corner
        const double rx = x - (along < 0 ? ax : ax + dx), rz = z - (along < 0 ? az : az + dz);
        const double upright[2] = {-dz / length, dx / length};
        const double over = (x - ax) * upright[0] + (z - az) * upright[1];
        const double distance = beside ? std::abs(over) : std::sqrt(rx * rx + rz * rz);
        if (distance >= nearest) continue;
        nearest = distance, corner = !beside && distance > 0;
        gap = beside ? over : distance;
        normal[0] = corner ? rx / distance : upright[0];
        normal[1] = corner ? rz / distance : upright[1];
    }
    if (corner && z < height) {
        gap = -gap, normal[0] = -normal[0], normal[1] = -normal[1];
    }
    return gap;
}

// height and slopes of a field on a grid, flat beyond its ends
inline void height_of_field(const std::vector<double>& field, double x, double y, double* height,
                            double slope[2]) {
    const double* head = field.data();
    const int nx = int(head[4]), ny = int(head[5]);
    const double u = std::clamp((x - head[0]) / head[2], 0.0, double(nx - 1));
    const double v = std::clamp((y - head[1]) / head[3], 0.0, double(ny - 1));
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

inline Touch<double> touch_uneven(const Shapes& shapes, const Vec3<double>& center, double radius) {
    double gap, normal[3] = {0.0, 0.0, 1.0};
    if (shapes.ground == GroundKind::profile) {
        double across[2] = {0.0, 1.0};
        gap = profile_gap(shapes.ground_numbers, center.x, center.z, across);
        normal[0] = across[0], normal[2] = across[1];
    } else {
        double height, slope[2];
        height_of_field(shapes.ground_numbers, center.x, center.y, &height, slope);
        const double scale = 1 / std::sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
        normal[0] = -slope[0] * scale, normal[1] = -slope[1] * scale, normal[2] = scale;
        gap = (center.z - height) * scale;
    }
    const Vec3<double> out = vector_at(normal);
    return {gap - radius, center - out * gap, out};
}

template <class T>
TARSUS_INLINE void set_touch(Touch<T>& touch, int lane, const Touch<double>& of) {
    set_lane(touch.gap, lane, of.gap);
    set_lane(touch.point.x, lane, of.point.x), set_lane(touch.point.y, lane, of.point.y);
    set_lane(touch.point.z, lane, of.point.z), set_lane(touch.normal.x, lane, of.normal.x);
    set_lane(touch.normal.y, lane, of.normal.y), set_lane(touch.normal.z, lane, of.normal.z);
}

template <class T>
TARSUS_INLINE Touch<T> touch_ground(const Shapes& shapes, const Vec3<T>& center, double radius) {
    if (shapes.ground == GroundKind::plane) {
        const double* plane = shapes.ground_numbers.data();
        const Vec3<T> normal = constant_vector<T>(plane);
        const T gap = dot(vector_at(plane), center) - T(plane[3] + radius);
        return {gap, neg_mul_add(normal, gap + T(radius), center), normal};
    }
    Touch<T> touch;
    if (shapes.ground == GroundKind::none) {
        return {T(kFar), center, {T(0.0), T(0.0), T(1.0)}};
    }
    for (int l = 0; l < int(sizeof(T) / sizeof(double)); ++l) {
        const Vec3<double> at{lane_of(center.x, l), lane_of(center.y, l), lane_of(center.z, l)};
        set_touch(touch, l, touch_uneven(shapes, at, radius));
    }
    return touch;
}

}  // namespace tarsus::TARSUS_ISA
