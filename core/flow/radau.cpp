// Radau IIA of order five with three stages, adaptive and with dense output: E. Hairer, G. Wanner,
// "Solving ordinary differential equations II", section IV.8. The numbers of q follow their rates,
// and each step ends on the manifold (projection.hpp).
#include <algorithm>

#include "flow/flows.hpp"
#include "flow/projection.hpp"
#include "flow/radau_stages.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kLeastFactor = 0.2, kMostFactor = 10, kKeptFactor = 1.2;
constexpr double kSlow = 0.05;    // convergence that is slower asks for new derivatives
constexpr double kFastest = 1e8;  // velocities beyond this count as diverged, as in steps

using namespace radau;

class Radau final : public Flow {
   public:
    Radau(const Tree& tree, const FlowNumbers& numbers, Outside& outside)
        : outside_(outside),
          nq_(tree.nq),
          nv_(tree.nv),
          ny_(tree.nq + tree.nv),
          numbers_(numbers),
          rates_(tree, numbers_, outside),
          project_(tree, numbers_.parts, numbers_.part_numbers.data()),
          norm_(numbers_),
          stages_(tree, numbers_, rates_, norm_, statistics),
          given_step_(numbers.step) {
        q.resize(nq_), v.resize(nv_), work.resize(powers_);
        for (Vector* each : {&y_, &f_, &error_, &y_new_, &started_}) each->resize(ny_);
        polynomial_.resize(kStages * ny_), work_start_.resize(powers_);
    }

    void start(double time, const double* q0, const double* v0, const double* work0) override {
        t = time, has_polynomial_ = false;
        std::copy_n(q0, nq_, q.begin()), std::copy_n(v0, nv_, v.begin());
        std::copy_n(work0, powers_, work.begin());
        stale_ = true, fresh_ = false, error_before_ = 0;
        stages_.forget();
    }

    FlowEnd go(double until, double end) override {
        if (t >= until) return FlowEnd::reached;
        if (stale_) {
            pack(y_);
            if (!stages_.rates(1, &t, y_.data(), f_.data(), nullptr)) return lost(y_.data());
            stale_ = false;
            if (h_ == 0) h_ = given_step_ > 0 ? given_step_ : first_step(end - t);
        }
        while (t < until) {
            const FlowEnd ended = step(end);
            statistics.rates = rates_.evaluated;
            if (ended != FlowEnd::reached) return ended;
            if (outside_.interrupted()) return FlowEnd::interrupted;
        }
        return FlowEnd::reached;
    }

    void sample(double time, double* q_out, double* v_out, double* work_out) override {
        if (!has_polynomial_ || time == t) {
            std::copy(q.begin(), q.end(), q_out), std::copy(v.begin(), v.end(), v_out);
            std::copy(work.begin(), work.end(), work_out);
            return;
        }
        const double x = (time - t_start_) / last_h_;
        evaluate(x, sampled_);
        std::copy_n(sampled_.begin(), nq_, q_out);
        std::copy_n(sampled_.begin() + nq_, nv_, v_out);
        if (project_.needed()) project_(rates_.calls, q_out, v_out);
        const std::array<double, 3> weight = integral_weights(x);
        for (int k = 0; k < powers_; ++k) {
            double sum = 0;
            for (int i = 0; i < kStages; ++i) sum += weight[i] * stages_.power[i * powers_ + k];
            work_out[k] = work_start_[k] + last_h_ * sum;
        }
    }

   private:
    // --- states as rows y = (q, v) ------------------------------------------------------------

    void pack(Vector& y) const {
        std::copy(q.begin(), q.end(), y.begin());
        std::copy(v.begin(), v.end(), y.begin() + nq_);
    }
    // at the start of the next step
    bool differentiate() { return fresh_ = stages_.differentiate(t, y_, f_); }
    FlowEnd lost(const double* y) {
        lost_q.assign(y, y + nq_), lost_v.assign(y + nq_, y + ny_);
        return FlowEnd::not_finite;
    }

    // Hairer, Nørsett, Wanner, "Solving ordinary differential equations I", section II.4
    double first_step(double most) {
        const double size = norm_(y_.data(), y_.data(), y_.data());
        const double speed = norm_(f_.data(), y_.data(), y_.data());
        double h = size < 1e-5 || speed < 1e-5 ? 1e-6 : 0.01 * size / speed;
        h = std::min(h, most);
        for (int k = 0; k < ny_; ++k) y_new_[k] = y_[k] + h * f_[k];
        const double time = t + h;
        if (!stages_.rates(1, &time, y_new_.data(), error_.data(), nullptr))
            return std::min(1e-6, most);
        for (int k = 0; k < ny_; ++k) error_[k] -= f_[k];
        const double bend = norm_(error_.data(), y_.data(), y_.data()) / h;
        const double larger = std::max(speed, bend);
        const double second =
            larger <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / larger, 0.25);
        return std::min({100 * h, second, most});
    }

    // --- a step --------------------------------------------------------------------------------

    FlowEnd step(double end) {
        const double least = 10 * (std::nextafter(t, INFINITY) - t);
        bool rejected = false;
        double h = std::max(h_, least);
        while (true) {
            if (h < least) return too_short(least);
            // the last two steps share what is left: none is cut to a crumb
            const double wished = h;
            if (t + h >= end) h = end - t;
            else if (t + 2 * h > end) h = 0.5 * (end - t);
            const double reached = wished >= end - t ? end : t + h;
            predict(h);
            Stages::Solved solved{};
            while (true) {
                if (!stages_.differentiated() && !differentiate()) return lost(y_.data());
                if (stages_.factor(h)) solved = stages_.solve(t, h, y_);
                if (solved.converged || fresh_) break;
                if (!differentiate()) return lost(y_.data());
                predict(h);
            }
            if (!solved.converged) {
                h *= 0.5, rejected = true, ++statistics.rejected;
                continue;
            }
            for (int j = 0; j < ny_; ++j) y_new_[j] = y_[j] + stages_.Z[2 * ny_ + j];
            double error = estimate(h, f_);
            const double safety = 0.9 * (2 * kNewton + 1) / (2 * kNewton + solved.iterations);
            if (rejected && error > 1) error = estimate_again(h);
            if (!(error <= 1)) {
                const double factor = safety * predicted_factor(h, error);
                h *= std::isfinite(error) ? std::max(kLeastFactor, factor) : kLeastFactor;
                rejected = true, ++statistics.rejected;
                continue;
            }
            const double factor = std::min(kMostFactor, safety * predicted_factor(h, error));
            const FlowEnd ended =
                accept(h, reached, error, solved, rejected ? std::min(1.0, factor) : factor);
            // what was cut short for the end alone is not the length that errors allow
            if (!rejected) h_ = statistics.next_step = std::max(h_, wished);
            return ended;
        }
    }

    FlowEnd too_short(double h) {
        statistics.next_step = h;
        for (int i = 0; i < kStages; ++i) {
            if (!stages_.rates(1, &t, &stages_.stage[i * ny_], error_.data(), nullptr)) {
                return lost(&stages_.stage[i * ny_]);
            }
        }
        return FlowEnd::too_short;
    }

    // stages on the polynomial of the last step
    void predict(double h) {
        if (!has_polynomial_) {
            std::fill(stages_.Z.begin(), stages_.Z.end(), 0.0);
            return;
        }
        for (int i = 0; i < kStages; ++i) {
            evaluate(1 + h * kNode[i] / last_h_, sampled_);
            for (int j = 0; j < ny_; ++j) stages_.Z[i * ny_ + j] = sampled_[j] - y_[j];
        }
    }
    void evaluate(double x, Vector& out) const {
        out.resize(ny_);
        for (int j = 0; j < ny_; ++j) {
            const double* p = &polynomial_[j];
            out[j] = started_[j] + x * (p[0] + x * (p[ny_] + x * p[2 * ny_]));
        }
    }

    double estimate(double h, const Vector& f) {
        for (int j = 0; j < ny_; ++j) {
            double sum = 0;
            for (int i = 0; i < kStages; ++i) sum += kError[i] * stages_.Z[i * ny_ + j];
            error_[j] = f[j] + sum / h;
        }
        stages_.solve_real(h, error_.data());
        return norm_(error_.data(), y_.data(), y_new_.data());
    }
    // at the filtered error: stiff parts are damped once more
    double estimate_again(double h) {
        for (int j = 0; j < ny_; ++j) error_[j] += y_[j];
        Vector f(ny_);
        if (!stages_.rates(1, &t, error_.data(), f.data(), nullptr)) return INFINITY;
        return estimate(h, f);
    }
    double predicted_factor(double h, double error) const {
        if (error == 0) return kMostFactor;
        double multiplier = 1;
        if (error_before_ > 0) {
            multiplier = h / last_h_ * std::pow(error_before_ / error, 0.25);
        }
        return std::min(1.0, multiplier) * std::pow(error, -0.25);
    }

    FlowEnd accept(double h, double reached, double error, const Stages::Solved& solved,
                   double factor) {
        started_ = y_, t_start_ = t, last_h_ = h, has_polynomial_ = true;
        work_start_ = work;
        for (int p = 0; p < 3; ++p) {
            for (int j = 0; j < ny_; ++j) {
                double sum = 0;
                for (int i = 0; i < kStages; ++i) sum += kDense[i][p] * stages_.Z[i * ny_ + j];
                polynomial_[p * ny_ + j] = sum;
            }
        }
        const std::array<double, 3> weight = integral_weights(1);
        for (int k = 0; k < powers_; ++k) {
            for (int i = 0; i < kStages; ++i)
                work[k] += h * weight[i] * stages_.power[i * powers_ + k];
        }
        std::copy_n(y_new_.begin(), nq_, q.begin());
        std::copy_n(y_new_.begin() + nq_, nv_, v.begin());
        if (project_.needed() && !project_(rates_.calls, q.data(), v.data())) {
            return lost(y_new_.data());
        }
        pack(y_);
        t = reached;
        ++statistics.steps;
        statistics.last_step = h;
        // a step of almost the same length keeps all factors
        const bool slow = solved.iterations > 2 && solved.rate > kSlow;
        if (!slow && factor < kKeptFactor) factor = 1;
        h_ = h * factor, error_before_ = error, fresh_ = false;
        statistics.next_step = h_;
        if (!stages_.rates(1, &t, y_.data(), f_.data(), nullptr)) return lost(y_.data());
        if (slow && !differentiate()) return lost(y_.data());
        for (double x : v) {
            if (std::abs(x) < kFastest) continue;
            lost_q = q, lost_v = v;
            return FlowEnd::diverged;
        }
        return FlowEnd::reached;
    }

    Outside& outside_;
    const int nq_, nv_, ny_;
    const FlowNumbers numbers_;
    Rates rates_;
    const int powers_ = rates_.powers();
    Projection project_;
    LinkageNorm norm_;
    Stages stages_;
    const double given_step_;

    Vector y_, f_, y_new_, error_;              // (ny)
    Vector started_, polynomial_, work_start_;  // of the last step
    Vector sampled_;                            // room
    double h_ = 0, last_h_ = 0, t_start_ = 0, error_before_ = 0;
    bool stale_ = true, fresh_ = false, has_polynomial_ = false;
};

}  // namespace

std::unique_ptr<Flow> make_radau(const Tree& tree, const FlowNumbers& numbers, Outside& outside) {
    return std::make_unique<Radau>(tree, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
