// Gauss–Legendre collocation with eight stages, of order sixteen, in positions and momenta p = H(q)
// v, with steps of one length: symplectic where q are plain coordinates, and symmetric always, so
// that the error of the energy is small and has no trend (E. Hairer, C. Lubich, G. Wanner,
// "Geometric numerical integration", chapters VI and IX). With Ḣ = C + Cᵀ momenta follow
//
//     p′ = τ + C(q, v)ᵀ v − g(q)  (+ Jᵀ λ of loops outside the clusters and parts),    v = H⁻¹ p,
//
// and quaternions keep their length, a quadratic invariant. The stages are iterated together, one
// in a lane, so that eight cost about as much as one; until rounding ends the iteration. What a
// step adds is summed with its rounding errors kept: E. Hairer, R. McLachlan, A. Razakarivony,
// "Achieving Brouwer's law with implicit Runge–Kutta methods", BIT 48, 2008.
#include <algorithm>
#include <cmath>

#include "flow/flows.hpp"
#include "flow/gauss_tableau.hpp"
#include "flow/projection.hpp"
#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

using namespace gauss;

constexpr int kMostIterations = 80;
constexpr double kRounding = 2.3e-16, kNearRounding = 1e-13, kApart = 1e6;
constexpr double kFastest = 1e8;
constexpr double kSameTime = 1e-9;  // parts of a step

using Vector = std::vector<double>;

class Gauss final : public Flow {
   public:
    Gauss(const Tree& tree, const FlowNumbers& numbers, Outside& outside)
        : tree_(tree),
          outside_(outside),
          nq_(tree.nq),
          nv_(tree.nv),
          numbers_(numbers),
          rates_(tree, numbers_, outside),
          project_(tree, numbers_.parts, numbers_.part_numbers.data()),
          step_(numbers.step) {
        q.resize(nq_), v.resize(nv_), work.resize(powers_);
        p_.resize(nv_), rest_q_.resize(nq_), rest_p_.resize(nv_);
        for (Vector* each : {&Q_, &dQ_}) each->resize(kStages * nq_);
        for (Vector* each : {&P_, &V_, &dP_, &g_, &tau_, &sum_, &a_, &full_})
            each->resize(kStages * nv_);
        power_.resize(kStages * powers_), zero_.assign(kStages * nv_, 0.0);
    }

    void start(double time, const double* q0, const double* v0, const double* work0) override {
        t = time, last_h_ = 0, started_ = false;
        std::copy_n(q0, nq_, q.begin()), std::copy_n(v0, nv_, v.begin());
        std::copy_n(work0, powers_, work.begin());
        std::fill(rest_q_.begin(), rest_q_.end(), 0.0);
        std::fill(rest_p_.begin(), rest_p_.end(), 0.0);
    }

    // so many steps of equal length, at most that which was given, end at `until`
    FlowEnd go(double until, double) override {
        if (!started_ && !find_momenta()) return lost(q.data(), v.data());
        started_ = true;
        const double from = t;
        const long n = std::max(1L, long(std::ceil((until - from) / step_ - kSameTime)));
        const bool whole = std::abs(until - from - n * step_) < kSameTime * step_;
        const double h = whole ? step_ : (until - from) / n;
        for (long k = 1; k <= n && t < until; ++k) {
            const FlowEnd ended = step(h);
            statistics.rates = rates_.evaluated;
            if (ended != FlowEnd::reached) return ended;
            t = k == n ? until : from + k * h;
            if (outside_.interrupted()) return FlowEnd::interrupted;
        }
        return FlowEnd::reached;
    }

    void sample(double, double* q_out, double* v_out, double* work_out) override {
        std::copy(q.begin(), q.end(), q_out), std::copy(v.begin(), v.end(), v_out);
        std::copy(work.begin(), work.end(), work_out);
    }

   private:
    FlowEnd lost(const double* at_q, const double* at_v) {
        lost_q.assign(at_q, at_q + nq_), lost_v.assign(at_v, at_v + nv_);
        return FlowEnd::not_finite;
    }
    bool find_momenta() {
        rates_.calls.at(q.data(), 1);
        return rates_.calls(generalized_momentum_kernel, {{v.data(), nv_}}, p_.data(), nv_);
    }

    // velocities (n, nv) of momenta: forward dynamics at rest, with gravity taken away
    bool velocities(int n, const double* at_q, const double* p, double* out) {
        Calls& calls = rates_.calls;
        calls.at(at_q, n);
        if (!calls(gravity_forces_kernel, {}, g_.data(), nv_)) return false;
        if (project_.rows.any_parts())
            return project_.rows.velocities(n, calls.table(), at_q, p, out);
        for (int k = 0; k < n * nv_; ++k) sum_[k] = p[k] + g_[k];
        return calls(forward_dynamics_kernel, {{zero_.data(), nv_}, {sum_.data(), nv_}}, out, nv_);
    }

    // dQ, dP and powers at the stages Q, P
    bool evaluate(const double* times) {
        Calls& calls = rates_.calls;
        if (!velocities(kStages, Q_.data(), P_.data(), V_.data())) return false;
        const double* V = V_.data();
        if (!rates_.forces(kStages, times, Q_.data(), V, tau_.data(), power_.data())) return false;
        const double* tau = tau_.data();
        if (rates_.holds()) {  // τ + Jᵀ λ is what inverse dynamics asks for
            if (!rates_.accelerations(kStages, Q_.data(), V, tau, a_.data(), power_.data()) ||
                !calls(inverse_dynamics_kernel, {{V, nv_}, {a_.data(), nv_}}, full_.data(), nv_))
                return false;
            tau = full_.data();
        }
        if (!calls(coriolis_transpose_forces_kernel, {{V, nv_}}, dP_.data(), nv_)) return false;
        for (int k = 0; k < kStages * nv_; ++k) dP_[k] = dP_[k] + tau[k] - g_[k];
        return calls(configuration_rate_kernel, {{V, nv_}}, dQ_.data(), nq_);
    }

    // stages := start + h A rates; returns the largest relative change
    double place(double h, int n, const Vector& start, const Vector& rate, Vector& stage) const {
        double largest = 0;
        for (int i = 0; i < kStages; ++i) {
            for (int k = 0; k < n; ++k) {
                double sum = 0;
                for (int j = 0; j < kStages; ++j) sum += gauss_.matrix[i][j] * rate[j * n + k];
                const double x = start[k] + h * sum;
                const double change = std::abs(x - stage[i * n + k]) / std::max(1.0, std::abs(x));
                if (!(change <= largest)) largest = change;
                stage[i * n + k] = x;
            }
        }
        return largest;
    }

    // rates on the polynomial through those of the last step
    void predict(double h, int n, Vector& rate) {
        guess_ = rate;
        for (int i = 0; i < kStages; ++i) {
            double share[kStages];
            for (int j = 0; j < kStages; ++j) {
                share[j] = gauss_.polynomial(j, 1 + h * gauss_.node[i] / last_h_);
            }
            for (int k = 0; k < n; ++k) {
                double sum = 0;
                for (int j = 0; j < kStages; ++j) sum += share[j] * guess_[j * n + k];
                rate[i * n + k] = sum;
            }
        }
    }

    FlowEnd solve(double h) {
        double times[kStages];
        for (int i = 0; i < kStages; ++i) times[i] = t + h * gauss_.node[i];
        if (last_h_ > 0) {
            predict(h, nq_, dQ_), predict(h, nv_, dP_);
        } else {
            std::fill(dQ_.begin(), dQ_.end(), 0.0), std::fill(dP_.begin(), dP_.end(), 0.0);
        }
        place(h, nq_, q, dQ_, Q_), place(h, nv_, p_, dP_, P_);
        double before = INFINITY;
        for (int k = 0; k < kMostIterations; ++k) {
            ++statistics.iterations;
            // stages that fly apart get nowhere, or to where there are no rates
            const bool found = evaluate(times);
            const double change =
                found ? std::max(place(h, nq_, q, dQ_, Q_), place(h, nv_, p_, dP_, P_)) : NAN;
            if (!(change <= kApart)) {
                lost(Q_.data(), V_.data());
                return FlowEnd::not_solved;
            }
            if (change <= kRounding || (change <= kNearRounding && change >= before)) {
                return FlowEnd::reached;
            }
            before = change;
        }
        lost(Q_.data(), V_.data());
        return FlowEnd::not_solved;
    }

    // x += h Σ b rate, with what rounding leaves of it kept for the next step
    void add(double h, int n, const Vector& rate, Vector& x, Vector& rest) const {
        for (int k = 0; k < n; ++k) {
            double sum = 0;
            for (int i = 0; i < kStages; ++i) sum += gauss_.weight[i] * rate[i * n + k];
            const double change = h * sum + rest[k], before = x[k];
            x[k] = before + change;
            rest[k] = change - (x[k] - before);
        }
    }

    FlowEnd step(double h) {
        const FlowEnd solved = solve(h);
        if (solved != FlowEnd::reached) return solved;
        add(h, nq_, dQ_, q, rest_q_), add(h, nv_, dP_, p_, rest_p_);
        for (int k = 0; k < powers_; ++k) {
            for (int i = 0; i < kStages; ++i)
                work[k] += h * gauss_.weight[i] * power_[i * powers_ + k];
        }
        if (project_.needed() && !project_(rates_.calls, q.data(), v.data())) {
            return lost(q.data(), v.data());
        }
        if (!velocities(1, q.data(), p_.data(), v.data())) return lost(q.data(), v.data());
        if (project_.rows.rows() > 0 && !find_momenta()) return lost(q.data(), v.data());
        last_h_ = h, ++statistics.steps;
        statistics.last_step = statistics.next_step = h;
        for (double x : v) {
            if (std::abs(x) < kFastest) continue;
            lost_q = q, lost_v = v;
            return FlowEnd::diverged;
        }
        return FlowEnd::reached;
    }

    const Collocation& gauss_ = collocation();
    const Tree& tree_;
    Outside& outside_;
    const int nq_, nv_;
    const FlowNumbers numbers_;
    Rates rates_;
    const int powers_ = rates_.powers();
    Projection project_;
    const double step_;
    double last_h_ = 0;
    bool started_ = false;
    Vector p_, rest_q_, rest_p_;
    Vector Q_, P_, V_, dQ_, dP_, g_, tau_, sum_, a_, full_, power_, zero_, guess_;
};

}  // namespace

std::unique_ptr<Flow> make_gauss(const Tree& tree, const FlowNumbers& numbers, Outside& outside) {
    return std::make_unique<Gauss>(tree, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
