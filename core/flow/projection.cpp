#include "flow/projection.hpp"

#include <algorithm>
#include <cmath>

#include "dynamics/rank_revealing.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kClosed = 1e-13;  // [m, or sines]: as closed as numbers of some metres can be
constexpr double kOpen = 1e-9;     // and what is left after all iterations is not closed
constexpr int kIterations = 8;

Projection::Projection(const Tree& tree)
    : tree_(tree), rows_(tree.n_constraint_rows), zero_(tree.nv, 0.0), q_(tree.nq) {
    if (rows_ == 0) return;
    for (const Loop& loop : tree.loops) {
        for (int r = 0; loop.cluster < 0 && r < loop.n_rows; ++r) place_.push_back(loop.row + r);
    }
    const size_t n = tree.nv, m = rows_;
    gaps_.resize(tree.rows.size());
    J_.resize(m * n), H_.resize(n * n), Y_.resize(m * n), A_.resize(m * m);
    scale_.resize(m), y_.resize(m), room_.resize(m), order_.resize(m), x_.resize(n);
}

// y := gaps of the constraints; returns the largest
double Projection::gap(Calls& calls) {
    if (!calls(loop_gaps_kernel, {}, gaps_.data(), int(gaps_.size()))) return NAN;
    double largest = 0;
    for (int r = 0; r < rows_; ++r) {
        y_[r] = gaps_[place_[r]];
        largest = std::max(largest, std::abs(y_[r]));
    }
    return largest;
}

// J, H⁻¹ Jᵀ by columns, and the factor of J H⁻¹ Jᵀ, at the configuration of `calls`
bool Projection::linearise(Calls& calls) {
    const int n = tree_.nv, m = rows_;
    if (!calls(constraint_jacobian_kernel, {}, J_.data(), m * n)) return false;
    if (!calls(mass_matrix_kernel, {}, H_.data(), n * n)) return false;
    for (int j = 0; j < n; ++j) {  // H = L Lᵀ
        for (int i = j; i < n; ++i) {
            double sum = H_[i * n + j];
            for (int k = 0; k < j; ++k) sum -= H_[i * n + k] * H_[j * n + k];
            if (i == j && !(sum > 0)) return false;
            H_[i * n + j] = i == j ? std::sqrt(sum) : sum / H_[j * n + j];
        }
    }
    for (int r = 0; r < m; ++r) {
        double* y = &Y_[r * n];
        std::copy_n(&J_[r * n], n, y);
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < i; ++k) y[i] -= H_[i * n + k] * y[k];
            y[i] /= H_[i * n + i];
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) y[i] -= H_[k * n + i] * y[k];
            y[i] /= H_[i * n + i];
        }
    }
    for (int r = 0; r < m; ++r) {
        for (int s = 0; s <= r; ++s) {
            double sum = 0;
            for (int k = 0; k < n; ++k) sum += J_[r * n + k] * Y_[s * n + k];
            A_[r * m + s] = sum;
        }
    }
    rank_ = factor_semidefinite(m, A_.data(), order_.data(), scale_.data(),
                                kHeldAlready * mobility_of(tree_));
    return true;
}

void Projection::pull(const double* y) {
    const int n = tree_.nv;
    if (y != y_.data()) std::copy_n(y, rows_, y_.data());
    solve_semidefinite(rows_, rank_, A_.data(), order_.data(), scale_.data(), y_.data(),
                       room_.data());
    std::fill(x_.begin(), x_.end(), 0.0);
    for (int r = 0; r < rows_; ++r) {
        for (int k = 0; k < n; ++k) x_[k] += Y_[r * n + k] * y_[r];
    }
}

bool Projection::operator()(Calls& calls, double* q, double* v) {
    const int n = tree_.nv;
    calls.at(q, 1);
    if (!calls(integrate_kernel, {{zero_.data(), n}}, q_.data(), tree_.nq)) return false;
    std::copy(q_.begin(), q_.end(), q);
    if (rows_ == 0) return true;
    double open = 0, before = INFINITY;
    for (int k = 0; k < kIterations; ++k) {
        calls.at(q, 1);
        open = gap(calls);
        if (!std::isfinite(open)) return false;
        if (!linearise(calls)) return false;
        // quadratic convergence ends where rounding begins
        if (open <= kClosed || (open <= kOpen && open >= 0.5 * before)) break;
        before = open;
        pull(y_.data());
        for (double& x : x_) x = -x;
        if (!calls(integrate_kernel, {{x_.data(), n}}, q_.data(), tree_.nq)) return false;
        std::copy(q_.begin(), q_.end(), q);
    }
    if (!(open <= kOpen)) return false;
    for (int r = 0; r < rows_; ++r) {
        double sum = 0;
        for (int k = 0; k < n; ++k) sum += J_[r * n + k] * v[k];
        y_[r] = sum;
    }
    pull(y_.data());
    for (int k = 0; k < n; ++k) v[k] -= x_[k];
    return true;
}

}  // namespace tarsus::TARSUS_ISA
