// Dormand and Prince's explicit method of order 8 for smooth motions of one state: steps as long as
// their errors allow, states between them by a polynomial of order 7 (explicit_step.hpp). After
// each step the state goes back to where it belongs: unit quaternions, closed loops, parts that are
// held.
#include "flow/explicit_step.hpp"
#include "flow/flows.hpp"
#include "flow/projection.hpp"
#include "flow/rates.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kFastest = 1e8;  // a motion that is faster has diverged

class DormandPrince final : public Flow {
   public:
    DormandPrince(const Tree& tree, const FlowNumbers& numbers, Outside& outside)
        : tree_(tree),
          numbers_(numbers),
          outside_(outside),
          rates_(tree, numbers_, outside),
          project_(tree, numbers_.parts, numbers_.part_numbers.data()),
          linkage_(numbers_.linkage_of_q) {
        linkage_.insert(linkage_.end(), numbers_.linkage_of_v.begin(), numbers_.linkage_of_v.end());
        const int size = tree.nq + tree.nv + rates_.powers();
        Scratch scratch(memory_.get(ExplicitStep<double>::bytes(size, numbers_.linkages)));
        const Tolerance tolerance{numbers_.rtol, numbers_.atol, linkage_.data(), numbers_.linkages};
        step_ = std::make_unique<ExplicitStep<double>>(size, tree.nq + tree.nv, tolerance, scratch);
        q.resize(tree.nq), v.resize(tree.nv), work.resize(rates_.powers());
    }

    void start(double at, const double* from_q, const double* from_v,
               const double* from_work) override {
        t = start_ = at, h_ = 0;
        double* y = step_->next;
        std::copy_n(from_q, tree_.nq, y), std::copy_n(from_v, tree_.nv, y + tree_.nq);
        std::copy_n(from_work, work.size(), y + tree_.nq + tree_.nv);
        take(y), known_ = false;
    }

    FlowEnd go(double until, double end) override {
        while (t < until) {
            if (outside_.interrupted()) return FlowEnd::interrupted;
            const FlowEnd ended = advance(end);
            if (ended != FlowEnd::reached) return ended;
        }
        return FlowEnd::reached;
    }

    void sample(double at, double* to_q, double* to_v, double* to_work) override {
        if (at < t && !dense_) {
            System system{*this};
            step_->prepare_output(system, start_, h_), dense_ = true;
        }
        const double x = h_ > 0 ? (at - start_) / h_ : 1.0;
        std::vector<double> y(step_->next, step_->next + size());
        for (int j = 0; at < t && j < size(); ++j) y[j] = step_->at(j, 0, h_, x);
        if (at < t && project_.needed()) project_(rates_.calls, y.data(), y.data() + tree_.nq);
        std::copy_n(y.data(), tree_.nq, to_q), std::copy_n(y.data() + tree_.nq, tree_.nv, to_v);
        std::copy_n(y.data() + tree_.nq + tree_.nv, work.size(), to_work);
    }

   private:
    // what a step asks
    struct System {
        DormandPrince& of;
        void rates(double at, const double* y, double* dy, double*, double*) {
            const int nq = of.tree_.nq, nv = of.tree_.nv;
            if (!of.rates_(1, &at, y, y + nq, dy, dy + nq, dy + nq + nv)) {
                of.lost_q.assign(y, y + nq), of.lost_v.assign(y + nq, y + nq + nv);
                dy[nq] = __builtin_nan("");
            }
            of.statistics.rates = of.rates_.evaluated;
        }
    };

    int size() const { return tree_.nq + tree_.nv + int(work.size()); }
    void take(const double* y) {
        std::copy_n(y, tree_.nq, q.data()), std::copy_n(y + tree_.nq, tree_.nv, v.data());
        std::copy_n(y + tree_.nq + tree_.nv, work.size(), work.data());
    }

    FlowEnd advance(double end) {
        System system{*this};
        double *y = step_->y, *first = step_->k[0];
        std::copy_n(step_->next, size(), y);
        if (known_) std::swap(step_->k[0], step_->k[DormandPrince853::kStages]);
        else system.rates(t, y, first, nullptr, nullptr), known_ = true;
        if (length_ == 0) length_ = first_length();
        dense_ = false;
        bool rejected = false;
        for (;;) {
            const double h = std::min(length_, end - t);
            if (!(h > 4e-16 * std::abs(t)) || h < 1e-18) return fail();
            step_->stages(system, t, h);
            step_->finish(system, t, h, nullptr, nullptr);
            const double error = step_->error(h);
            if (error <= 1) return accept(h, error, rejected, end);
            ++statistics.rejected, rejected = true;
            length_ =
                h * (std::isfinite(error) ? std::max(0.2, 0.9 * std::pow(error, -0.125)) : 0.2);
            finite_ = std::isfinite(error);
        }
    }
    FlowEnd accept(double h, double error, bool rejected, double end) {
        double* y = step_->next;
        if (project_.needed() && !project_(rates_.calls, y, y + tree_.nq)) {
            lost_q.assign(y, y + tree_.nq), lost_v.assign(y + tree_.nq, y + tree_.nq + tree_.nv);
            return FlowEnd::not_finite;
        }
        start_ = t, h_ = h;
        t = h >= end - t ? end : t + h;
        take(y);
        ++statistics.steps, statistics.last_step = h;
        const double factor =
            error > 0 ? std::clamp(0.9 * std::pow(error, -0.125), 0.2, rejected ? 1.0 : 5.0) : 5.0;
        length_ = std::max(h * factor, h < length_ ? length_ : 0.0);
        statistics.next_step = length_;
        for (double speed : v) {
            if (!(std::abs(speed) < kFastest)) return lost_v = v, FlowEnd::diverged;
        }
        return FlowEnd::reached;
    }
    FlowEnd fail() { return finite_ ? FlowEnd::too_short : FlowEnd::not_finite; }

    double first_length() const {
        double d0 = 0, d1 = 0;
        for (int j = 0; j < tree_.nq + tree_.nv; ++j) {
            const double scale = 1 / (numbers_.atol + numbers_.rtol * std::abs(step_->y[j]));
            d0 = std::max(d0, std::abs(step_->y[j] * scale));
            d1 = std::max(d1, std::abs(step_->k[0][j] * scale));
        }
        const double by_size = d0 > 1e-5 && d1 > 1e-5 ? d0 / d1 : 1e-4;
        return std::min(by_size, std::pow(0.01 / std::max(d1, 1e-8), 0.125));
    }

    const Tree& tree_;
    const FlowNumbers numbers_;
    Outside& outside_;
    Rates rates_;
    Projection project_;
    std::vector<int> linkage_;
    WorkMemory memory_;
    std::unique_ptr<ExplicitStep<double>> step_;
    double start_ = 0, h_ = 0, length_ = 0;  // of the last step; of the next one
    bool known_ = false, dense_ = false, finite_ = true;
};

}  // namespace

std::unique_ptr<Flow> make_dormand_prince(const Tree& tree, const FlowNumbers& numbers,
                                          Outside& outside) {
    return std::make_unique<DormandPrince>(tree, numbers, outside);
}

}  // namespace tarsus::TARSUS_ISA
