// How large an error is beside what it may be: the root mean square within each linkage, and the
// largest of these.
#pragma once

#include <algorithm>
#include <cmath>

#include "flow/flow.hpp"

namespace tarsus::TARSUS_ISA {

class LinkageNorm {
   public:
    explicit LinkageNorm(const FlowNumbers& numbers)
        : rtol_(numbers.rtol), atol_(numbers.atol), of_(numbers.linkage_of_q) {
        of_.insert(of_.end(), numbers.linkage_of_v.begin(), numbers.linkage_of_v.end());
        count_.resize(numbers.linkages), sum_.resize(numbers.linkages);
        for (int linkage : of_) ++count_[linkage];
    }

    // of numbers that belong to q and v, beside the larger of two such states
    double operator()(const double* error, const double* a, const double* b) {
        std::fill(sum_.begin(), sum_.end(), 0.0);
        for (size_t k = 0; k < of_.size(); ++k) {
            const double size = std::max(std::abs(a[k]), std::abs(b[k]));
            const double part = error[k] / (atol_ + rtol_ * size);
            sum_[of_[k]] += part * part;
        }
        double largest = 0;
        for (size_t k = 0; k < sum_.size(); ++k) {
            const double mean = sum_[k] / std::max(count_[k], 1);
            if (std::isnan(mean)) return mean;
            largest = std::max(largest, mean);
        }
        return std::sqrt(largest);
    }

   private:
    double rtol_, atol_;
    std::vector<int> of_, count_;
    std::vector<double> sum_;
};

}  // namespace tarsus::TARSUS_ISA
