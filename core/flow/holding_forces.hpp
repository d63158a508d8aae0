// Forces along the rows of what is closed, while nothing opens, slips or sticks anew: loops, points
// that stick and stopped joints keep their velocities, λ from J H⁻¹ Jᵀ λ + J̇ v + J a₀ = 0; a point
// that slides is held along its normal, and rubs against its way with μ λ_n, which then acts on all
// rows.
//
// At a speed u Coulomb's friction turns the direction of sliding with the rate μ λ_n A / u, A the
// mobility of the point: as u → 0 faster than anything else, and no explicit step follows it. What
// creeps is rubbed against v + u₀ w, with its way w and the speed u₀ up to which points creep: the
// force is as large, and turns at most as fast as at u₀.
//
// Where rows repeat each other forces share as they did when the grip was found: of all solutions
// the nearest to that one.
#pragma once

#include "dynamics/rank_revealing.hpp"
#include "flow/contact_mechanism.hpp"
#include "flow/pseudo_inverse.hpp"

namespace tarsus::TARSUS_ISA {

class HoldingForces {
   public:
    HoldingForces(const World& world, const double* parameters, double creep)
        : world_(world),
          parameters_(parameters),
          creep_(creep),
          viscous_(parameters[kViscous]),
          least_(kHeldAlready * mobility_of(*world.tree)) {}

    std::vector<double> lambda;  // along all rows
    std::vector<double> rate;    // of the rows without it

    // at a mechanism whose free accelerations are a; `near`: forces when the grip was found, or
    // none for the least of all
    void solve(ContactMechanism& mechanism, const Grip& grip, const double* a,
               const std::vector<double>& near) {
        const int n = mechanism.rows();
        lambda.assign(n, 0.0), rate.resize(n), A_.resize(size_t(n) * n);
        if (n == 0) return;
        mechanism.curves(a, rate.data());
        mechanism.sum_operator(A_.data());
        list_unknowns(mechanism, grip);
        const int m = int(row_.size());
        M_.assign(size_t(m) * m, 0.0), x_.assign(m, 0.0);
        for (int i = 0; i < m; ++i) {
            const double* A = &A_[size_t(row_[i]) * n];
            double left = rate[row_[i]];
            for (int r = 0; r < n; ++r) left += A[r] * constant_[r];
            for (int j = 0; j < m; ++j) {
                double sum = A[row_[j]];
                const int first = row_[j];
                if (slides_[j])
                    sum += A[first + 1] * along_[2 * j] + A[first + 2] * along_[2 * j + 1];
                M_[size_t(i) * m + j] = sum;
                left += sum * (near.empty() ? 0.0 : near[row_[j]]);
            }
            x_[i] = -left;
        }
        solve_for(m, near.empty());
        for (int r = 0; r < n; ++r) lambda[r] = constant_[r];
        for (int j = 0; j < m; ++j) {
            const double force = x_[j] + (near.empty() ? 0.0 : near[row_[j]]);
            lambda[row_[j]] = force;
            if (!slides_[j]) continue;
            lambda[row_[j] + 1] += force * along_[2 * j];
            lambda[row_[j] + 2] += force * along_[2 * j + 1];
        }
    }

   private:
    // rows whose forces are unknown, and what friction adds to those of points that slide
    void list_unknowns(const ContactMechanism& mechanism, const Grip& grip) {
        const int n = mechanism.rows();
        row_.clear(), slides_.clear(), along_.clear(), constant_.assign(n, 0.0), sliding_ = false;
        const auto unknown = [&](int row, bool slides, double x, double y) {
            row_.push_back(row), slides_.push_back(slides);
            along_.push_back(x), along_.push_back(y);
        };
        for (int r = 0; r < mechanism.first_contact(); ++r) unknown(r, false, 0, 0);
        for (size_t k = 0; k < grip.contacts.size(); ++k) {
            const int row = mechanism.first_contact() + 3 * int(k);
            const Closed& closed = mechanism.closed()[k];
            if (!grip.contacts[k].slides) {
                for (int i = 0; i < 3; ++i) unknown(row + i, false, 0, 0);
                continue;
            }
            const Vec3<double> v = mechanism.velocity(closed.a, closed.b, closed.touch.point);
            double x = dot(closed.direction[1], v), y = dot(closed.direction[2], v);
            constant_[row + 1] = -viscous_ * x, constant_[row + 2] = -viscous_ * y;
            if (grip.contacts[k].creeps) {
                x += creep_ * dot(closed.direction[1], grip.contacts[k].way);
                y += creep_ * dot(closed.direction[2], grip.contacts[k].way);
            }
            const double speed = std::hypot(x, y);
            if (speed > kPointStands) x /= speed, y /= speed;
            else {
                x = dot(closed.direction[1], grip.contacts[k].way);
                y = dot(closed.direction[2], grip.contacts[k].way);
            }
            const double mu = friction_of(world_, grip.contacts[k].candidate, parameters_);
            unknown(row, true, -mu * x, -mu * y);
            sliding_ = sliding_ || mu > 0;
        }
        for (int r = mechanism.first_limit(); r < n; ++r) unknown(r, false, 0, 0);
    }
    void solve_for(int m, bool least) {
        if (sliding_ || least) {
            inverse_.factor(m, M_.data(), 1e-11);
            inverse_.solve(x_.data());
            return;
        }
        order_.resize(m), scale_.resize(m), room_.resize(m);
        const int rank = factor_semidefinite(m, M_.data(), order_.data(), scale_.data(), least_);
        solve_semidefinite(m, rank, M_.data(), order_.data(), scale_.data(), x_.data(),
                           room_.data());
    }

    const World& world_;
    const double* parameters_;
    const double creep_, viscous_, least_;
    bool sliding_ = false;
    std::vector<double> A_, M_, x_, along_, constant_, scale_, room_;
    std::vector<int> row_, order_;
    std::vector<bool> slides_;
    PseudoInverse inverse_;
};

}  // namespace tarsus::TARSUS_ISA
