#include "flow/contact_mechanism.hpp"

#include "dynamics/configuration.hpp"
#include "flow/rim_spots.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

const auto kAll = [](const Touching&, const Pose<double>&) { return true; };
constexpr double kThird = 2.0943951023931953;  // of a turn
constexpr double kProbe = 2e-4;  // [s, at 1 m/s or rad/s] by which places are displaced for rates

JointState<double> spanned(const Tree& tree, const double* q, const double* v, const double* a,
                           Scratch& scratch) {
    if (!tree.coupled) return {q, v, a, nullptr};
    return span_coupled<double>(tree, nullptr, q, v, a, scratch);
}

// factors of masses, or null where all are one
const double* scales(const World& world, const double* parameters) {
    const double* scale = parameters + world.mass_scale();
    const int n = world.tree->n_bodies;
    return std::all_of(scale, scale + n, [](double x) { return x == 1.0; }) ? nullptr : scale;
}

size_t probe_bytes(const Tree& tree) {
    return bytes_of<double>(tree.nq) + 2 * bytes_of<double>(tree.nv) +
           2 * spanning_bytes<double>(tree) + configuration_bytes<double>(tree) +
           ArticulatedPasses<double>::bytes(tree) + bytes_of<Pose<double>>(tree.n_bodies + 1);
}

}  // namespace

ContactMechanism::ContactMechanism(const World& world, const double* parameters, const double* q,
                                   const double* v, const double* force, const Grip& grip,
                                   Scratch scratch)
    : world_(world),
      tree_(*world.tree),
      grip_(grip),
      q_(q),
      v_(v),
      joints_(spanned(tree_, q, v, nullptr, scratch)),
      passes_(tree_, joints_, {nullptr, scales(world, parameters)}, scratch),
      pose_(scratch.take<Pose<double>>(tree_.n_bodies + 1)),
      velocity_(scratch.take<Motion<double>>(tree_.n_bodies + 1)),
      test_(passes_, grip.rows(tree_), grip.blocks(tree_), scratch),
      scratch_(scratch),
      rows_(grip.rows(tree_)),
      spot_(world.n_candidates()) {
    passes_.velocities(nullptr);
    for (int i = 0; i <= tree_.n_bodies; ++i) velocity_[i] = passes_.body[i].v;
    place_bodies(passes_, pose_);
    passes_.inertias(force);
    find();
    follow(q, v, scratch);
}

size_t ContactMechanism::bytes(const World& world, const Grip& grip) {
    const Tree& tree = *world.tree;
    return spanning_bytes<double>(tree) + ArticulatedPasses<double>::bytes(tree) +
           bytes_of<Pose<double>>(tree.n_bodies + 1) + bytes_of<Motion<double>>(tree.n_bodies + 1) +
           TestForces<double>::bytes(tree, grip.rows(tree), grip.blocks(tree)) +
           std::max(
               {probe_bytes(tree), spanning_bytes<double>(tree), bytes_of<double>(tree.joint_nq)});
}

void ContactMechanism::find() {
    for_each_candidate(
        world_.shapes, pose_, kAll,
        [&](int candidate, int a, int b, const Touch<double>& t) { spot_[candidate] = {a, b, t}; });
    if (world_.shapes.ground == GroundKind::plane) find_rims();
    for (const Grip::Hold& hold : grip_.contacts) {
        const Spot& spot = spot_[hold.candidate];
        Closed closed{hold.candidate, spot.a, spot.b, spot.touch, {}, {}, {0, 0, 0}};
        closed.direction[0] = spot.touch.normal;
        tangents(spot.touch.normal, closed.direction[1], closed.direction[2]);
        closed_.push_back(closed);
    }
}

// the points of rims on a plane, of which a rim on its edge has one
void ContactMechanism::find_rims() {
    const Shapes& shapes = world_.shapes;
    const Vec3<double> n = vector_at(shapes.ground_numbers.data());
    for (size_t k = 0; k < shapes.rings.size(); ++k) {
        const Ring& ring = shapes.rings[k];
        const RimAt rim(ring, pose_[ring.body + 1], n);
        const bool flat = k < grip_.rim.size() && std::isfinite(grip_.rim[k]);
        for (int i = 0; i < kRingPoints; ++i) {
            Spot& spot = spot_[shapes.ring_candidate[k] + i];
            spot = {ring.body, -1, {kFar, rim.center, n}};
            if (!flat && i > 0) continue;
            const Vec3<double> towards =
                flat ? rim.towards(grip_.rim[k] + kThird * i)
                     : (rim.tilt > 0 ? rim.down * (1 / rim.tilt) : rim.first);
            spot.touch =
                touch_ground<double>(shapes, mul_add(towards, ring.radius, rim.center), ring.tube);
        }
    }
}

Vec3<double> ContactMechanism::rim_rate(int k, int point) const {
    const Ring& ring = world_.shapes.rings[k];
    const Pose<double>& pose = pose_[ring.body + 1];
    const Vec3<double> n = vector_at(world_.shapes.ground_numbers.data());
    const RimAt rim(ring, pose, n);
    const Vec3<double> turning = pose.rotation * velocity_[ring.body + 1].angular;
    const bool flat = k < int(grip_.rim.size()) && std::isfinite(grip_.rim[k]);
    Vec3<double> moves = point_velocity(pose, velocity_[ring.body + 1], rim.center);
    if (flat) {
        moves =
            mul_add(cross(turning, rim.towards(grip_.rim[k] + kThird * point)), ring.radius, moves);
    } else if (rim.tilt > 0) {
        moves = mul_add(lowest_rate(rim, n, turning), ring.radius, moves);
    }
    return moves - n * dot(n, moves);
}

// How the points and directions of closed contacts move. On a plane the point follows the centre of
// a ball or a point of a rim, along the plane; elsewhere by differences of fourth order along the
// motion.
void ContactMechanism::follow(const double* q, const double* v, Scratch scratch) {
    const Shapes& shapes = world_.shapes;
    std::vector<size_t> others;
    for (size_t k = 0; k < closed_.size(); ++k) {
        Closed& closed = closed_[k];
        for (Vec3<double>& rate : closed.rate) rate = {0, 0, 0};
        int ball = -1;
        for (size_t s = 0; s < shapes.spheres.size(); ++s) {
            if (shapes.sphere_candidate[s] == closed.candidate) ball = int(s);
        }
        int ring = -1;
        for (size_t s = 0; s < shapes.rings.size(); ++s) {
            const int point = closed.candidate - shapes.ring_candidate[s];
            if (point >= 0 && point < kRingPoints) ring = int(s);
        }
        if (shapes.ground != GroundKind::plane || (ball < 0 && ring < 0)) {
            others.push_back(k);
            continue;
        }
        if (ring >= 0) {
            closed.point_rate = rim_rate(ring, closed.candidate - shapes.ring_candidate[ring]);
            continue;
        }
        const Pose<double>& pose = pose_[closed.a + 1];
        const Vec3<double> center =
            pose.rotation * vector_at(shapes.spheres[ball].position) + pose.position;
        const Vec3<double> moves = point_velocity(pose, velocity_[closed.a + 1], center);
        const Vec3<double>& n = closed.touch.normal;
        closed.point_rate = moves - n * dot(n, moves);
    }
    if (others.empty()) return;
    double speed = 1;
    for (int k = 0; k < tree_.nv; ++k) speed = std::max(speed, std::abs(v[k]));
    const double h = kProbe / speed;
    double *step = scratch.take<double>(tree_.nv), *still = scratch.take<double>(tree_.nv);
    double* at = scratch.take<double>(tree_.nq);
    std::fill(still, still + tree_.nv, 0.0);
    constexpr int kSides[4] = {-2, -1, 1, 2};
    constexpr double kWeight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    for (int s = 0; s < 4; ++s) {
        Scratch room = scratch;
        for (int k = 0; k < tree_.nv; ++k) step[k] = kSides[s] * h * v[k];
        {
            Scratch own = room;
            const JointState<double> moving = spanned(tree_, q, step, nullptr, own);
            step_configuration<double>(tree_, nullptr, moving, step, at, own);
        }
        const JointState<double> there = spanned(tree_, at, still, nullptr, room);
        ArticulatedPasses<double> passes(tree_, there, {}, room);
        passes.velocities(nullptr);
        Pose<double>* pose = room.take<Pose<double>>(tree_.n_bodies + 1);
        place_bodies(passes, pose);
        const double by = kWeight[s] / h;
        for_each_candidate(shapes, pose, kAll,
                           [&](int candidate, int, int, const Touch<double>& t) {
                               for (size_t k : others) {
                                   Closed& closed = closed_[k];
                                   if (closed.candidate != candidate) continue;
                                   Vec3<double> across, along;
                                   tangents(t.normal, across, along);
                                   closed.point_rate = mul_add(t.point, by, closed.point_rate);
                                   closed.rate[0] = mul_add(t.normal, by, closed.rate[0]);
                                   closed.rate[1] = mul_add(across, by, closed.rate[1]);
                                   closed.rate[2] = mul_add(along, by, closed.rate[2]);
                               }
                           });
    }
}

Vec3<double> ContactMechanism::velocity(int a, int b, const Vec3<double>& point) const {
    const Vec3<double> of_a = point_velocity(pose_[a + 1], velocity_[a + 1], point);
    return b < 0 ? of_a : of_a - point_velocity(pose_[b + 1], velocity_[b + 1], point);
}

double ContactMechanism::fastest() const {
    double most = 0;
    for (const Solid& solid : world_.shapes.solids) {
        const Motion<double>& v = velocity_[solid.body + 1];
        const Vec3<double> center = vector_at(solid.on.position);
        const Vec3<double> at = v.linear + cross(v.angular, center);
        most = std::max(
            most, std::sqrt(dot(at, at)) + solid.reach * std::sqrt(dot(v.angular, v.angular)));
    }
    for (const Touching& touching : world_.shapes.touching) {
        const Motion<double>& v = velocity_[touching.body + 1];
        const Vec3<double> at = v.linear + cross(v.angular, vector_at(touching.center));
        most = std::max(
            most, std::sqrt(dot(at, at)) + touching.radius * std::sqrt(dot(v.angular, v.angular)));
    }
    return most;
}

double ContactMechanism::limit_gap(int limit) const {
    const Limit& at = world_.limits[limit];
    return at.sign * (joints_.q[at.x] - at.bound);
}
double ContactMechanism::limit_rate(int limit) const {
    const Limit& at = world_.limits[limit];
    return at.sign * joints_.v[at.w];
}

LoopAt<double> ContactMechanism::loop_place(const Loop& loop) const {
    LoopAt<double> at;
    loop_at(tree_, loop, pose_[loop.a.body + 1], pose_[loop.b.body + 1], at);
    return at;
}

void ContactMechanism::rates(double* out) const {
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        const LoopAt<double> at = loop_place(loop);
        const Pose<double>&a = pose_[loop.a.body + 1], &b = pose_[loop.b.body + 1];
        const auto in_world = [&](int body) {
            const Mat3<double>& R = pose_[body + 1].rotation;
            return Motion<double>{R * velocity_[body + 1].linear, R * velocity_[body + 1].angular};
        };
        for (int r = 0; r < loop.n_rows; ++r) {
            out[first + r] = row_rate(at.row[r], at.point, b.position, in_world(loop.b.body)) -
                             row_rate(at.row[r], at.point, a.position, in_world(loop.a.body));
        }
    });
    double* own = out + first_contact();
    for (const Closed& closed : closed_) {
        const Vec3<double> v = velocity(closed.a, closed.b, closed.touch.point);
        for (int i = 0; i < 3; ++i) *own++ = dot(closed.direction[i], v);
    }
    for (int limit : grip_.limits) *own++ = limit_rate(limit);
    for (int dry : grip_.dry) *own++ = joints_.v[world_.friction[dry].w];
}

void ContactMechanism::gaps(double* out) const {
    std::fill(out, out + rows_, 0.0);
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        const LoopAt<double> at = loop_place(loop);
        for (int r = 0; r < loop.n_rows; ++r) out[first + r] = at.residual[r];
    });
    for (size_t k = 0; k < closed_.size(); ++k) {
        out[first_contact() + 3 * k] = closed_[k].touch.gap;
    }
    for (size_t k = 0; k < grip_.limits.size(); ++k) {
        out[first_limit() + k] = limit_gap(grip_.limits[k]);
    }
}

void ContactMechanism::accelerate(double* a) {
    passes_.accelerations(world_at_rest<double>(tree_).a, a);
}

void ContactMechanism::configuration_rate(double* out) {
    Scratch scratch = scratch_;
    double* rate = tree_.coupled ? scratch.take<double>(tree_.joint_nq) : out;
    for (const Link& link : tree_.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::rate(passes_.at(link), joints_.v + link.v, rate + link.q);
        });
    }
    if (tree_.coupled) store_positions(tree_, rate, out);
}

void ContactMechanism::curves(const double* a, double* out) {
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        loop_accelerations(tree_, loop, motion_of(loop.a.body), motion_of(loop.b.body),
                           out + first);
    });
    double* own = out + first_contact();
    for (const Closed& closed : closed_) {
        const Vec3<double>& x = closed.touch.point;
        const auto bends = [&](int body) {
            const BodyMotion<double> m = motion_of(body);
            return m.acceleration + cross(m.turning_rate, x - m.pose.position) +
                   cross(m.turning, closed.point_rate - m.velocity);
        };
        // gravity is an acceleration of the world, which the other side has, too
        const Vec3<double> bend = bends(closed.a) - bends(closed.b);
        const Vec3<double> v = velocity(closed.a, closed.b, x);
        for (int i = 0; i < 3; ++i) {
            *own++ = dot(closed.direction[i], bend) + dot(closed.rate[i], v);
        }
    }
    if (grip_.limits.empty() && grip_.dry.empty()) return;
    Scratch scratch = scratch_;
    const double* joint_a = spanned(tree_, q_, v_, a, scratch).a;
    for (int limit : grip_.limits) {
        *own++ = world_.limits[limit].sign * joint_a[world_.limits[limit].w];
    }
    for (int dry : grip_.dry) *own++ = joint_a[world_.friction[dry].w];
}

void ContactMechanism::sum_operator(double* A) {
    test_.clear();
    for_each_constraint(
        tree_, [&](const Loop& loop, int) { push_loop(test_, loop, pose_, loop_place(loop)); });
    for (const Closed& closed : closed_) {
        RowForces<double> on_a, on_b;
        for (int i = 0; i < 3; ++i) {
            const Force<double> push{closed.direction[i], zero_vector<double>()};
            on_a.f[i] = force_on(pose_[closed.a + 1], closed.touch.point, push);
            if (closed.b < 0) continue;
            const Force<double> back = force_on(pose_[closed.b + 1], closed.touch.point, push);
            on_b.f[i] = {-back.linear, -back.angular};
        }
        test_.push_bodies(3, closed.a, on_a, closed.b, on_b);
    }
    for (int limit : grip_.limits) {
        test_.push_joint(world_.limits[limit].w, world_.limits[limit].sign);
    }
    for (int dry : grip_.dry) test_.push_joint(world_.friction[dry].w);
    if (rows_ > 0) test_.sum_operator(A);
}

void ContactMechanism::change(const double* p, double* dv) {
    test_.load(p);
    for (int i = 0; i <= tree_.n_bodies; ++i) passes_.body[i].c = zero_motion<double>();
    passes_.accelerations(zero_motion<double>(), dv);
}

}  // namespace tarsus::TARSUS_ISA
