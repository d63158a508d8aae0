// From what was stated about a world to the arrays that the step reads.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "spatial/transform.hpp"
#include "surfaces/surface.hpp"
#include "world/make_hull.hpp"
#include "world/world.hpp"

namespace tarsus {

using namespace TARSUS_ISA;
using Vector = Vec3<double>;

namespace {

constexpr double kHuge = 1e150;
constexpr double kShortest = 1e-12;  // [s] for steps: shorter ones are lost to rounding

[[noreturn]] void refuse(const std::string& message) { throw std::invalid_argument(message); }

template <class Word, size_t N>
Word word(const char* argument, const std::string& given, const char* const (&known)[N]) {
    std::string valid;
    for (size_t k = 0; k < N; ++k) {
        if (given == known[k]) return Word(int(k));
        valid += (k ? ", " : "") + std::string(known[k]);
    }
    refuse(std::string(argument) + " is '" + given + "', must be one of " + valid);
}

void expect(const char* name, size_t size, size_t wanted) {
    if (size == wanted) return;
    refuse(std::string(name) + " has " + std::to_string(size) + " numbers, expected " +
           std::to_string(wanted));
}

// a body that can carry shapes
void check_body(const Tree& tree, const char* name, int body, bool or_world = false) {
    if (body < (or_world ? -1 : 0) || body >= tree.n_bodies) {
        refuse(std::string(name) + " is " + std::to_string(body) + ", the model has " +
               std::to_string(tree.n_bodies) + " bodies");
    }
    if (body >= 0 && tree.links[body].spinning) {
        refuse(std::string(name) + " " + std::to_string(body) +
               " is a rotor that turns about its axis of symmetry in a gear: it cannot touch");
    }
}

// in the core's axes of a body
Vector in_core(const Tree& tree, int body, const Vector& a) {
    return body < 0 ? a : matrix_at(tree.body_axes[body].rotation) * a;
}
void store(const Vector& a, double* out) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

std::vector<int> order_of(const std::vector<int>& body) {
    std::vector<int> order(body.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return body[i] < body[j]; });
    return order;
}

void add_points(World& world, const WorldStatement& s) {
    const Tree& tree = *world.tree;
    const size_t n = s.point_body.size(), m = s.ring_body.size();
    expect("point_position", s.point_position.size(), 3 * n);
    expect("point_radius", s.point_radius.size(), n);
    expect("ring_position", s.ring_position.size(), 3 * m);
    expect("ring_axis", s.ring_axis.size(), 3 * m);
    expect("ring_radius", s.ring_radius.size(), m);
    if (!s.ring_tube.empty()) expect("ring_tube", s.ring_tube.size(), m);
    for (int k : order_of(s.point_body)) {
        check_body(tree, "point_body", s.point_body[k]);
        if (!(s.point_radius[k] >= 0)) refuse("point_radius must not be negative");
        Sphere sphere{s.point_body[k], {}, s.point_radius[k]};
        store(in_core(tree, sphere.body, vector_at(&s.point_position[3 * k])), sphere.position);
        world.shapes.spheres.push_back(sphere);
        world.shapes.sphere_candidate.push_back(k);
    }
    for (int k : order_of(s.ring_body)) {
        check_body(tree, "ring_body", s.ring_body[k]);
        if (!(s.ring_radius[k] >= 0)) refuse("ring_radius must not be negative");
        const double tube = s.ring_tube.empty() ? 0.0 : s.ring_tube[k];
        if (!(tube >= 0)) refuse("ring_tube must not be negative");
        Ring ring{s.ring_body[k], {}, {}, {}, s.ring_radius[k], tube};
        Vector axis = in_core(tree, ring.body, vector_at(&s.ring_axis[3 * k]));
        const double length = std::sqrt(dot(axis, axis));
        if (!(length > 0)) refuse("ring_axis must not be zero");
        axis = axis * (1 / length);
        const Vector other = std::abs(axis.z) < 0.9 ? Vector{0, 0, 1} : Vector{1, 0, 0};
        const Vector across = cross(axis, other);
        store(in_core(tree, ring.body, vector_at(&s.ring_position[3 * k])), ring.position);
        store(axis, ring.axis);
        store(across * (1 / std::sqrt(dot(across, across))), ring.across);
        world.shapes.rings.push_back(ring);
        world.shapes.ring_candidate.push_back(int(n) + kRingPoints * k);
    }
}

FrameOnBody placed(const Tree& tree, int body, const double* pose) {
    FrameOnBody on{body, {}, {}};
    for (int c = 0; c < 3; ++c) {
        store(in_core(tree, body, {pose[c], pose[4 + c], pose[8 + c]}), on.rotation + 3 * c);
    }
    store(in_core(tree, body, {pose[3], pose[7], pose[11]}), on.position);
    return on;
}

void add_ellipsoids(World& world, const WorldStatement& s) {
    const Tree& tree = *world.tree;
    const size_t n = s.ellipsoid_body.size();
    expect("ellipsoid_placement", s.ellipsoid_placement.size(), 16 * n);
    expect("ellipsoid_size", s.ellipsoid_size.size(), 3 * n);
    const int first = world.shapes.n_ground();
    for (int k : order_of(s.ellipsoid_body)) {
        const int body = s.ellipsoid_body[k];
        check_body(tree, "ellipsoid_body", body);
        Ellipsoid ellipsoid{body, placed(tree, body, &s.ellipsoid_placement[16 * k]), {}};
        for (int i = 0; i < 3; ++i) {
            ellipsoid.half_axes[i] = s.ellipsoid_size[3 * k + i];
            if (!(ellipsoid.half_axes[i] > 0)) refuse("ellipsoid_size must be above zero");
        }
        world.shapes.ellipsoids.push_back(ellipsoid);
        world.shapes.ellipsoid_candidate.push_back(first + k);
    }
}

// a ball around the candidates of each body
void group_points(World& world) {
    world.shares.resize(world.tree->n_bodies);
    for (int body = 0; body < world.tree->n_bodies; ++body) {
        Touching group{};
        group.body = body;
        double low[3], high[3];
        std::fill(low, low + 3, std::numeric_limits<double>::infinity());
        std::fill(high, high + 3, -std::numeric_limits<double>::infinity());
        const auto hold = [&](const double* p, double r) {
            for (int i = 0; i < 3; ++i) {
                low[i] = std::min(low[i], p[i] - r), high[i] = std::max(high[i], p[i] + r);
            }
        };
        for (size_t k = 0; k < world.shapes.spheres.size(); ++k) {
            if (world.shapes.spheres[k].body != body) continue;
            if (group.n_spheres++ == 0) group.sphere = int(k);
            hold(world.shapes.spheres[k].position, world.shapes.spheres[k].radius);
        }
        for (size_t k = 0; k < world.shapes.rings.size(); ++k) {
            if (world.shapes.rings[k].body != body) continue;
            if (group.n_rings++ == 0) group.ring = int(k);
            const Ring& ring = world.shapes.rings[k];
            hold(ring.position, ring.radius + ring.tube);
        }
        for (size_t k = 0; k < world.shapes.ellipsoids.size(); ++k) {
            if (world.shapes.ellipsoids[k].body != body) continue;
            if (group.n_ellipsoids++ == 0) group.ellipsoid = int(k);
            hold(world.shapes.ellipsoids[k].on.position, world.shapes.ellipsoids[k].reach());
        }
        const int count = group.n_spheres + kRingPoints * group.n_rings + group.n_ellipsoids;
        if (count == 0) continue;
        double square = 0;
        for (int i = 0; i < 3; ++i) {
            group.center[i] = (low[i] + high[i]) / 2;
            square += (high[i] - low[i]) * (high[i] - low[i]) / 4;
        }
        group.radius = std::sqrt(square);
        world.shapes.touching.push_back(group);
        world.shares[body] = count >= kSharing;
    }
}

double reach_of(const Solid& solid) {
    const double* size = solid.size;
    switch (solid.kind) {
        case SolidKind::hull:
            return farthest_corner(*solid.hull);
        case SolidKind::box:
            return std::sqrt(size[0] * size[0] + size[1] * size[1] + size[2] * size[2]);
        case SolidKind::ellipsoid:
            return std::max({size[0], size[1], size[2]});
        case SolidKind::torus:
            return size[0] + size[1];
        case SolidKind::triangle:
            return size[0] + std::max({-size[1], size[2], size[3]});
        default:
            return size[0] + size[1] / 2;
    }
}

std::shared_ptr<const Hull> hull_of(const std::vector<std::shared_ptr<const Hull>>& hulls,
                                    double number) {
    if (number >= 0 && number < double(hulls.size()) && number == std::floor(number)) {
        return hulls[size_t(number)];
    }
    refuse("solid_size of a hull must be its number, there are " + std::to_string(hulls.size()));
}

// from pairs to the partners of each solid, so that a sweep over solids finds its pairs
void list_partners(Shapes& shapes) {
    std::vector<std::vector<Partner>> partners(shapes.solids.size());
    for (int k = 0; k < shapes.n_pairs(); ++k) {
        const auto [low, high] = std::minmax(shapes.pairs[2 * k], shapes.pairs[2 * k + 1]);
        partners[low].push_back({high, k});
    }
    for (std::vector<Partner>& own : partners) {
        std::stable_sort(own.begin(), own.end(),
                         [](const Partner& x, const Partner& y) { return x.solid < y.solid; });
        shapes.first_partner.push_back(int(shapes.partners.size()));
        shapes.partners.insert(shapes.partners.end(), own.begin(), own.end());
    }
    shapes.first_partner.push_back(int(shapes.partners.size()));
}

void add_solids(World& world, const WorldStatement& s) {
    const Tree& tree = *world.tree;
    const auto hulls = make_hulls(s.hull_counts, s.hull_corners, s.hull_faces);
    const size_t n = s.solid_body.size();
    expect("solid_kind", s.solid_kind.size(), n);
    expect("solid_placement", s.solid_placement.size(), 16 * n);
    expect("solid_size", s.solid_size.size(), kSolidNumbers * n);
    for (size_t k = 0; k < n; ++k) {
        Solid solid{};
        solid.body = s.solid_body[k];
        check_body(tree, "solid_body", solid.body, true);
        solid.kind =
            word<SolidKind>("solid_kind", s.solid_kind[k],
                            {"sphere", "capsule", "box", "ellipsoid", "torus", "triangle", "hull"});
        solid.on = placed(tree, solid.body, &s.solid_placement[16 * k]);
        const double* size = &s.solid_size[kSolidNumbers * k];
        const bool box = solid.kind == SolidKind::box;
        constexpr int kNumbers[] = {1, 2, 3, 3, 2, 4, 1};
        for (int i = 0; i < kNumbers[int(solid.kind)]; ++i) {
            // the first corner of a triangle is on the other side of its height
            const bool below = solid.kind == SolidKind::triangle && i == 1;
            if (!((below ? -size[i] : size[i]) >= 0)) refuse("solid_size must not be negative");
            solid.size[i] = box ? size[i] / 2 : size[i];
        }
        if (solid.kind == SolidKind::ellipsoid && !(size[0] > 0 && size[1] > 0 && size[2] > 0)) {
            refuse("solid_size of an ellipsoid must be above zero");
        }
        if (solid.kind == SolidKind::hull) solid.hull = hull_of(hulls, size[0]);
        solid.reach = reach_of(solid);
        world.shapes.solids.push_back(solid);
    }
    if (s.pairs.size() % 2) refuse("pairs must have two columns");
    for (size_t k = 0; k < s.pairs.size(); k += 2) {
        int a = s.pairs[k], b = s.pairs[k + 1];
        if (a < 0 || b < 0 || a >= int(n) || b >= int(n)) {
            refuse("pairs must be indices of solids, there are " + std::to_string(n));
        }
        if (world.shapes.solids[a].body < 0) std::swap(a, b);
        if (world.shapes.solids[a].body < 0) refuse("pairs must have a solid that moves");
        world.shapes.pairs.push_back(a), world.shapes.pairs.push_back(b);
    }
    list_partners(world.shapes);
}

// leaves one of equal neighbours among points x, z: then all faces have a length
void remove_repeated(std::vector<double>& line) {
    size_t kept = 2;
    for (size_t k = 2; k < line.size(); k += 2) {
        if (line[k] == line[kept - 2] && line[k + 1] == line[kept - 1]) continue;
        line[kept] = line[k], line[kept + 1] = line[k + 1];
        kept += 2;
    }
    line.resize(kept);
}

// surfaces that are a ground everywhere: a height over each x and y
bool is_ground(SurfaceKind kind) {
    return kind == SurfaceKind::plane || kind == SurfaceKind::paraboloid ||
           kind == SurfaceKind::sinusoid;
}

void add_ground(World& world, const WorldStatement& s) {
    world.shapes.ground = word<GroundKind>("ground_kind", s.ground_kind,
                                           {"none", "plane", "profile", "height_field", "smooth"});
    std::vector<double>& numbers = world.shapes.ground_numbers;
    numbers = s.ground_numbers;
    if (world.shapes.ground == GroundKind::plane) {
        expect("ground_numbers of a plane", numbers.size(), 4);
        const Vector normal = vector_at(numbers.data());
        if (!(std::abs(dot(normal, normal) - 1) < 1e-9))
            refuse("the plane's normal must be a unit vector");
    }
    if (world.shapes.ground == GroundKind::profile) {
        if (numbers.size() < 2 || numbers.size() % 2) refuse("a profile needs points x, z");
        for (size_t k = 2; k < numbers.size(); k += 2) {
            if (numbers[k] < numbers[k - 2]) refuse("the profile's x must not decrease");
        }
        remove_repeated(numbers);
        // flat beyond its ends
        constexpr double kWide = 1e6;
        const double first[2] = {numbers[0] - kWide, numbers[1]};
        const double last[2] = {numbers[numbers.size() - 2] + kWide, numbers.back()};
        numbers.insert(numbers.begin(), first, first + 2);
        numbers.insert(numbers.end(), last, last + 2);
    }
    if (world.shapes.ground == GroundKind::smooth) {
        const double kind = numbers.empty() ? -1.0 : numbers[0];
        const bool known = kind >= 0 && kind < kSurfaceKinds && kind == std::floor(kind);
        if (!known || !is_ground(SurfaceKind(int(kind)))) {
            refuse("a smooth ground needs the number of its kind, and those of its surface");
        }
        expect("ground_numbers of the smooth ground", numbers.size(),
               1 + size_t(kSurfaceInfo[int(kind)].numbers));
    }
    if (world.shapes.ground == GroundKind::height_field) {
        if (numbers.size() < 6) refuse("a height field needs x0, y0, dx, dy, nx, ny and heights");
        const double nx = numbers[4], ny = numbers[5];
        if (!(nx >= 2 && ny >= 2 && nx <= 1e5 && ny <= 1e5) || nx != std::floor(nx) ||
            ny != std::floor(ny)) {
            refuse("a height field needs at least two rows and two columns");
        }
        if (!(numbers[2] > 0 && numbers[3] > 0))
            refuse("dx and dy of a height field must be positive");
        expect("ground_numbers of the height field", numbers.size(), 6 + size_t(nx) * size_t(ny));
    }
}

void read_blends(const char* name, const std::vector<double>& given, int n, double most,
                 std::vector<Blend>& out) {
    if (given.empty()) return;
    expect(name, given.size(), 4 * size_t(n));
    for (int k = 0; k < n; ++k) {
        const double* row = &given[4 * size_t(k)];
        const bool fits = row[0] >= 0 && row[1] >= 0 && row[2] >= 0 && row[3] >= row[2];
        if (!fits || row[1] > most || row[2] > most)
            refuse(std::string(name) + " must have rows of scale, offset, low, high");
        out.push_back({row[0], row[1], row[2], row[3]});
    }
}

void add_springs(World& world, const WorldStatement& s) {
    if (s.candidate_springs.empty()) return;
    expect("candidate_springs", s.candidate_springs.size(), 4 * size_t(world.n_candidates()));
    for (size_t k = 0; k < s.candidate_springs.size(); k += 4) {
        const double* row = &s.candidate_springs[k];
        for (int i = 0; i < 4; ++i) {
            if (!(row[i] >= 0 && row[i] < kHuge))
                refuse("candidate_springs must be finite and not negative");
        }
        world.candidate_springs.push_back({row[0], row[1], row[2], row[3]});
    }
}

// numbers that candidates have of their own
void add_candidate_numbers(World& world, const WorldStatement& s) {
    const int n = world.n_candidates();
    read_blends("candidate_friction", s.candidate_friction, n, kHuge, world.candidate_friction);
    read_blends("candidate_restitution", s.candidate_restitution, n, 1.0,
                world.candidate_restitution);
    add_springs(world, s);
    if (s.candidate_extras.empty()) return;
    expect("candidate_extras", s.candidate_extras.size(), 2 * size_t(n));
    for (int k = 0; k < n; ++k) {
        const LawExtras own{s.candidate_extras[2 * k], s.candidate_extras[2 * k + 1]};
        if (!(own.torsion >= 0 && own.rolling >= 0 && own.torsion < kHuge && own.rolling < kHuge))
            refuse("candidate_extras must be finite and not negative");
        world.candidate_extras.push_back(own);
        // as many rows as the one that needs most
        world.extras.torsion = std::max(world.extras.torsion, own.torsion);
        world.extras.rolling = std::max(world.extras.rolling, own.rolling);
    }
}

// positions that limits hold: those whose rate is a velocity of their joint
bool plain_positions(Kind kind) {
    switch (kind) {
        case Kind::revolute:
        case Kind::prismatic:
        case Kind::screw:
        case Kind::cylindrical:
        case Kind::universal:
        case Kind::translation:
        case Kind::spherical_zyx:
        case Kind::rolling_cylinder:
            return true;
        default:
            return false;
    }
}

void add_joint_rows(World& world, const WorldStatement& s) {
    const Tree& tree = *world.tree;
    if (!s.stiction.empty()) expect("stiction", s.stiction.size(), tree.nv);
    for (int w = 0; s.joint_friction && w < tree.joint_nv; ++w) {
        const int own = tree.user_v.empty() ? w : tree.user_v[w];
        const double least = s.stiction.empty() || own < 0 ? 0.0 : s.stiction[own];
        if (!(least >= 0)) refuse("stiction must not be negative");
        if (tree.friction[w] > 0 || least > 0) {
            world.friction.push_back({w, tree.friction[w], std::max(tree.friction[w], least)});
        }
    }
    for (int i = 0; s.joint_limits && i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (!plain_positions(link.kind) || link.spinning) continue;
        for (int k = 0; k < link.nv; ++k) {
            const int x = link.q + k, w = link.v + k;
            if (std::isfinite(tree.lower[x])) world.limits.push_back({w, x, tree.lower[x], 1.0});
            if (std::isfinite(tree.upper[x])) world.limits.push_back({w, x, tree.upper[x], -1.0});
        }
    }
}

void add_control(World& world, const WorldStatement& s) {
    const Tree& tree = *world.tree;
    world.control =
        word<ControlKind>("controller", s.controller,
                          {"torque", "pd", "implicit_pd", "pid", "inverse_dynamics", "passivity"});
    if (s.control_steps < 1) refuse("control_steps must be at least 1");
    world.control_steps = world.control == ControlKind::implicit_pd ? 1 : s.control_steps;
    expect("effort", s.effort.size(), tree.nv);
    for (double e : s.effort) {
        if (!(e >= 0)) refuse("effort must not be negative");
    }
    world.effort = s.effort;
    const auto some = [](const std::vector<double>& a) {
        return std::any_of(a.begin(), a.end(), [](double x) { return x != 0; });
    };
    for (const Link& link : tree.links) {
        const bool turns = link.kind == Kind::free || link.kind == Kind::planar;
        world.turning = world.turning || (turns && link.own >= 0);
    }
    world.passive = some(tree.damping) || some(tree.stiffness);
    world.implicit = some(tree.damping) || world.control == ControlKind::implicit_pd;
}

}  // namespace

World make_world(const Tree& tree, const WorldStatement& s) {
    if (!(s.dt > 0) || !std::isfinite(s.dt)) refuse("dt must be positive and finite");
    if (s.dt < kShortest) {
        refuse("dt is too short, must be at least 1e-12 s");
    }
    if (tree.table_size > 0) {
        refuse("the model has couplings by Python functions, which the step cannot call");
    }
    World world;
    world.tree = &tree, world.dt = s.dt, world.explicit_euler = s.explicit_euler;
    world.law = word<Law>("law", s.law, {"exact", "lemke", "penalty"});
    world.numbers = s.numbers, world.extras = s.extras;
    world.limit_restitution = s.limit_restitution, world.strict = s.strict;
    if (!(s.extras.torsion >= 0 && s.extras.rolling >= 0 && s.extras.torsion < kHuge &&
          s.extras.rolling < kHuge)) {
        refuse("torsional and rolling friction must be finite and not negative");
    }
    if (!(s.limit_restitution >= 0 && s.limit_restitution <= 1)) {
        refuse("limit_restitution must be from 0 to 1");
    }
    if (world.law == Law::penalty) world.numbers.ahead = false;
    if (world.numbers.iterations < 1) refuse("iterations must be at least 1");
    if (world.numbers.facets < 0 || (world.numbers.facets > 0 && world.numbers.facets < 3) ||
        world.numbers.facets > 64) {
        refuse("facets must be 0 for no friction, or from 3 to 64");
    }
    add_points(world, s);
    add_ellipsoids(world, s);
    group_points(world);
    add_solids(world, s);
    add_ground(world, s);
    add_joint_rows(world, s);
    add_control(world, s);
    const long on_ground = long(world.shapes.spheres.size()) +
                           kRingPoints * long(world.shapes.rings.size()) +
                           long(world.shapes.ellipsoids.size());
    const long candidates =
        world.shapes.n_places() * on_ground + kPairPoints * long(world.shapes.n_pairs());
    if (candidates > 1000000) refuse("there are more than a million contact candidates");
    if (s.max_contacts < 0 || s.max_contacts > 4096) refuse("max_contacts must be from 0 to 4096");
    world.max_contacts = int(std::min<long>(s.max_contacts, candidates));
    add_candidate_numbers(world, s);
    return world;
}

}  // namespace tarsus
