// From what was stated about a mechanism to the arrays that the recursions read.
#include "model/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "model/clusters.hpp"
#include "spatial/motion.hpp"
#include "spatial/transform.hpp"

namespace tarsus {

using namespace TARSUS_ISA;
using Vector = Vec3<double>;
using Matrix = Mat3<double>;

constexpr KindInfo kKindInfo[kKinds] = {
    {"revolute", 1, 1, 1},
    {"prismatic", 1, 1, 0},
    {"screw", 1, 1, 1},
    {"cylindrical", 2, 2, 1},
    {"universal", 2, 2, 2},
    {"spherical", 4, 3, 0, 0, 0},
    {"spherical_zyx", 3, 3, 3},
    {"planar", 3, 3, 1, 2},
    {"translation", 3, 3, 0},
    {"free", 7, 6, 0, 0, 3},
    {"knife_edge", 3, 2, 1, 2},
    {"rolling_wheel", 4, 2, 2, 2},
    {"rolling_disc", 5, 3, 3, 2},
    {"rolling_ball", 6, 3, 0, 0, 2},
    {"differential_base", 5, 2, 1, 2},
    {"rolling_cylinder", 1, 1, 1},
    {"rolling", 6, 3, 0, 0, 2},
};
static_assert([] {
    for (const KindInfo& kind : kKindInfo) {
        if (kind.nq > kMostPositions || kind.nv > kMostVelocities || kind.angles > kMostAngles)
            return false;
    }
    return true;
}());

namespace {

Vector normalized_axis(const double* a, int body) {
    const Vector axis = vector_at(a);
    const double length = std::sqrt(dot(axis, axis));
    if (!(length > 0) || !std::isfinite(length)) {
        throw std::invalid_argument("axes[" + std::to_string(body) +
                                    "] must be finite and not zero");
    }
    return axis * (1 / length);
}

// the smallest rotation that takes z to the axis, permutations for x and y
Matrix rotation_to(const Vector& axis) {
    const auto is = [&](double x, double y, double z) {
        return axis.x == x && axis.y == y && axis.z == z;
    };
    if (is(0, 0, 1)) return identity_matrix<double>();
    if (is(1, 0, 0)) return {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    if (is(0, 1, 0)) return {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
    if (axis.z < 0 && axis.x == 0 && axis.y == 0) return {{1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    // I + [w] + [w]²/(1 + c) with w = z × axis, c = z · axis; near −z, 1 + c would cancel
    const double x = axis.x, y = axis.y;
    const double s = axis.z < 0 ? (1 - axis.z) / (x * x + y * y) : 1 / (1 + axis.z);
    return {{1 - x * x * s, -x * y * s, -x}, {-x * y * s, 1 - y * y * s, -y}, {x, y, axis.z}};
}

// the core's axes of a body, in the user's body frame
Matrix core_axes(const LinkStatement& link, int body) {
    switch (link.kind) {
        case Kind::revolute:
        case Kind::prismatic:
        case Kind::screw:
        case Kind::cylindrical:
        case Kind::planar:
            return rotation_to(normalized_axis(link.axis, body));
        case Kind::universal: {
            const Vector x = normalized_axis(link.axis, body);
            const Vector z = normalized_axis(link.second_axis, body);
            if (std::abs(dot(x, z)) > 1e-9) {
                throw std::invalid_argument("the axes of universal joint " + std::to_string(body) +
                                            " must be perpendicular");
            }
            const Vector across = z - x * dot(x, z);  // perpendicular to the last bit
            const Vector upright = across * (1 / std::sqrt(dot(across, across)));
            return {x, cross(upright, x), upright};
        }
        default:
            return identity_matrix<double>();
    }
}

void check_surfaces(const LinkStatement& link, int body) {
    if (link.kind != Kind::rolling) return;
    const SurfaceInfo &surface = kSurfaceInfo[int(link.surface.kind)],
                      &ground = kSurfaceInfo[int(link.ground.kind)];
    if (surface.rolls && ground.ground) return;
    throw std::invalid_argument("rolling joint " + std::to_string(body) + ": a " + surface.name +
                                " cannot roll on a " + ground.name);
}

struct Placed {
    Matrix rotation;
    Vector position;
};

Placed placed(const double* m) {
    return {{{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}}, {m[3], m[7], m[11]}};
}

void store(const Matrix& m, double* out) {
    const Vector columns[3] = {m.x, m.y, m.z};
    for (int k = 0; k < 3; ++k) {
        out[3 * k] = columns[k].x, out[3 * k + 1] = columns[k].y, out[3 * k + 2] = columns[k].z;
    }
}

void store(const Vector& a, double* out) { out[0] = a.x, out[1] = a.y, out[2] = a.z; }

bool same(const Matrix& a, const Matrix& b) {
    double p[9], q[9];
    store(a, p), store(b, q);
    for (int k = 0; k < 9; ++k) {
        if (p[k] != q[k]) return false;
    }
    return true;
}

Turn turn_of(const Matrix& m) {
    if (same(m, identity_matrix<double>())) return Turn::none;
    if (same(m, {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}})) return Turn::cyclic;
    if (same(m, {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}})) return Turn::anticyclic;
    return Turn::general;
}

MatrixRows rows_of(const Matrix& r, const Vector& p) {
    return {{{r.x.x, r.y.x, r.z.x, p.x}, {r.x.y, r.y.y, r.z.y, p.y}, {r.x.z, r.y.z, r.z.z, p.z}}};
}

// inertia about the origin of the core's body frame
void state_inertia(const LinkStatement& from, const Matrix& axes, Link& link) {
    const double* a = from.inertia;
    const Vector com = transposed_times(axes, vector_at(from.com));
    const Sym3<double> central =
        rotate(transpose(axes), Sym3<double>{a[0], a[3], a[4], a[6], a[7], a[8]});
    const Inertia<double> about_com{from.mass, {0, 0, 0}, central};
    const Inertia<double> inertia = shift(about_com, com);
    link.mass = from.mass;
    store(inertia.first, link.first);
    const Sym3<double>& s = inertia.second;
    const double second[6] = {s.xx, s.xy, s.yy, s.xz, s.yz, s.zz};
    std::copy(second, second + 6, link.second);
}

void list_angles(Tree& tree, const Link& link) {
    const int first_angle = link.q + kKindInfo[int(link.kind)].first_angle;
    for (int k = 0; k < link.angles; ++k) {
        tree.all_angles.push_back(int(tree.all_angles.size()));
        tree.angle_coordinate.push_back(first_angle + k);
    }
}

}  // namespace

void axis_rotation(const double axis[3], double rotation[9]) {
    store(transpose(rotation_to(normalized_axis(axis, 0))), rotation);
}

Tree make_tree(const std::vector<LinkStatement>& links, const std::vector<FrameStatement>& frames,
               const ClusterStatements& clusters, const double gravity[3]) {
    Tree tree;
    std::vector<Matrix> axes;
    std::copy(gravity, gravity + 3, tree.gravity);
    for (const LinkStatement& from : links) {
        const int i = tree.n_bodies;
        if (from.parent < -1 || from.parent >= i) {
            throw std::invalid_argument("parents[" + std::to_string(i) +
                                        "] must be -1 or an earlier body");
        }
        const KindInfo& kind = kKindInfo[int(from.kind)];
        check_surfaces(from, i);
        axes.push_back(core_axes(from, i));
        Link link{};
        link.parent = from.parent, link.kind = from.kind;
        link.pitch = from.pitch, link.radius = from.radius, link.track = from.track;
        link.surface = from.surface, link.ground = from.ground;
        link.q = tree.joint_nq, link.v = tree.joint_nv, link.nv = kind.nv;
        link.angle = int(tree.all_angles.size()), link.angles = kind.angles;

        const Placed placement = placed(from.placement);
        const Matrix parent = from.parent < 0 ? identity_matrix<double>() : axes[from.parent];
        const Matrix rotation = transpose(parent) * (placement.rotation * axes[i]);
        link.turn = turn_of(rotation);
        store(rotation, link.rotation);
        store(transposed_times(parent, placement.position), link.position);
        state_inertia(from, axes[i], link);

        BodyAxes seen{turn_of(transpose(axes[i])), {}};
        store(transpose(axes[i]), seen.rotation);
        tree.body_axes.push_back(seen);
        tree.placement_rows.push_back(rows_of(rotation, vector_at(link.position)));
        tree.axes_rows.push_back(rows_of(transpose(axes[i]), {0, 0, 0}));
        list_angles(tree, link);
        tree.links.push_back(link);
        tree.joint_nq += kind.nq, tree.joint_nv += kind.nv, tree.n_bodies += 1;
        tree.total_mass += from.mass;
    }
    tree.n_angles = int(tree.all_angles.size());
    const auto on_body = [&](const FrameStatement& from) {
        if (from.body < -1 || from.body >= tree.n_bodies) {
            throw std::invalid_argument("frames must be on body -1 or on the index of a body");
        }
        const Placed placement = placed(from.placement);
        const Matrix body = from.body < 0 ? identity_matrix<double>() : axes[from.body];
        FrameOnBody frame{from.body, {}, {}};
        store(transpose(body) * placement.rotation, frame.rotation);
        store(transposed_times(body, placement.position), frame.position);
        return frame;
    };
    for (const FrameStatement& from : frames) tree.frames.push_back(on_body(from));
    for (const LoopStatement& from : clusters.loops) {
        Loop loop{on_body(from.a), on_body(from.b), from.length, 0, 0, -1, 0};
        std::vector<LoopRow> rows = loop_rows(from.kind);
        if (from.kept.size() != rows.size()) {
            throw std::invalid_argument("loop_rows_kept must have one entry for each row");
        }
        for (size_t r = 0; r < rows.size(); ++r) rows[r].kept = from.kept[r];
        loop.row = int(tree.rows.size()), loop.n_rows = int(rows.size());
        tree.rows.insert(tree.rows.end(), rows.begin(), rows.end());
        tree.loops.push_back(loop);
        tree.loop_names.push_back(from.name);
    }
    gather_clusters(tree, clusters);
    return tree;
}

}  // namespace tarsus
