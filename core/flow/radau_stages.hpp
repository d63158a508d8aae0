// The equations of a step of Radau IIA, by Newton's method with the second-order structure of
// mechanics: with q′ = K v, Aq = ∂a/∂q and Av = ∂a/∂v a system (μ − J)(δq, δv) = (rq, rv) of nq +
// nv unknowns is one of nv,
//
//     (μ² − μ Av − Aq K) δv = μ rv + Aq rq,      δq = (rq + K δv)/μ,
//
// real for one eigenvalue of the method and complex for the other two. What K changes with q is
// left to the iteration. Derivatives are differences, many in lanes at once.
#pragma once

#include <algorithm>

#include "flow/elimination.hpp"
#include "flow/linkage_norm.hpp"
#include "flow/radau_tableau.hpp"
#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA::radau {

using Vector = std::vector<double>;

constexpr int kNewton = 6;  // iterations at most
constexpr double kRoundOff = 2.220446049250313e-16;

class Stages {
   public:
    Stages(const Tree& tree, const FlowNumbers& numbers, Rates& rates, LinkageNorm& norm,
           FlowStatistics& statistics)
        : power(kStages * rates.powers()),
          nq_(tree.nq),
          nv_(tree.nv),
          ny_(tree.nq + tree.nv),
          tolerance_(
              std::max(10 * kRoundOff / numbers.rtol, std::min(0.03, std::sqrt(numbers.rtol)))),
          rates_(rates),
          norm_(norm),
          statistics_(statistics) {
        for (Vector* each : {&Z, &stage, &W_, &F_}) each->resize(kStages * ny_);
    }

    Vector Z;      // what the stages differ from the start by
    Vector stage;  // the last that were tried
    Vector power;  // at the stages

    struct Solved {
        bool converged;
        int iterations;
        double rate;
    };

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
    bool differentiated() const { return !Aq_.empty(); }
    // nothing is known of how fast it converges
    void forget() { progress_ = 1; }

    // Aq, Av and K at the start of the step: one-sided differences
    bool differentiate(double t, const Vector& y, const Vector& f0) {
        const int n = nv_;
        Aq_.resize(n * nq_), Av_.resize(n * n), K_.resize(nq_ * n);
        rows_.resize(size_t(ny_) * ny_), rows_f_.resize(size_t(ny_) * ny_);
        times_.assign(ny_, t);
        const double root = std::sqrt(kRoundOff);
        for (int k = 0; k < ny_; ++k) {
            double* row = &rows_[size_t(k) * ny_];
            std::copy(y.begin(), y.end(), row);
            row[k] += root * std::max(1.0, std::abs(y[k]));
        }
        if (!rates(ny_, times_.data(), rows_.data(), rows_f_.data(), nullptr)) return false;
        for (int k = 0; k < ny_; ++k) {
            const double* f = &rows_f_[size_t(k) * ny_];
            const double inverse = 1 / (rows_[size_t(k) * ny_ + k] - y[k]);
            for (int i = 0; i < n; ++i) {
                const double slope = (f[nq_ + i] - f0[nq_ + i]) * inverse;
                (k < nq_ ? Aq_[k * n + i] : Av_[(k - nq_) * n + i]) = slope;
            }
            // rates of q are linear in v
            for (int i = 0; k >= nq_ && i < nq_; ++i) {
                K_[(k - nq_) * nq_ + i] = (f[i] - f0[i]) * inverse;
            }
        }
        AqK_.assign(n * n, 0.0);
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < nq_; ++j) {
                const double x = K_[k * nq_ + j];
                if (x != 0) add_multiple(n, x, &Aq_[j * n], &AqK_[k * n]);
            }
        }
        ++statistics_.jacobians;
        factored_h_ = 0;
        return true;
    }

    // true if it is factored for this step, or can be
    bool factor(double h) {
        if (factored_h_ == h) return true;
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
        ++statistics_.factorisations;
        const bool regular = real_.factor(n) && pair_.factor(n);
        factored_h_ = regular ? h : 0;
        return regular;
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
    // from Z as a guess
    Solved solve(double t, double h, const Vector& start) {
        double times[kStages];
        for (int i = 0; i < kStages; ++i) times[i] = t + h * kNode[i];
        transform(kTI, Z, W_);
        double before = 0, rate = 0;
        // how much further an iteration comes is known from the last step
        progress_ = std::pow(std::max(progress_, kRoundOff), 0.8);
        for (int k = 0; k < kNewton; ++k) {
            for (int i = 0; i < kStages; ++i) {
                for (int j = 0; j < ny_; ++j) stage[i * ny_ + j] = start[j] + Z[i * ny_ + j];
            }
            ++statistics_.iterations;
            if (!rates(kStages, times, stage.data(), F_.data(), power.data())) break;
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
                const double part = norm_(r + i * ny_, start.data(), start.data());
                change += part * part;
            }
            change = std::sqrt(change / kStages);
            if (!std::isfinite(change)) break;
            rate = before > 0 ? change / before : 0;
            const double left = std::pow(rate, kNewton - k) / (1 - rate) * change;
            if (before > 0 && (rate >= 1 || left > tolerance_)) break;
            if (before > 0) progress_ = rate / (1 - rate);
            for (int j = 0; j < kStages * ny_; ++j) W_[j] += residual_[j];
            transform(kT, W_, Z);
            if (progress_ * change < tolerance_) {
                return {true, k + 1, rate};
            }
            before = change;
        }
        return {false, kNewton, rate};
    }

   private:
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

    void transform(const double (&by)[3][3], const Vector& from, Vector& to) const {
        to.resize(kStages * ny_);
        for (int i = 0; i < kStages; ++i) {
            for (int j = 0; j < ny_; ++j) {
                to[i * ny_ + j] =
                    by[i][0] * from[j] + by[i][1] * from[ny_ + j] + by[i][2] * from[2 * ny_ + j];
            }
        }
    }

    const int nq_, nv_, ny_;
    const double tolerance_;
    Rates& rates_;
    LinkageNorm& norm_;
    FlowStatistics& statistics_;
    Vector W_, F_, residual_;
    Vector Aq_, Av_, K_, AqK_;  // by columns
    RealSystem real_;
    ComplexSystem pair_;
    double factored_h_ = 0, progress_ = 1;
    Vector rows_q_, rows_v_, rows_dq_, rows_a_, rows_, rows_f_, times_;  // room
};

}  // namespace tarsus::TARSUS_ISA::radau
