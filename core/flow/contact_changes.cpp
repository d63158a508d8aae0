#include "flow/contact_changes.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kNear = 1e-9;      // [m, rad] gaps that are closed
constexpr double kParting = 2e-6;   // [m/s] what parts slower falls back at once: it stays closed
constexpr double kSlowRest = 2e-6;  // [m/s] what comes slower never bounces
constexpr double kComing = 1e-9;    // [m/s] what comes slower stands
// [m] how far what was just released may come back: round-off, from which nothing gets fast
constexpr double kReturn = 1e-13;
constexpr double kTold = 1e-9;  // of the largest force: what is less is none

}  // namespace

// everything that touches, but for what parts already
Grip ContactChanges::touching(const double* q, const double* v) {
    const Grip none = system_.grip.open();
    ContactMechanism mechanism = system_.at(q, v, zero_.data(), none);
    std::vector<bool> was(world_.n_candidates(), false), stopped(world_.limits.size(), false);
    for (const Grip::Hold& hold : system_.grip.contacts) was[hold.candidate] = true;
    for (int limit : system_.grip.limits) stopped[limit] = true;
    Grip grip = none;
    for (int c = 0; c < world_.n_candidates(); ++c) {
        const Spot& spot = mechanism.spots()[c];
        if (spot.a < 0 || (!was[c] && !(spot.touch.gap <= kNear))) continue;
        const Vec3<double> u = mechanism.velocity(spot.a, spot.b, spot.touch.point);
        const double parts = dot(spot.touch.normal, u);
        if (parts > kParting) continue;
        const Vec3<double> along = u - spot.touch.normal * parts;
        const double speed = std::sqrt(dot(along, along));
        const bool slides = !infinite() && speed > kPointStands;
        const bool creeps = slides && system_.may_creep() && speed < 0.75 * system_.creep();
        grip.contacts.push_back({c, slides, slides ? along * (1 / speed) : along, creeps});
    }
    for (int k = 0; k < int(world_.limits.size()); ++k) {
        const bool near = stopped[k] || mechanism.limit_gap(k) <= kNear;
        if (near && mechanism.limit_rate(k) <= kParting) grip.limits.push_back(k);
    }
    return grip;
}

bool ContactChanges::approaches(const double* q, const double* v) {
    zero_.resize(tree_.nv, 0.0);
    const Grip grip = touching(q, v);
    ContactMechanism mechanism = system_.at(q, v, zero_.data(), grip);
    std::vector<double> rate(std::max(mechanism.rows(), 1));
    mechanism.rates(rate.data());
    for (size_t k = 0; k < grip.contacts.size(); ++k) {
        if (rate[mechanism.first_contact() + 3 * k] < -kComing) return true;
    }
    for (size_t k = 0; k < grip.limits.size(); ++k) {
        if (rate[mechanism.first_limit() + k] < -kComing) return true;
    }
    return false;
}

bool ContactChanges::strike(double t, const double* q, double* v, double* works,
                            std::vector<ContactEvent>& events, double allowed) {
    zero_.resize(tree_.nv, 0.0);
    const Grip grip = touching(q, v);
    ContactMechanism mechanism = system_.at(q, v, zero_.data(), grip);
    const double* parameters = system_.parameters();
    GripProblem rows(mechanism, grip, world_, parameters);
    mechanism.rates(rows.b.data());
    const double rest = std::max(parameters[kRestSpeed], kSlowRest);
    for (int k = 0; k < rows.contacts; ++k) {
        const int r = rows.contact(k);
        if (!(rows.b[r] < -rest)) continue;
        const int candidate = grip.contacts[k].candidate;
        rows.target[r] = -restitution_of(world_, candidate, parameters) * rows.b[r];
    }
    for (int k = 0; k < rows.limits; ++k) {
        const int r = mechanism.first_limit() + k;
        if (rows.b[r] < -rest) rows.target[r] = -world_.limit_restitution * rows.b[r];
    }
    // what is too slow to be seen is not told
    bool told = false;
    for (int r = rows.loops; r < rows.n; ++r) {
        const bool normal = r >= mechanism.first_limit() || (r - rows.loops) % 3 == 0;
        told = told || (normal && rows.b[r] < -kParting);
    }
    if (!rows.solve(true, room_, allowed)) return false;
    std::vector<double> change(tree_.nv);
    mechanism.change(rows.p.data(), change.data());
    for (int k = 0; k < tree_.nv; ++k) v[k] += change[k];
    // an impulse p takes the row from u to u⁺, and so the energy −p (u + u⁺)/2
    const auto lost = [&](int row, int count) {
        double sum = 0;
        for (int r = row; r < row + count; ++r)
            sum -= 0.5 * rows.p[r] * (rows.b[r] + rows.result[r]);
        return sum;
    };
    double* own = works + system_.n_works() - ContactFlow::kOwnWorks;
    for (int k = 0; k < rows.contacts; ++k) {
        const int r = rows.contact(k);
        if (rows.p[r] == 0 && rows.p[r + 1] == 0 && rows.p[r + 2] == 0) continue;
        const Closed& closed = mechanism.closed()[k];
        ContactEvent event{t, ContactEventKind::impact, closed.candidate};
        const Vec3<double> push =
            mul_add(closed.direction[2], rows.p[r + 2],
                    mul_add(closed.direction[1], rows.p[r + 1], closed.direction[0] * rows.p[r]));
        const Vec3<double>& x = closed.touch.point;
        event.point[0] = x.x, event.point[1] = x.y, event.point[2] = x.z;
        event.impulse[0] = push.x, event.impulse[1] = push.y, event.impulse[2] = push.z;
        event.lost = lost(r, 3);
        own[ContactFlow::kImpacts] -= event.lost;
        if (told) events.push_back(event);
    }
    for (int k = 0; k < rows.limits; ++k) {
        const int r = mechanism.first_limit() + k;
        if (rows.p[r] == 0) continue;
        ContactEvent event{t, ContactEventKind::limit_impact, grip.limits[k]};
        event.impulse[0] = rows.p[r], event.lost = lost(r, 1);
        own[ContactFlow::kStops] -= event.lost;
        if (told) events.push_back(event);
    }
    return true;
}

// whether dry friction holds a joint, and could also hold what its limit does
bool ContactChanges::sticks(int w, const ContactMechanism& mechanism, const Grip& grip,
                            const GripProblem& rows) const {
    double on_limits = 0;
    for (int k = 0; k < rows.limits; ++k) {
        const Limit& limit = world_.limits[grip.limits[k]];
        if (limit.w == w) on_limits += limit.sign * rows.p[mechanism.first_limit() + k];
    }
    for (int k = 0; k < rows.dry; ++k) {
        if (world_.friction[grip.dry[k]].w != w) continue;
        return std::abs(rows.p[mechanism.first_dry() + k] + on_limits) < 0.99 * rows.bound[k];
    }
    return false;
}

bool ContactChanges::decide(double t, const double* q, const double* v, const Grip& before,
                            std::vector<ContactEvent>& events) {
    zero_.resize(tree_.nv, 0.0);
    Grip grip = touching(q, v);
    // dry frictions: those that move rub, others may hold
    {
        ContactMechanism mechanism = system_.at(q, v, zero_.data(), grip);
        for (int k = 0; k < int(world_.friction.size()); ++k) {
            const double w = mechanism.joints().v[world_.friction[k].w];
            const bool moves = std::abs(w) > kPointStands;
            grip.way[k] = moves ? (w > 0 ? 1 : -1) : 0;
            if (!moves) grip.dry.push_back(k);
        }
    }
    system_.grip.way = grip.way;
    std::vector<double> force(tree_.nv), a(tree_.nv);
    system_.push(t, q, v, force.data(), nullptr);
    ContactMechanism mechanism = system_.at(q, v, force.data(), grip);
    mechanism.accelerate(a.data());
    GripProblem rows(mechanism, grip, world_, system_.parameters());
    for (int dry : grip.dry) {
        rows.bound.push_back(most_held(world_.friction[dry]));
    }
    mechanism.curves(a.data(), rows.b.data());
    for (int k = 0; k < rows.contacts; ++k) {
        const Closed& closed = mechanism.closed()[k];
        const Vec3<double> u = mechanism.velocity(closed.a, closed.b, closed.touch.point);
        rows.slip[2 * k] = dot(closed.direction[1], u);
        rows.slip[2 * k + 1] = dot(closed.direction[2], u);
    }
    if (!rows.solve(false, room_)) return false;
    // forces and accelerations by which others are told from none: a thousandth of the weight, 1
    // m/s²
    double largest = 1e-2 * tree_.total_mass;
    for (double p : rows.p) largest = std::max(largest, std::abs(p));
    double fastest = 1;
    for (double x : rows.b) fastest = std::max(fastest, std::abs(x));
    Grip found = grip.open();
    system_.near.assign(rows.p.begin(), rows.p.begin() + rows.loops);
    system_.ways.clear(), left_open_.clear();
    for (int k = 0; k < rows.contacts; ++k) {
        const int r = rows.contact(k);
        // what neither pushes nor parts rests where it is: it need not come back
        const bool rests = rows.result[r] <= kTold * fastest;
        const bool kept = infinite() ? rows.kept[k] : rows.p[r] > kTold * largest || rests;
        if (!kept) continue;
        Grip::Hold hold = grip.contacts[k];
        const Closed& closed = mechanism.closed()[k];
        if (!hold.slides && !infinite()) {
            const double x = rows.result[r + 1], y = rows.result[r + 2], size = std::hypot(x, y);
            const double bound = rows.friction[k] * rows.p[r];
            const bool at_rim = std::hypot(rows.p[r + 1], rows.p[r + 2]) >= bound * (1 - 1e-9);
            if (at_rim && rows.p[r] > kTold * largest && size > 1e-9 * fastest) {
                hold.slides = true, hold.creeps = system_.may_creep();
                hold.way = closed.direction[1] * (x / size) + closed.direction[2] * (y / size);
            }
        }
        found.contacts.push_back(hold);
        system_.ways.push_back(hold.way);
        for (int i = 0; i < 3; ++i) system_.near.push_back(rows.p[r + i]);
    }
    for (int k = 0; k < rows.limits; ++k) {
        const int r = mechanism.first_limit() + k;
        const double p = rows.p[r];
        if (!(p > kTold * largest) && !(rows.result[r] <= kTold * fastest)) continue;
        // what friction holds alone needs no limit: two that hold one joint could not share
        if (sticks(world_.limits[grip.limits[k]].w, mechanism, grip, rows)) continue;
        found.limits.push_back(grip.limits[k]);
        system_.near.push_back(p);
    }
    for (int k = 0; k < rows.dry; ++k) {
        const int r = mechanism.first_dry() + k;
        const double rate = rows.result[r];
        if (std::abs(rate) > 1e-9 * fastest) {
            found.way[grip.dry[k]] = rate > 0 ? 1 : -1;
            continue;
        }
        const int w = world_.friction[grip.dry[k]].w;
        // what a limit holds needs no friction: two that hold one joint could not share
        bool stopped = false;
        for (size_t l = 0; l < found.limits.size(); ++l) {
            const Limit& limit = world_.limits[found.limits[l]];
            if (limit.w != w) continue;
            system_.near[rows.loops + 3 * found.contacts.size() + l] += limit.sign * rows.p[r];
            stopped = true;
        }
        if (stopped) continue;
        found.dry.push_back(grip.dry[k]);
        double held = rows.p[r];
        for (int l = 0; l < rows.limits && sticks(w, mechanism, grip, rows); ++l) {
            const Limit& limit = world_.limits[grip.limits[l]];
            if (limit.w == w) held += limit.sign * rows.p[mechanism.first_limit() + l];
        }
        system_.near.push_back(held);
    }
    system_.grip = found, system_.allowed = kTold * largest;
    share(t, q, v);
    drop_idle(rows.loops);
    for (int c = 0; c < world_.n_candidates(); ++c) {
        const Spot& spot = mechanism.spots()[c];
        const auto same = [&](const Grip::Hold& hold) { return hold.candidate == c; };
        const std::vector<Grip::Hold>& closed = system_.grip.contacts;
        if (spot.a < 0 || spot.touch.gap > kNear) continue;
        const Vec3<double> u = mechanism.velocity(spot.a, spot.b, spot.touch.point);
        // what leaves fast does not come back at once
        const double more = dot(spot.touch.normal, u) > kParting ? 0.0 : kReturn;
        if (std::none_of(closed.begin(), closed.end(), same))
            left_open_.emplace_back(c, std::max(-spot.touch.gap, 0.0) + more);
    }
    tell(t, q, v, before, events);
    return true;
}

// Where rows repeat each other forces may share in many ways, and a solution may be at the edge of
// what its laws allow. From there we go half of the way, at most, towards the least forces.
void ContactChanges::share(double t, const double* q, const double* v) {
    const Grip& grip = system_.grip;
    std::vector<double>& near = system_.near;
    if (grip.contacts.empty()) return;
    std::vector<double> force(tree_.nv), a(tree_.nv);
    system_.push(t, q, v, force.data(), nullptr);
    ContactMechanism mechanism = system_.at(q, v, force.data(), grip);
    mechanism.accelerate(a.data());
    HoldingForces least(world_, system_.parameters(), system_.creep());
    least.solve(mechanism, grip, a.data(), {});
    const auto mu = [&](const Grip::Hold& hold) {
        return friction_of(world_, hold.candidate, system_.parameters());
    };
    const auto allowed = [&](double x) {
        const auto at = [&](int r) { return near[r] + x * (least.lambda[r] - near[r]); };
        for (size_t k = 0; k < grip.contacts.size(); ++k) {
            const int r = mechanism.first_contact() + 3 * int(k);
            if (at(r) < 0) return false;
            const bool sticks = !grip.contacts[k].slides && !infinite();
            if (sticks && std::hypot(at(r + 1), at(r + 2)) > mu(grip.contacts[k]) * at(r))
                return false;
        }
        for (size_t k = 0; k < grip.limits.size(); ++k) {
            if (at(mechanism.first_limit() + int(k)) < 0) return false;
        }
        for (size_t k = 0; k < grip.dry.size(); ++k) {
            const DryFriction& dry = world_.friction[grip.dry[k]];
            const double bound = most_held(dry);
            if (std::abs(at(mechanism.first_dry() + int(k))) > bound) return false;
        }
        return true;
    };
    // friction of what slides depends on how its normal forces share: these stay as they are
    const auto rubs = [&](const Grip::Hold& hold) { return hold.slides && mu(hold) > 0; };
    double way = std::any_of(grip.contacts.begin(), grip.contacts.end(), rubs) ? 0 : 1;
    if (way > 0 && !allowed(1)) {
        double low = 0, high = 1;
        for (int k = 0; k < 30; ++k) {
            const double x = 0.5 * (low + high);
            (allowed(x) ? low : high) = x;
        }
        way = 0.5 * low;
    }
    for (size_t r = 0; r < near.size(); ++r) near[r] += way * (least.lambda[r] - near[r]);
    // what then is still at the edge of its cone holds no more: others hold what it cannot
    for (size_t k = 0; !infinite() && k < grip.contacts.size(); ++k) {
        Grip::Hold& hold = system_.grip.contacts[k];
        const double* f = &near[mechanism.first_contact() + 3 * k];
        const double size = std::hypot(f[1], f[2]);
        if (hold.slides || !(size >= mu(hold) * f[0] * (1 - 1e-6)) || !(size > 0)) continue;
        const Closed& closed = mechanism.closed()[k];
        hold.slides = true, hold.creeps = system_.may_creep();
        hold.way = closed.direction[1] * (-f[1] / size) + closed.direction[2] * (-f[2] / size);
        system_.ways[k] = hold.way;
    }
}

// Of points that hold the same, as those along a cylinder, some may have nothing left to do. As
// nobody knows which way their forces would go they are let go, and rest where they are.
void ContactChanges::drop_idle(int loops) {
    if (infinite()) return;
    Grip& grip = system_.grip;
    std::vector<double> near(system_.near.begin(), system_.near.begin() + loops);
    std::vector<Grip::Hold> kept;
    std::vector<Vec3<double>> ways;
    for (size_t k = 0; k < grip.contacts.size(); ++k) {
        const double* f = &system_.near[loops + 3 * k];
        if (!(f[0] > system_.allowed)) continue;
        near.insert(near.end(), f, f + 3);
        kept.push_back(grip.contacts[k]), ways.push_back(system_.ways[k]);
    }
    near.insert(near.end(), system_.near.begin() + loops + 3 * grip.contacts.size(),
                system_.near.end());
    grip.contacts = kept, system_.ways = ways, system_.near = near;
}

// what is different from before
void ContactChanges::tell(double t, const double* q, const double* v, const Grip& before,
                          std::vector<ContactEvent>& events) {
    const Grip open = system_.grip.open();
    const ContactMechanism mechanism = system_.at(q, v, zero_.data(), open);
    const Grip& now = system_.grip;
    const auto hold_of = [](const Grip& grip, int candidate) -> const Grip::Hold* {
        for (const Grip::Hold& hold : grip.contacts) {
            if (hold.candidate == candidate) return &hold;
        }
        return nullptr;
    };
    const auto note = [&](ContactEventKind kind, int index, bool contact) {
        ContactEvent event{t, kind, index};
        if (contact) {
            const Vec3<double>& x = mechanism.spots()[index].touch.point;
            event.point[0] = x.x, event.point[1] = x.y, event.point[2] = x.z;
        }
        events.push_back(event);
    };
    for (const Grip::Hold& hold : before.contacts) {
        const Grip::Hold* after = hold_of(now, hold.candidate);
        if (!after) note(ContactEventKind::release, hold.candidate, true);
        else if (after->slides && !hold.slides) note(ContactEventKind::slip, hold.candidate, true);
        else if (!after->slides && hold.slides) note(ContactEventKind::stick, hold.candidate, true);
    }
    const auto has = [](const std::vector<int>& list, int k) {
        return std::find(list.begin(), list.end(), k) != list.end();
    };
    for (int limit : before.limits) {
        if (!has(now.limits, limit)) note(ContactEventKind::limit_release, limit, false);
    }
    for (int k = 0; k < int(world_.friction.size()); ++k) {
        const bool was = has(before.dry, k), is = has(now.dry, k);
        if (was && !is && now.way[k] != 0) note(ContactEventKind::joint_slip, k, false);
        if (is && !was) note(ContactEventKind::joint_stick, k, false);
    }
}

}  // namespace tarsus::TARSUS_ISA
