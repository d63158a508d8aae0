#include "flow/contact_system.hpp"

#include "dynamics/configuration.hpp"
#include "dynamics/springs.hpp"
#include "flow/part_forces.hpp"
#include "flow/rim_spots.hpp"
#include "world/run.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr int kMostClosing = 4;
constexpr double kClosed = 1e-15;  // [m, rad]
constexpr double kEntered = 1e-5;  // [m] nothing that is open may be deeper
constexpr double kResting = 1e-9;  // [rad, m] so far may a joint that rests be beyond its limit
constexpr double kSlow = 1e-12;    // [m/s] below, it is not known which way a point slides

}  // namespace

ContactSystem::ContactSystem(const World& world, const ContactFlowNumbers& numbers,
                             Outside& outside)
    : released(world.n_candidates(), 0.0),
      world_(world),
      tree_(*world.tree),
      numbers_(numbers),
      outside_(outside),
      n_works_(3 * tree_.nv + int(numbers.parts.list.size()) + ContactFlow::kOwnWorks),
      holding_(world, numbers.parameters.data(), numbers.creep),
      force_(tree_.nv),
      zero_(tree_.nv, 0.0),
      records_(numbers.parts.record_size()) {
    grip.way.assign(world.friction.size(), 0);
    if (world.shapes.ground == GroundKind::plane)
        grip.rim.assign(world.shapes.rings.size(), __builtin_nan(""));
}

// everything that could end the grip
void ContactSystem::watch() {
    watching.clear();
    const double mu = parameters()[kFriction];
    std::vector<bool> closed(world_.n_candidates(), false), stopped(world_.limits.size(), false);
    std::vector<bool> stuck(world_.friction.size(), false);
    for (const Grip::Hold& hold : grip.contacts) closed[hold.candidate] = true;
    for (int limit : grip.limits) stopped[limit] = true;
    for (int dry : grip.dry) stuck[dry] = true;
    for (int c = 0; c < world_.n_candidates(); ++c) {
        if (!closed[c]) watching.push_back({Watch::gap, c, released[c]});
    }
    for (int k = 0; k < int(grip.contacts.size()); ++k) {
        watching.push_back({Watch::pull, k});
        if (grip.contacts[k].slides) {
            watching.push_back({Watch::turn, k});
            if (grip.contacts[k].creeps) {
                watching.push_back({Watch::fast, k});
            } else if (may_creep()) {
                watching.push_back({Watch::slow, k});
            }
        }
        if (!grip.contacts[k].slides && std::isfinite(mu)) watching.push_back({Watch::cone, k});
    }
    for (int k = 0; k < int(grip.rim.size()); ++k) watching.push_back({Watch::tilt, k});
    for (int k = 0; k < int(world_.limits.size()); ++k) {
        if (stopped[k]) continue;
        // a joint that friction holds at its limit does not come back to it
        const auto held = [&](int dry) { return world_.friction[dry].w == world_.limits[k].w; };
        const bool rests = std::any_of(grip.dry.begin(), grip.dry.end(), held);
        watching.push_back({Watch::limit_gap, k, rests ? kResting : 0.0});
    }
    for (int k = 0; k < int(grip.limits.size()); ++k) watching.push_back({Watch::limit_pull, k});
    for (int k = 0; k < int(grip.dry.size()); ++k) watching.push_back({Watch::dry_margin, k});
    for (int k = 0; k < int(world_.friction.size()); ++k) {
        if (!stuck[k]) watching.push_back({Watch::dry_turn, k});
    }
}

void ContactSystem::push(double t, const double* q, const double* v, double* force, double* power) {
    const int nv = tree_.nv;
    outside_.efforts(t, 1, q, v, force);
    const size_t bytes = spanning_bytes<double>(tree_) + bytes_of<double>(tree_.joint_nq) +
                         3 * bytes_of<double>(tree_.joint_nv) + 3 * bytes_of<double>(nv) +
                         part_forces_bytes<double>(tree_, numbers_.parts);
    Scratch scratch(push_memory_.get(bytes));
    for (int k = 0; power && k < nv; ++k) {
        power[k] = force[k] * v[k], power[nv + k] = power[2 * nv + k] = 0.0;
    }
    const JointState<double> joints =
        tree_.coupled ? span_coupled<double>(tree_, nullptr, q, v, nullptr, scratch)
                      : JointState<double>{q, v, nullptr, nullptr};
    double* spring = scratch.take<double>(tree_.joint_nv);
    double *damper = scratch.take<double>(tree_.joint_nv),
           *dry = scratch.take<double>(tree_.joint_nv);
    double* gathered = scratch.take<double>(nv);
    if (world_.passive) {
        Scratch room = scratch;
        stretch(tree_, joints.q, room, spring);
    }
    for (int w = 0; w < tree_.joint_nv; ++w) {
        spring[w] = world_.passive ? -tree_.stiffness[w] * spring[w] : 0.0;
        damper[w] = -tree_.damping[w] * joints.v[w], dry[w] = 0.0;
    }
    for (size_t k = 0; k < world_.friction.size(); ++k) {
        dry[world_.friction[k].w] -= grip.way[k] * world_.friction[k].coulomb;
    }
    const auto add = [&](const double* on_joints, int place) {
        gather_forces(tree_, joints.G, on_joints, gathered);
        for (int k = 0; k < nv; ++k) {
            force[k] += gathered[k];
            if (power && place > 0) power[place * nv + k] = gathered[k] * v[k];
        }
    };
    add(spring, 0), add(damper, 1), add(dry, 2);
    const int parts = int(numbers_.parts.list.size());
    if (parts == 0) return;
    part_forces<double>(tree_, numbers_.parts, numbers_.part_numbers.data(), nullptr, q, v,
                        gathered, records_.data(), scratch);
    for (int k = 0; k < nv; ++k) force[k] += gathered[k];
    for (int k = 0; power && k < parts; ++k) {
        power[3 * nv + k] = records_[Parts::kRecord * k + kPower];
    }
}

void ContactSystem::rates(double t, const double* y, double* dy, double* values, double* slopes) {
    const int nq = tree_.nq, nv = tree_.nv;
    const double *q = y, *v = y + nq;
    double *a = dy + nq, *power = dy + nq + nv;
    ++evaluated;
    if (entered >= 0) {
        std::fill(dy, dy + size(), __builtin_nan(""));
        for (int g = 0; values && g < n_guards(); ++g) values[g] = slopes[g] = __builtin_nan("");
        return;
    }
    push(t, q, v, force_.data(), power);
    ContactMechanism mechanism = at(q, v, force_.data(), grip);
    mechanism.accelerate(a);
    holding_.solve(mechanism, grip, a, near);
    if (mechanism.rows() > 0) {
        mechanism.load(holding_.lambda.data());
        mechanism.accelerate(a);
    }
    mechanism.configuration_rate(dy);
    double* own = power + 3 * nv + numbers_.parts.list.size();
    own[ContactFlow::kRubbing] = friction_power(mechanism);
    own[ContactFlow::kImpacts] = own[ContactFlow::kStops] = 0.0;
    if (values) look(mechanism, a, values, slopes);
}

double ContactSystem::friction_power(const ContactMechanism& mechanism) const {
    double power = 0;
    for (size_t k = 0; k < grip.contacts.size(); ++k) {
        if (!grip.contacts[k].slides) continue;
        const Closed& closed = mechanism.closed()[k];
        const Vec3<double> v = mechanism.velocity(closed.a, closed.b, closed.touch.point);
        for (int i = 1; i < 3; ++i) {
            power += holding_.lambda[mechanism.first_contact() + 3 * k + i] *
                     dot(closed.direction[i], v);
        }
    }
    return power;
}

void ContactSystem::look(const ContactMechanism& mechanism, const double* a, double* values,
                         double* slopes) {
    const double unknown = __builtin_nan("");
    const std::vector<double>& lambda = holding_.lambda;
    const JointState<double>& joints = mechanism.joints();
    for (size_t g = 0; g < watching.size(); ++g) {
        const int k = watching[g].index;
        double &value = values[g], &slope = slopes[g];
        slope = unknown;
        const int row = mechanism.first_contact() + 3 * k;
        switch (watching[g].what) {
            case Watch::gap: {
                const Spot& spot = mechanism.spots()[k];
                value = spot.touch.gap + watching[g].offset;
                slope = spot.touch.gap >= kFar || spot.a < 0
                            ? 0.0
                            : dot(spot.touch.normal,
                                  mechanism.velocity(spot.a, spot.b, spot.touch.point));
                break;
            }
            case Watch::pull:
                value = lambda[row] + allowed;
                break;
            case Watch::cone: {
                const double mu = friction_of(world_, grip.contacts[k].candidate, parameters());
                value = mu * lambda[row] - std::hypot(lambda[row + 1], lambda[row + 2]) + allowed;
                break;
            }
            case Watch::turn: {
                const Closed& closed = mechanism.closed()[k];
                value = dot(ways[k], mechanism.velocity(closed.a, closed.b, closed.touch.point)) +
                        kSlow;
                break;
            }
            case Watch::slow: {
                const Closed& closed = mechanism.closed()[k];
                const Vec3<double> u = mechanism.velocity(closed.a, closed.b, closed.touch.point);
                value = std::hypot(dot(closed.direction[1], u), dot(closed.direction[2], u)) -
                        0.5 * creep();
                break;
            }
            case Watch::fast: {
                const Closed& closed = mechanism.closed()[k];
                value = creep() -
                        dot(ways[k], mechanism.velocity(closed.a, closed.b, closed.touch.point));
                break;
            }
            case Watch::tilt: {
                const Vec3<double> n = vector_at(world_.shapes.ground_numbers.data());
                const Ring& ring = world_.shapes.rings[k];
                const double tilt = RimAt(ring, mechanism.poses()[ring.body + 1], n).tilt;
                value = std::isfinite(grip.rim[k]) ? 2 * kFlat - tilt : tilt - kFlat;
                break;
            }
            case Watch::limit_gap:
                value = mechanism.limit_gap(k) + watching[g].offset;
                slope = mechanism.limit_rate(k);
                break;
            case Watch::limit_pull:
                value = lambda[mechanism.first_limit() + k] + allowed;
                break;
            case Watch::dry_margin: {
                const DryFriction& dry = world_.friction[grip.dry[k]];
                value = most_held(dry) - std::abs(lambda[mechanism.first_dry() + k]) + allowed;
                break;
            }
            case Watch::dry_turn: {
                const int w = world_.friction[k].w;
                value = grip.way[k] * joints.v[w] + kSlow;
                if (!tree_.coupled) slope = grip.way[k] * a[w];
            }
        }
    }
}

void ContactSystem::tip_rims(const double* q, const double* v) {
    if (grip.rim.empty()) return;
    const Grip open = grip.open();
    const ContactMechanism mechanism = at(q, v, zero_.data(), open);
    const Vec3<double> n = vector_at(world_.shapes.ground_numbers.data());
    for (size_t k = 0; k < grip.rim.size(); ++k) {
        const Ring& ring = world_.shapes.rings[k];
        const RimAt rim(ring, mechanism.poses()[ring.body + 1], n);
        const bool flat = rim.tilt < 1.5 * kFlat;
        if (flat == std::isfinite(grip.rim[k])) continue;
        grip.rim[k] = flat ? rim.lowest_angle() : __builtin_nan("");
        if (flat) continue;
        // of its points one is left, the lowest
        const int first = world_.shapes.ring_candidate[k];
        std::vector<Grip::Hold> others;
        for (Grip::Hold hold : grip.contacts) {
            const bool own = hold.candidate >= first && hold.candidate < first + kRingPoints;
            if (own) hold.candidate = first;
            const bool there = own && !others.empty() && others.back().candidate == first;
            if (!there) others.push_back(hold);
        }
        grip.contacts = others;
    }
}

bool ContactSystem::stop_turned(const double* q, const double* v) {
    const ContactMechanism mechanism = at(q, v, zero_.data(), grip);
    bool any = false;
    for (size_t k = 0; k < grip.contacts.size(); ++k) {
        Grip::Hold& hold = grip.contacts[k];
        const Closed& closed = mechanism.closed()[k];
        const Vec3<double> u = mechanism.velocity(closed.a, closed.b, closed.touch.point);
        if (!hold.creeps || dot(hold.way, u) > 0) continue;
        hold.slides = hold.creeps = false, any = true;
    }
    return any;
}

void ContactSystem::step(const double* q, const double* along, double* moved) {
    const size_t bytes = spanning_bytes<double>(tree_) + configuration_bytes<double>(tree_);
    Scratch scratch(push_memory_.get(bytes));
    const JointState<double> joints =
        tree_.coupled ? span_coupled<double>(tree_, nullptr, q, along, nullptr, scratch)
                      : JointState<double>{q, along, nullptr, nullptr};
    step_configuration<double>(tree_, nullptr, joints, along, moved, scratch);
}

// positions and velocities that keep the grip, the nearest in the metric of the mass matrix
void ContactSystem::settle(double where, double* y) {
    const int nq = tree_.nq, nv = tree_.nv;
    if (!(where > 0)) return;
    std::vector<double> q(y, y + nq), moved(nq), step(nv, 0.0);
    const int rows = grip.rows(tree_);
    room_.resize(std::max(rows, 1));
    for (int k = 0; k <= kMostClosing; ++k) {
        double worst = 0;
        if (rows > 0) {
            ContactMechanism mechanism = at(q.data(), zero_.data(), zero_.data(), grip);
            mechanism.gaps(room_.data());
            for (int r = 0; r < rows; ++r) worst = std::max(worst, std::abs(room_[r]));
            if (worst > kClosed && k < kMostClosing) shift(mechanism, room_.data(), step.data());
            else std::fill(step.begin(), step.end(), 0.0);
        }
        if (k == 0 || (worst > kClosed && k < kMostClosing)) {
            this->step(q.data(), step.data(), moved.data());
            q = moved;
        }
        if (!(worst > kClosed)) break;
    }
    std::copy(q.begin(), q.end(), y);
    ContactMechanism mechanism = at(y, y + nq, zero_.data(), grip);
    for (const Watching& each : watching) {
        if (each.what == Watch::gap && mechanism.spots()[each.index].touch.gap < -kEntered)
            entered = each.index;
    }
    if (rows == 0) return;
    mechanism.rates(room_.data());
    const double gained = shift(mechanism, room_.data(), step.data());
    for (int k = 0; k < nv; ++k) y[nq + k] += step[k];
    // friction takes it where a point was stopped; otherwise it is rounding
    y[size() - ContactFlow::kOwnWorks + ContactFlow::kRubbing] += gained;
}

// out (nv) := the least change that takes these numbers of the rows away; points that slide are
// held along their normals only. Returns the energy that it gives if these are velocities.
double ContactSystem::shift(ContactMechanism& mechanism, const double* rows, double* out) {
    const int n = mechanism.rows();
    std::vector<double> A(size_t(n) * n), p(n, 0.0), M, x;
    mechanism.sum_operator(A.data());
    std::vector<int> kept;
    for (int r = 0; r < n; ++r) {
        const int contact = r - mechanism.first_contact();
        const bool tangent = contact >= 0 && r < mechanism.first_limit() && contact % 3 > 0;
        if (!tangent || !grip.contacts[contact / 3].slides) kept.push_back(r);
    }
    const int m = int(kept.size());
    M.resize(size_t(m) * m), x.resize(m);
    for (int i = 0; i < m; ++i) {
        for (int j = 0; j < m; ++j) M[size_t(i) * m + j] = A[size_t(kept[i]) * n + kept[j]];
        x[i] = -rows[kept[i]];
    }
    std::vector<int> order(m);
    std::vector<double> scale(m), room(m);
    const double least = kHeldAlready * mobility_of(tree_);
    const int rank = factor_semidefinite(m, M.data(), order.data(), scale.data(), least);
    solve_semidefinite(m, rank, M.data(), order.data(), scale.data(), x.data(), room.data());
    double gained = 0;
    for (int i = 0; i < m; ++i) {
        p[kept[i]] = x[i];
        gained += 0.5 * x[i] * rows[kept[i]];
    }
    mechanism.change(p.data(), out);
    return gained;
}

// Gaps of solids are known where they are nearer than a margin. Within a step two of them come
// nearer by less than half of it: by their speeds, and by twice the acceleration of gravity.
double ContactSystem::longest_step(int, const double* y) {
    constexpr double kAcceleration = 20;  // [m/s²]
    const GroundKind ground = world_.shapes.ground;
    const bool facets = ground == GroundKind::profile || ground == GroundKind::height_field;
    if (world_.shapes.n_pairs() == 0 && !facets) return INFINITY;
    const double half = facets ? 0.01 : 0.05;  // [m] of facets: what is nearest may change
    ContactMechanism mechanism = at(y, y + tree_.nq, zero_.data(), grip);
    const double speed = 2 * mechanism.fastest();
    return (std::sqrt(speed * speed + 4 * kAcceleration * half) - speed) / (2 * kAcceleration);
}

void ContactSystem::load(int, const HybridMotion& motion, double* y) const {
    std::copy(motion.q.begin(), motion.q.end(), y);
    std::copy(motion.v.begin(), motion.v.end(), y + tree_.nq);
    std::copy(motion.more.begin(), motion.more.end(), y + tree_.nq + tree_.nv);
}
void ContactSystem::store(int, const double* y, const double*, HybridMotion& motion) const {
    motion.q.assign(y, y + tree_.nq);
    motion.v.assign(y + tree_.nq, y + tree_.nq + tree_.nv);
    motion.more.assign(y + tree_.nq + tree_.nv, y + size());
}

// a sample, with its contacts as a World records them
void ContactSystem::note(int, double t, const double* y, const HybridMotion&) {
    const int nq = tree_.nq, nv = tree_.nv;
    ContactSample sample{{y, y + nq}, {y + nq, y + nq + nv}, {y + nq + nv, y + size()}, {}};
    if (!grip.contacts.empty()) {
        std::vector<double> a(nv);
        push(t, y, y + nq, force_.data(), nullptr);
        ContactMechanism mechanism = at(y, y + nq, force_.data(), grip);
        mechanism.accelerate(a.data());
        holding_.solve(mechanism, grip, a.data(), near);
        for (size_t k = 0; k < grip.contacts.size(); ++k) {
            const Closed& closed = mechanism.closed()[k];
            const double* f = &holding_.lambda[mechanism.first_contact() + 3 * k];
            const Vec3<double> push =
                mul_add(closed.direction[2], f[2],
                        mul_add(closed.direction[1], f[1], closed.direction[0] * f[0]));
            const Vec3<double>&x = closed.touch.point, &n = closed.touch.normal;
            const double row[kContactNumbers] = {double(closed.candidate),
                                                 x.x,
                                                 x.y,
                                                 x.z,
                                                 n.x,
                                                 n.y,
                                                 n.z,
                                                 push.x,
                                                 push.y,
                                                 push.z,
                                                 closed.touch.gap,
                                                 grip.contacts[k].slides ? 2.0 : 1.0,
                                                 0.0};
            sample.contacts.insert(sample.contacts.end(), row, row + kContactNumbers);
        }
    }
    samples->push_back(std::move(sample));
    ++next;
}

}  // namespace tarsus::TARSUS_ISA
