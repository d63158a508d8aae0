// Where contacts change too fast to follow, a short time is one step with impulses instead of
// forces, after J. J. Moreau: the laws hold for velocities at its end.
#include "flow/contact_changes.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kMerged = 1e-6;  // [m, rad] gaps of what may touch within a time that is merged

// the velocity whose work that of a joint's is: its own, or the first of its cluster
int velocity_of(const Tree& tree, int w) {
    const Cluster& cluster = tree.clusters[tree.cluster_of[tree.body_of[w]]];
    return cluster.coupled ? cluster.v : cluster.v + w - cluster.w;
}

}  // namespace

bool ContactChanges::merge(double t, double h, double* q, double* v, double* works) {
    const int nq = tree_.nq, nv = tree_.nv;
    zero_.resize(nv, 0.0);
    std::vector<double> force(nv), a(nv), change(nv), rate, power(system_.n_works(), 0.0);
    Grip grip = system_.grip.open();
    std::fill(grip.way.begin(), grip.way.end(), 0);
    system_.grip = grip;
    system_.push(t, q, v, force.data(), nullptr);
    {
        ContactMechanism mechanism = system_.at(q, v, force.data(), grip);
        for (int c = 0; c < world_.n_candidates(); ++c) {
            const Spot& spot = mechanism.spots()[c];
            if (spot.a < 0 || spot.touch.gap > kMerged) continue;
            grip.contacts.push_back({c, false, {0, 0, 0}, false});
        }
        for (int k = 0; k < int(world_.limits.size()); ++k) {
            if (mechanism.limit_gap(k) <= kMerged) grip.limits.push_back(k);
        }
        for (int k = 0; k < int(world_.friction.size()); ++k) grip.dry.push_back(k);
    }
    {
        ContactMechanism mechanism = system_.at(q, v, force.data(), grip);
        GripProblem rows(mechanism, grip, world_, system_.parameters());
        rate.assign(std::max(rows.n, 1), 0.0);
        mechanism.rates(rate.data());
        mechanism.accelerate(a.data());
        mechanism.curves(a.data(), rows.b.data());
        for (int r = 0; r < rows.n; ++r) rows.b[r] = mul_add(rows.b[r], h, rate[r]);
        for (int k = 0; k < rows.contacts; ++k) {
            rows.target[rows.contact(k)] = -std::max(mechanism.closed()[k].touch.gap, 0.0) / h;
        }
        for (int k = 0; k < rows.limits; ++k) {
            rows.target[mechanism.first_limit() + k] =
                -std::max(mechanism.limit_gap(grip.limits[k]), 0.0) / h;
        }
        for (int dry : grip.dry) {
            const DryFriction& of = world_.friction[dry];
            rows.bound.push_back(h * of.coulomb);
        }
        if (!rows.solve(true, room_, kNearly)) return false;
        mechanism.change(rows.p.data(), change.data());
        // forces take a row from u to u⁺, and so the energy p (u + u⁺)/2
        double* own = works + system_.n_works() - ContactFlow::kOwnWorks;
        for (int r = rows.loops; r < rows.n; ++r) {
            const double given = 0.5 * rows.p[r] * (rate[r] + rows.result[r]);
            if (r < mechanism.first_limit()) own[ContactFlow::kRubbing] += given;
            else if (r < mechanism.first_dry()) own[ContactFlow::kStops] += given;
            else {
                const int w = world_.friction[grip.dry[r - mechanism.first_dry()]].w;
                works[2 * nv + velocity_of(tree_, w)] += given;
            }
        }
    }
    std::vector<double> middle(nv), step(nv), moved(nq);
    for (int k = 0; k < nv; ++k) {
        const double next = mul_add(a[k], h, v[k]) + change[k];
        middle[k] = 0.5 * (v[k] + next), step[k] = h * middle[k];
        v[k] = next;
    }
    system_.push(t, q, middle.data(), force.data(), power.data());
    for (int k = 0; k < system_.n_works(); ++k) works[k] = mul_add(power[k], h, works[k]);
    system_.step(q, step.data(), moved.data());
    std::copy(moved.begin(), moved.end(), q);
    return true;
}

}  // namespace tarsus::TARSUS_ISA
