#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA {

Rates::Rates(const Tree& tree, const FlowNumbers& numbers, Outside& outside, Times times)
    : calls(tree, outside),
      tree_(tree),
      outside_(outside),
      parts_(tree, numbers.parts, numbers.part_numbers.data()),
      held_(tree, numbers.parts, numbers.part_numbers.data(), HeldRows::Which::all),
      times_(times),
      friction_(numbers.friction) {
    for (int k = 0; k < tree.joint_nv; ++k) {
        brakes_ = brakes_ || tree.damping[k] != 0 || tree.friction[k] != 0;
        passive_ = passive_ || tree.stiffness[k] != 0;
    }
    passive_ = passive_ || brakes_;
}

// generalised forces of damping and of dry friction
bool Rates::brake(long n, const double* v) {
    const int nv = tree_.nv, nw = tree_.joint_nv;
    w_.resize(n * nw), G_.resize(tree_.coupled ? n * nw * nv : 0);
    damping_.assign(n * nv, 0.0), dry_.assign(n * nv, 0.0);
    if (!calls(joint_velocities_kernel, {{v, nv}}, w_.data(), nw)) return false;
    if (tree_.coupled && !calls(coupling_matrix_kernel, {}, G_.data(), nw * nv)) return false;
    for (long s = 0; s < n; ++s) {
        for (int k = 0; k < nw; ++k) {
            const double w = w_[s * nw + k];
            const double damping = -tree_.damping[k] * w;
            const double dry = -tree_.friction[k] * double((w > 0) - (w < 0));
            if (!tree_.coupled) {
                damping_[s * nv + k] = damping, dry_[s * nv + k] = dry;
                continue;
            }
            for (int e = 0; e < nv; ++e) {
                const double g = G_[(s * nw + k) * nv + e];
                damping_[s * nv + e] += g * damping, dry_[s * nv + e] += g * dry;
            }
        }
    }
    return true;
}

// forces of parts, and their powers
bool Rates::push(long n, const double* q, const double* v, double* tau, double* power) {
    const int nv = tree_.nv, count = parts_.count();
    pushed_.resize(n * nv), records_.resize(n * count * Parts::kRecord);
    if (!parts_(n, calls.table(), q, v, pushed_.data(), records_.data())) return false;
    for (long k = 0; k < n * nv; ++k) tau[k] += pushed_[k];
    for (long s = 0; power && s < n; ++s) {
        for (int k = 0; k < count; ++k) {
            power[s * powers() + 3 * nv + k] = records_[(s * count + k) * Parts::kRecord + kPower];
        }
    }
    return true;
}

bool Rates::forces(long n, const double* t, const double* q, const double* v, double* tau,
                   double* power) {
    const int nq = tree_.nq, nv = tree_.nv;
    evaluated += n;
    if (times_ == Times::equal) outside_.efforts(t[0], n, q, v, tau);
    for (long s = 0; times_ == Times::each && s < n; ++s)
        outside_.efforts(t[s], 1, q + s * nq, v + s * nv, tau + s * nv);
    calls.at(q, n);
    for (long s = 0; power && s < n; ++s) {
        double* row = power + s * powers();
        for (int k = 0; k < nv; ++k) {
            row[k] = tau[s * nv + k] * v[s * nv + k];
            row[nv + k] = row[2 * nv + k] = 0.0;
        }
    }
    if (parts_.count() > 0 && !push(n, q, v, tau, power)) return false;
    if (!passive_) return true;
    passive_forces_.resize(n * nv);
    if (!calls(passive_forces_kernel, {{v, nv}}, passive_forces_.data(), nv)) return false;
    for (long k = 0; k < n * nv; ++k) tau[k] += passive_forces_[k];
    if (!brakes_ || (!power && friction_)) return true;
    if (!brake(n, v)) return false;
    for (long k = 0; !friction_ && k < n * nv; ++k) tau[k] -= dry_[k];
    for (long s = 0; power && s < n; ++s) {
        double* row = power + s * powers();
        for (int k = 0; k < nv; ++k) {
            row[nv + k] = damping_[s * nv + k] * v[s * nv + k];
            if (friction_) row[2 * nv + k] = dry_[s * nv + k] * v[s * nv + k];
        }
    }
    return true;
}

bool Rates::accelerations(long n, const double* q, const double* v, const double* tau, double* a,
                          double* power) {
    const int nv = tree_.nv, count = parts_.count();
    if (!held_.any_parts()) {
        return calls(forward_dynamics_kernel, {{v, nv}, {tau, nv}}, a, nv);
    }
    records_.assign(n * count * Parts::kRecord, 0.0);
    if (!held_.accelerate(n, calls.table(), q, v, tau, a, records_.data())) return false;
    for (long s = 0; power && s < n; ++s) {
        for (int k = 0; k < count; ++k) {
            power[s * powers() + 3 * nv + k] += records_[(s * count + k) * Parts::kRecord + kPower];
        }
    }
    return true;
}

bool Rates::operator()(long n, const double* t, const double* q, const double* v, double* dq,
                       double* a, double* power) {
    const int nv = tree_.nv;
    tau_.resize(n * nv);
    return forces(n, t, q, v, tau_.data(), power) &&
           calls(configuration_rate_kernel, {{v, nv}}, dq, tree_.nq) &&
           accelerations(n, q, v, tau_.data(), a, power);
}

}  // namespace tarsus::TARSUS_ISA
