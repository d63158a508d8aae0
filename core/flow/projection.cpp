#include "flow/projection.hpp"

#include <algorithm>
#include <cmath>

namespace tarsus::TARSUS_ISA {

constexpr double kClosed = 1e-13;  // [m, or sines]: as closed as numbers of some metres can be
constexpr double kOpen = 1e-9;     // and what is left after all iterations is not closed
constexpr int kIterations = 8;

Projection::Projection(const Tree& tree, const Parts& parts, const double* numbers)
    : rows(tree, parts, numbers, HeldRows::Which::closed),
      tree_(tree),
      zero_(tree.nv, 0.0),
      q_(tree.nq),
      step_(tree.nv) {}

bool Projection::operator()(Calls& calls, double* q, double* v) {
    const int n = tree_.nv;
    calls.at(q, 1);
    if (!calls(integrate_kernel, {{zero_.data(), n}}, q_.data(), tree_.nq)) return false;
    std::copy(q_.begin(), q_.end(), q);
    if (rows.rows() == 0) return true;
    double open = 0, before = INFINITY;
    for (int k = 0; k < kIterations; ++k) {
        calls.at(q, 1);
        open = rows.close(calls.table(), q, step_.data());
        if (!std::isfinite(open)) return false;
        // quadratic convergence ends where rounding begins
        if (open <= kClosed || (open <= kOpen && open >= 0.5 * before)) break;
        before = open;
        if (!calls(integrate_kernel, {{step_.data(), n}}, q_.data(), tree_.nq)) return false;
        std::copy(q_.begin(), q_.end(), q);
    }
    if (!(open <= kOpen)) return false;
    rows.hold(calls.table(), q, v);
    return true;
}

}  // namespace tarsus::TARSUS_ISA
