// Radau IIA of order five with three stages, adaptive and with dense output: E. Hairer, G. Wanner,
// "Solving ordinary differential equations II", section IV.8.
//
// The numbers of q follow their rates and each step ends on the manifold (projection.hpp). Newton's
// method sees the second-order structure: with q′ = K v, Aq = ∂a/∂q and Av = ∂a/∂v a system
// (μ − J)(δq, δv) = (rq, rv) of nq + nv unknowns is one of nv,
//
//     (μ² − μ Av − Aq K) δv = μ rv + Aq rq,      δq = (rq + K δv)/μ,
//
// real for one eigenvalue of the method and complex for the other two. What K changes with q is
// left to the iteration. Derivatives are differences, many in lanes at once.
#include <algorithm>
#include <array>
#include <cmath>

#include "flow/elimination.hpp"
#include "flow/flows.hpp"
#include "flow/linkage_norm.hpp"
#include "flow/projection.hpp"
#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr int kStages = 3, kNewton = 6;
constexpr double kLeastFactor = 0.2, kMostFactor = 10, kKeptFactor = 1.2;
constexpr double kRoundOff = 2.220446049250313e-16;
constexpr double kFastest = 1e8;  // velocities beyond this count as diverged, as in steps

// eigenvalues of the inverse of the method's matrix, and its transformation to them
const double kRoot6 = std::sqrt(6.0), kCube3 = std::cbrt(3.0), kCube9 = std::cbrt(9.0);
const double kNode[kStages] = {(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
const double kReal = 3 + kCube9 - kCube3, kPairRe = 3 + 0.5 * (kCube3 - kCube9);
const double kPairIm = -0.5 * (std::pow(3.0, 5.0 / 6) + std::pow(3.0, 7.0 / 6));
const double kT[3][3] = {{0.09443876248897524, -0.14125529502095421, 0.03002919410514742},
                         {0.25021312296533332, 0.20412935229379994, -0.38294211275726192},
                         {1, 1, 0}};
const double kTI[3][3] = {{4.17871859155190428, 0.32768282076106237, 0.52337644549944951},
                          {-4.17871859155190428, -0.32768282076106237, 0.47662355450055044},
                          {0.50287263494578682, -2.57192694985560522, 0.59603920482822492}};
const double kError[3] = {(-13 - 7 * kRoot6) / 3, (-13 + 7 * kRoot6) / 3, -1.0 / 3};
// the polynomial through 0 and the three stages, by powers of the part of the step
const double kDense[3][3] = {
    {13.0 / 3 + 7 * kRoot6 / 3, -23.0 / 3 - 22 * kRoot6 / 3, 10.0 / 3 + 5 * kRoot6},
    {13.0 / 3 - 7 * kRoot6 / 3, -23.0 / 3 + 22 * kRoot6 / 3, 10.0 / 3 - 5 * kRoot6},
    {1.0 / 3, -8.0 / 3, 10.0 / 3}};

// weights of the integral from 0 to x of the parabola through the values at the nodes
std::array<double, 3> integral_weights(double x) {
    std::array<double, 3> weights;
    for (int i = 0; i < kStages; ++i) {
        const double a = kNode[(i + 1) % 3], b = kNode[(i + 2) % 3], c = kNode[i];
        weights[i] = x * (x * x / 3 - x * (a + b) / 2 + a * b) / ((c - a) * (c - b));
    }
    return weights;
}

using Vector = std::vector<double>;

class Radau final : public Flow {
   public:
    Radau(const Tree& tree, const FlowNumbers& numbers, Outside& outside)
        : outside_(outside),
          nq_(tree.nq),
          nv_(tree.nv),
          ny_(tree.nq + tree.nv),
          numbers_(numbers),
          rates_(tree, numbers_, outside),
          project_(tree),
          norm_(numbers_),
          rtol_(numbers.rtol),
          newton_tolerance_(
              std::max(10 * kRoundOff / rtol_, std::min(0.03, std::sqrt(rtol_)))),
          given_step_(numbers.step) {
        q.resize(nq_), v.resize(nv_), work.resize(powers_);
        for (Vector* each : {&y_, &f_, &error_, &y_new_, &started_}) each->resize(ny_);
        for (Vector* each : {&Z_, &W_, &F_, &stage_, &polynomial_}) each->resize(kStages * ny_);
        power_.resize(kStages * powers_), work_start_.resize(powers_);
    }

    void start(double time, const double* q0, const double* v0, const double* work0) override {
        t = time, has_polynomial_ = false;
        std::copy_n(q0, nq_, q.begin()), std::copy_n(v0, nv_, v.begin());
        std::copy_n(work0, powers_, work.begin());
        stale_ = true, fresh_ = false, error_before_ = 0, progress_ = 1;
    }

    FlowEnd go(double until, double end) override {
        if (t >= until) return FlowEnd::reached;
        if (stale_) {
            pack(y_);
            if (!rates(1, &t, y_.data(), f_.data(), nullptr)) return lost(y_.data());
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
            for (int i = 0; i < kStages; ++i) sum += weight[i] * power_[i * powers_ + k];
            work_out[k] = work_start_[k] + last_h_ * sum;
        }
    }

   private:
    // --- states as rows y = (q, v) ------------------------------------------------------------

    void pack(Vector& y) const {
        std::copy(q.begin(), q.end(), y.begin());
        std::copy(v.begin(), v.end(), y.begin() + nq_);
    }
    // rates (n, ny) of rows y (n, ny)
    bool rates(long n, const double* time, const double* y, double* f, double* power) {
        rows_q_.resize(n * nq_), rows_v_.resize(n * nv_);
        rows_dq_.resize(n * nq_), rows_a_.resize(n * nv_);
        for (long s = 0; s < n; ++s) {
            std::copy_n(y + s * ny_, nq_, &rows_q_[s * nq_]);
            std::copy_n(y + s * ny_ + nq_, nv_, &rows_v_[s * nv_]);
        }
        if (!rates_(n, time, rows_q_.data(), rows_v_.data(), rows_dq_.data(), rows_a_.data(),
                    power))
            return false;
        for (long s = 0; s < n; ++s) {
            std::copy_n(&rows_dq_[s * nq_], nq_, f + s * ny_);
            std::copy_n(&rows_a_[s * nv_], nv_, f + s * ny_ + nq_);
        }
        return true;
    }
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
        if (!rates(1, &time, y_new_.data(), error_.data(), nullptr)) return std::min(1e-6, most);
        for (int k = 0; k < ny_; ++k) error_[k] -= f_[k];
        const double bend = norm_(error_.data(), y_.data(), y_.data()) / h;
        const double larger = std::max(speed, bend);
        const double second =
            larger <= 1e-15 ? std::max(1e-6, h * 1e-3) : std::pow(0.01 / larger, 0.25);
        return std::min({100 * h, second, most});
    }

    // --- Newton's method -----------------------------------------------------------------------

    // Aq, Av and K at the start of the step: one-sided differences
    bool differentiate() {
        const int n = nv_;
        Aq_.resize(n * nq_), Av_.resize(n * n), K_.resize(nq_ * n);
        rows_.resize(size_t(ny_) * ny_), rows_f_.resize(size_t(ny_) * ny_);
        times_.assign(ny_, t);
        const double root = std::sqrt(kRoundOff);
        for (int k = 0; k < ny_; ++k) {
            double* row = &rows_[size_t(k) * ny_];
            std::copy(y_.begin(), y_.end(), row);
            row[k] += root * std::max(1.0, std::abs(y_[k]));
        }
        if (!rates(ny_, times_.data(), rows_.data(), rows_f_.data(), nullptr)) return false;
        for (int k = 0; k < ny_; ++k) {
            const double* f = &rows_f_[size_t(k) * ny_];
            const double inverse = 1 / (rows_[size_t(k) * ny_ + k] - y_[k]);
            for (int i = 0; i < n; ++i) {
                const double slope = (f[nq_ + i] - f_[nq_ + i]) * inverse;
                (k < nq_ ? Aq_[k * n + i] : Av_[(k - nq_) * n + i]) = slope;
            }
            // rates of q are linear in v
            for (int i = 0; k >= nq_ && i < nq_; ++i) {
                K_[(k - nq_) * nq_ + i] = (f[i] - f_[i]) * inverse;
            }
        }
        AqK_.assign(n * n, 0.0);
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < nq_; ++j) {
                const double x = K_[k * nq_ + j];
                if (x != 0) add_multiple(n, x, &Aq_[j * n], &AqK_[k * n]);
            }
        }
        ++statistics.jacobians;
        return fresh_ = true;
    }

    bool factor(double h) {
        const int n = nv_;
        const double m = kReal / h, re = kPairRe / h, im = kPairIm / h;
        const double square_re = re * re - im * im, square_im = 2 * re * im;
        real_.A.resize(n * n), pair_.re.resize(n * n), pair_.im.resize(n * n);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const int k = i * n + j;
                real_.A[k] = (i == j ? m * m : 0.0) - m * Av_[k] - AqK_[k];
                pair_.re[k] = (i == j ? square_re : 0.0) - re * Av_[k] - AqK_[k];
                pair_.im[k] = (i == j ? square_im : 0.0) - im * Av_[k];
            }
        }
        ++statistics.factorisations;
        factored_h_ = h;
        return real_.factor(n) && pair_.factor(n);
    }

    // x := (μ − J)⁻¹ x for the real eigenvalue
    void solve_real(double h, double* x) {
        const double m = kReal / h;
        double* dv = x + nq_;
        for (int i = 0; i < nv_; ++i) dv[i] *= m;
        for (int j = 0; j < nq_; ++j) add_multiple(nv_, x[j], &Aq_[j * nv_], dv);
        real_.solve(dv);
        for (int j = 0; j < nv_; ++j) add_multiple(nq_, dv[j], &K_[j * nq_], x);
        for (int i = 0; i < nq_; ++i) x[i] /= m;
    }
    // the same for x + i y and one of the pair
    void solve_pair(double h, double* x, double* y) {
        const double re = kPairRe / h, im = kPairIm / h, square = re * re + im * im;
        double *du = x + nq_, *dw = y + nq_;
        for (int i = 0; i < nv_; ++i) {
            const double u = re * du[i] - im * dw[i];
            dw[i] = re * dw[i] + im * du[i], du[i] = u;
        }
        for (int j = 0; j < nq_; ++j) {
            add_multiple(nv_, x[j], &Aq_[j * nv_], du), add_multiple(nv_, y[j], &Aq_[j * nv_], dw);
        }
        pair_.solve(du, dw);
        for (int j = 0; j < nv_; ++j) {
            add_multiple(nq_, du[j], &K_[j * nq_], x), add_multiple(nq_, dw[j], &K_[j * nq_], y);
        }
        for (int i = 0; i < nq_; ++i) {
            const double u = (x[i] * re + y[i] * im) / square;
            y[i] = (y[i] * re - x[i] * im) / square, x[i] = u;
        }
    }

    struct Solved {
        bool converged;
        int iterations;
        double rate;
    };

    // Z: what the stages differ from the start by
    Solved solve_stages(double h) {
        double times[kStages];
        for (int i = 0; i < kStages; ++i) times[i] = t + h * kNode[i];
        transform(kTI, Z_, W_);
        double before = 0, rate = 0;
        // how much further an iteration comes is known from the last step
        progress_ = std::pow(std::max(progress_, kRoundOff), 0.8);
        for (int k = 0; k < kNewton; ++k) {
            for (int i = 0; i < kStages; ++i) {
                for (int j = 0; j < ny_; ++j) stage_[i * ny_ + j] = y_[j] + Z_[i * ny_ + j];
            }
            ++statistics.iterations;
            if (!rates(kStages, times, stage_.data(), F_.data(), power_.data())) break;
            transform(kTI, F_, residual_);
            double *r = residual_.data(), *x = r + ny_, *y = r + 2 * ny_;
            const double *w = W_.data(), *wx = w + ny_, *wy = w + 2 * ny_;
            for (int j = 0; j < ny_; ++j) {
                r[j] -= kReal / h * w[j];
                x[j] -= (kPairRe * wx[j] - kPairIm * wy[j]) / h;
                y[j] -= (kPairRe * wy[j] + kPairIm * wx[j]) / h;
            }
            solve_real(h, r);
            solve_pair(h, x, y);
            double change = 0;
            for (int i = 0; i < kStages; ++i) {
                const double part = norm_(r + i * ny_, y_.data(), y_.data());
                change += part * part;
            }
            change = std::sqrt(change / kStages);
            if (!std::isfinite(change)) break;
            rate = before > 0 ? change / before : 0;
            const double left = std::pow(rate, kNewton - k) / (1 - rate) * change;
            if (before > 0 && (rate >= 1 || left > newton_tolerance_)) break;
            if (before > 0) progress_ = rate / (1 - rate);
            for (int j = 0; j < kStages * ny_; ++j) W_[j] += residual_[j];
            transform(kT, W_, Z_);
            if (progress_ * change < newton_tolerance_) {
                return {true, k + 1, rate};
            }
            before = change;
        }
        return {false, kNewton, rate};
    }
    void transform(const double (&by)[3][3], const Vector& from, Vector& to) const {
        to.resize(kStages * ny_);
        for (int i = 0; i < kStages; ++i) {
            for (int j = 0; j < ny_; ++j) {
                to[i * ny_ + j] = by[i][0] * from[j] + by[i][1] * from[ny_ + j] +
                                  by[i][2] * from[2 * ny_ + j];
            }
        }
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
            Solved solved{};
            while (true) {
                if (Aq_.empty() && !differentiate()) return lost(y_.data());
                const bool possible = factored_h_ == h || factor(h);
                if (possible) solved = solve_stages(h);
                if (solved.converged || fresh_) break;
                if (!differentiate()) return lost(y_.data());
                factored_h_ = 0;
                predict(h);
            }
            if (!solved.converged) {
                h *= 0.5, rejected = true, ++statistics.rejected;
                continue;
            }
            for (int j = 0; j < ny_; ++j) y_new_[j] = y_[j] + Z_[2 * ny_ + j];
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
            if (!rates(1, &t, &stage_[i * ny_], error_.data(), nullptr)) {
                return lost(&stage_[i * ny_]);
            }
        }
        return FlowEnd::too_short;
    }

    // stages on the polynomial of the last step
    void predict(double h) {
        if (!has_polynomial_) {
            std::fill(Z_.begin(), Z_.end(), 0.0);
            return;
        }
        for (int i = 0; i < kStages; ++i) {
            evaluate(1 + h * kNode[i] / last_h_, sampled_);
            for (int j = 0; j < ny_; ++j) Z_[i * ny_ + j] = sampled_[j] - y_[j];
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
            for (int i = 0; i < kStages; ++i) sum += kError[i] * Z_[i * ny_ + j];
            error_[j] = f[j] + sum / h;
        }
        solve_real(h, error_.data());
        return norm_(error_.data(), y_.data(), y_new_.data());
    }
    // at the filtered error: stiff parts are damped once more
    double estimate_again(double h) {
        for (int j = 0; j < ny_; ++j) error_[j] += y_[j];
        Vector f(ny_);
        if (!rates(1, &t, error_.data(), f.data(), nullptr)) return INFINITY;
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

    FlowEnd accept(double h, double reached, double error, const Solved& solved, double factor) {
        started_ = y_, t_start_ = t, last_h_ = h, has_polynomial_ = true;
        work_start_ = work;
        for (int p = 0; p < 3; ++p) {
            for (int j = 0; j < ny_; ++j) {
                double sum = 0;
                for (int i = 0; i < kStages; ++i) sum += kDense[i][p] * Z_[i * ny_ + j];
                polynomial_[p * ny_ + j] = sum;
            }
        }
        const std::array<double, 3> weight = integral_weights(1);
        for (int k = 0; k < powers_; ++k) {
            for (int i = 0; i < kStages; ++i) work[k] += h * weight[i] * power_[i * powers_ + k];
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
        // slow convergence asks for new derivatives; a step of almost the same length keeps all
        const bool slow = solved.iterations > 2 && solved.rate > 1e-3;
        if (!slow && factor < kKeptFactor) factor = 1;
        h_ = h * factor, error_before_ = error, fresh_ = false;
        statistics.next_step = h_;
        if (!rates(1, &t, y_.data(), f_.data(), nullptr)) return lost(y_.data());
        if (slow) {
            if (!differentiate()) return lost(y_.data());
            factored_h_ = 0;
        }
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
    const double rtol_, newton_tolerance_, given_step_;

    Vector y_, f_, y_new_, error_;                   // (ny)
    Vector Z_, W_, F_, stage_, residual_, power_;    // of the stages
    Vector started_, polynomial_, work_start_;       // of the last step
    Vector Aq_, Av_, K_, AqK_;                       // derivatives
    RealSystem real_;
    ComplexSystem pair_;
    double h_ = 0, last_h_ = 0, factored_h_ = 0, t_start_ = 0, error_before_ = 0;
    double progress_ = 1;
    bool stale_ = true, fresh_ = false, has_polynomial_ = false;
    Vector rows_q_, rows_v_, rows_dq_, rows_a_, rows_, rows_f_, times_, sampled_;  // room
};

}  // namespace

std::unique_ptr<Flow> make_radau(const Tree& tree, const FlowNumbers& numbers, Outside& outside) {
    return std::make_unique<Radau>(tree, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
