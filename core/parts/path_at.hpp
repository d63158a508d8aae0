// A point on a path: the two directions across it at the place that is nearest.
//
// Where that is (number of the piece and u on it) is kept from step to step, and so is one of the
// directions, carried along the path without turning about it: then rates of one step can be
// compared with those of the next.
#pragma once

#include "parts/part_at.hpp"

namespace tarsus::TARSUS_ISA {

struct PathPlace {
    Vec3<double> point, tangent, bend;  // c, c′, c″ by u
};

inline PathPlace place_on(const PartPath& path, double s) {
    const int n = path.n_pieces();
    const int k = !(s >= 0) ? 0 : !(s < n) ? n - 1 : int(s);
    const double* x = path.pieces.data() + 12 * k;
    const double u = s - k;
    const Vec3<double> p = vector_at(x), a = vector_at(x + 3), b = vector_at(x + 6),
                       c = vector_at(x + 9);
    return {p + (a + (b + c * u) * u) * u, a + (b * 2.0 + c * (3 * u)) * u, b * 2.0 + c * (6 * u)};
}

// the nearest place, from the one before; Newton's method with steps of at most one piece
inline double nearest_on(const PartPath& path, const Vec3<double>& point, double s, bool anew) {
    const double n = path.n_pieces();
    if (anew) {  // anywhere
        double best = 1e300;
        for (int k = 0; k <= 8 * path.n_pieces(); ++k) {
            const Vec3<double> apart = place_on(path, k / 8.0).point - point;
            const double square = dot(apart, apart);
            if (square < best) best = square, s = k / 8.0;
        }
    }
    for (int k = 0; k < 20; ++k) {
        const PathPlace at = place_on(path, s);
        const Vec3<double> apart = at.point - point;
        const double slope = dot(apart, at.tangent), speed = dot(at.tangent, at.tangent);
        const double curve = std::max(speed + dot(apart, at.bend), 0.1 * speed) + 1e-300;
        const double step = std::min(std::max(slope / curve, -1.0), 1.0);
        s -= step;
        if (path.closed) s -= n * std::floor(s / n);
        else s = std::min(std::max(s, 0.0), n);
        if (!(std::abs(step) > 1e-14)) break;
    }
    return s;
}

// kept (4): the place and one direction across, in axes of a; `age`: 0 where nothing is kept
template <class T>
TARSUS_APART void path_at(const Part& part, const Pose<T>* pose, const T& age, T* kept,
                          PartAt<T>& at) {
    const Pose<T> a = frame_on(part.a, pose[part.a.body + 1]);
    const Pose<T> b = frame_on(part.b, pose[part.b.body + 1]);
    const Vec3<T> seen = transposed_times(a.rotation, b.position - a.position);
    Vec3<T> across, along, place;
    for (int l = 0; l < kLaneCount<T>; ++l) {
        const Vec3<double> p{lane_of(seen.x, l), lane_of(seen.y, l), lane_of(seen.z, l)};
        const bool anew = !(lane_of(age, l) > 0);
        const double s = nearest_on(part.path, p, lane_of(kept[0], l), anew);
        const PathPlace on = place_on(part.path, s);
        const double speed = std::sqrt(dot(on.tangent, on.tangent));
        const Vec3<double> t = on.tangent * (1 / (speed > 0 ? speed : 1));
        Vec3<double> n{lane_of(kept[1], l), lane_of(kept[2], l), lane_of(kept[3], l)};
        if (anew) {
            const double x = std::abs(t.x), y = std::abs(t.y), z = std::abs(t.z);
            n = {double(x <= y && x <= z), double(y < x && y <= z), double(z < x && z < y)};
        }
        n = n - t * dot(t, n);
        n = n * (1 / std::sqrt(std::max(dot(n, n), 1e-300)));
        const Vec3<double> m = cross(t, n);
        const double numbers[4] = {s, n.x, n.y, n.z};
        for (int k = 0; k < 4; ++k) set_lane(kept[k], l, numbers[k]);
        set_lane(across.x, l, n.x), set_lane(across.y, l, n.y), set_lane(across.z, l, n.z);
        set_lane(along.x, l, m.x), set_lane(along.y, l, m.y), set_lane(along.z, l, m.z);
        set_lane(place.x, l, on.point.x), set_lane(place.y, l, on.point.y);
        set_lane(place.z, l, on.point.z);
    }
    const Vec3<T> apart = seen - place;
    at.point = at.on_a = b.position;
    at.row[0] = {a.rotation * across, zero_vector<T>()};
    at.row[1] = {a.rotation * along, zero_vector<T>()};
    at.value[0] = dot(across, apart), at.value[1] = dot(along, apart);
    at.rate_of_target[0] = at.rate_of_target[1] = T(0.0);
}

}  // namespace tarsus::TARSUS_ISA
