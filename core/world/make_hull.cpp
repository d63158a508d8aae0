#include "world/make_hull.hpp"

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;
using Vector = Vec3<double>;

namespace {

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

// The plane of a loop (Newell's normal), as high as its highest corner: no corner is outside.
void add_face(Hull& hull, const std::vector<int>& loop) {
    if (loop.size() < 3) refuse("hull_faces must have three corners or more");
    if (int(loop.size()) > hull.n_corners()) refuse("hull_faces has a face with corners too many");
    const auto corner = [&](int k) { return vector_at(&hull.corners[3 * size_t(k)]); };
    for (int k : loop) {
        if (k < 0 || k >= hull.n_corners()) {
            refuse("hull_faces has the corner " + std::to_string(k) + ", the hull has " +
                   std::to_string(hull.n_corners()));
        }
    }
    Vector normal{0, 0, 0};
    for (size_t i = 0; i < loop.size(); ++i) {
        const Vector p = corner(loop[i]) - corner(loop[0]);
        normal = normal + cross(p, corner(loop[(i + 1) % loop.size()]) - corner(loop[0]));
    }
    const double size = std::sqrt(dot(normal, normal));
    if (!(size > 0)) refuse("hull_faces has a face without an area");
    normal = normal * (1 / size);
    double height = -1e300;
    for (int k : loop) height = std::max(height, dot(normal, corner(k)));
    hull.planes.insert(hull.planes.end(), {normal.x, normal.y, normal.z, height});
    hull.face_corner.insert(hull.face_corner.end(), loop.begin(), loop.end());
    hull.face_start.push_back(int(hull.face_corner.size()));
}

// each edge joins two faces, whose loops go along it in opposite directions
void join_faces(Hull& hull) {
    std::map<std::pair<int, int>, int> face_along;
    for (int f = 0; f < hull.n_faces(); ++f) {
        const int start = hull.face_start[f], count = hull.face_start[f + 1] - start;
        for (int i = 0; i < count; ++i) {
            const int from = hull.face_corner[start + i],
                      to = hull.face_corner[start + (i + 1) % count];
            if (!face_along.insert({{from, to}, f}).second)
                refuse("hull_faces has two faces that go the same way along an edge");
        }
    }
    for (const auto& [ends, left] : face_along) {
        const auto back = face_along.find({ends.second, ends.first});
        if (back == face_along.end()) refuse("hull_faces is not closed");
        if (ends.first < ends.second)
            hull.edges.push_back({ends.first, ends.second, left, back->second});
    }
    // Euler: a convex solid has no more
    if (int(hull.edges.size()) > 3 * hull.n_corners()) refuse("hull_faces has edges too many");
}

}  // namespace

std::vector<std::shared_ptr<const Hull>> make_hulls(
    const std::vector<int>& counts, const std::vector<double>& corners,
    const std::vector<std::vector<std::vector<int>>>& faces) {
    if (faces.size() != counts.size()) refuse("hull_faces must have one list for each hull");
    std::vector<std::shared_ptr<const Hull>> found;
    size_t first = 0;
    for (size_t h = 0; h < counts.size(); ++h) {
        if (counts[h] < 4 || counts[h] > kMostCorners) {
            refuse("hull_counts is " + std::to_string(counts[h]) + ", must be from 4 to " +
                   std::to_string(kMostCorners));
        }
        const size_t end = first + 3 * size_t(counts[h]);
        if (end > corners.size()) refuse("hull_corners has fewer than hull_counts says");
        Hull hull;
        hull.corners.assign(corners.begin() + long(first), corners.begin() + long(end));
        hull.face_start.push_back(0);
        for (const std::vector<int>& loop : faces[h]) add_face(hull, loop);
        join_faces(hull);
        found.push_back(std::make_shared<const Hull>(std::move(hull)));
        first = end;
    }
    if (first != corners.size()) refuse("hull_corners has more than hull_counts says");
    return found;
}

double farthest_corner(const Hull& hull) {
    double square = 0;
    for (size_t k = 0; k < hull.corners.size(); k += 3) {
        const Vector p = vector_at(&hull.corners[k]);
        square = std::max(square, dot(p, p));
    }
    return std::sqrt(square);
}

}  // namespace tarsus
