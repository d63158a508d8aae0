// Lemke's complementary pivoting (Cottle, Pang & Stone 1992, algorithm 4.4.5).
//
// The tableau keeps w − A u − d z = b. The artificial z enters first; then always the complement of
// what has left, until z leaves. Ties are broken lexicographically, so that nothing cycles where
// contacts are symmetric. Any d > 0 leads to a solution if there is one; round-off may lead astray
// on one way and not on another, so several are tried.
#include "constraints/lcp.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kSmallPivot = 1e-11;
constexpr int kWays = 6;
constexpr double kGood = 1e-11;  // of b: a solution that needs no better one

// d of one way: ones first, then numbers between 1 and 2 without any pattern
double cover(int way, int i) {
    const double x = 0.6180339887498949 * way * (i + 1);
    return way == 0 ? 1.0 : 1.0 + x - std::floor(x);
}

class Tableau {
   public:
    Tableau(int n, const double* A, const double* b, int way)
        : n_(n), way_(way), width_(2 * n + 2), number_(size_t(n) * width_, 0.0), basis_(n) {
        for (int i = 0; i < n; ++i) {
            double* row = at(i);
            row[i] = 1.0;
            for (int j = 0; j < n; ++j) row[n + j] = -A[size_t(i) * n + j];
            row[artificial()] = -cover(way, i);
            row[constant()] = b[i];
            basis_[i] = i;
        }
    }
    int artificial() const { return 2 * n_; }
    int constant() const { return 2 * n_ + 1; }
    int basis(int row) const { return basis_[row]; }
    double value(int row) const { return number_[size_t(row) * width_ + constant()]; }

    // which enters for z
    int most_negative() const {
        int row = 0;
        for (int i = 1; i < n_; ++i) {
            if (before(i, -entry(i, artificial()), row, -entry(row, artificial()))) row = i;
        }
        return row;
    }
    // the row that limits the entering column first, −1 if none does
    int leaving(int column) const {
        int row = -1;
        for (int i = 0; i < n_; ++i) {
            const double pivot = entry(i, column);
            if (pivot <= kSmallPivot) continue;
            if (row < 0 || before(i, pivot, row, entry(row, column))) row = i;
        }
        return row;
    }
    void pivot(int row, int column) {
        double* own = at(row);
        const double scale = 1 / own[column];
        for (int k = 0; k < width_; ++k) own[k] *= scale;
        for (int i = 0; i < n_; ++i) {
            double* other = at(i);
            const double factor = other[column];
            if (i == row || factor == 0.0) continue;
            for (int k = 0; k < width_; ++k) other[k] -= factor * own[k];
        }
        basis_[row] = column;
    }

    // Takes from the values what many pivots have rounded: the columns of w hold the inverse of the
    // basis, which tells what is left of b.
    void refine(const double* A, const double* b) {
        std::vector<double> left(b, b + n_);
        for (int i = 0; i < n_; ++i) {
            const int own = basis_[i];
            if (own < n_) left[own] -= value(i);
            for (int k = 0; own >= n_ && k < n_; ++k) {
                const double d =
                    own == artificial() ? cover(way_, k) : A[size_t(k) * n_ + own - n_];
                left[k] += d * value(i);
            }
        }
        for (int i = 0; i < n_; ++i) {
            for (int k = 0; k < n_; ++k) at(i)[constant()] += entry(i, k) * left[k];
        }
    }

   private:
    double* at(int row) { return &number_[size_t(row) * width_]; }
    double entry(int row, int column) const { return number_[size_t(row) * width_ + column]; }
    // whether row i / p comes lexicographically before row j / s
    bool before(int i, double p, int j, double s) const {
        const double *a = &number_[size_t(i) * width_], *b = &number_[size_t(j) * width_];
        double gap = a[constant()] / p - b[constant()] / s;
        const double size = std::abs(a[constant()] / p) + std::abs(b[constant()] / s);
        if (std::abs(gap) > 1e-13 * size) return gap < 0;
        if ((basis_[i] == artificial()) != (basis_[j] == artificial())) {
            return basis_[i] == artificial();
        }
        for (int k = 0; k < n_; ++k) {
            gap = a[k] / p - b[k] / s;
            if (std::abs(gap) > 1e-13) return gap < 0;
        }
        return false;
    }

    int n_, way_, width_;
    std::vector<double> number_;
    std::vector<int> basis_;
};

LcpReport go(int n, const double* A, const double* b, int way, int most, double* u) {
    std::fill(u, u + n, 0.0);
    Tableau tableau(n, A, b, way);
    int row = tableau.most_negative(), column = tableau.artificial();
    for (int count = 1; count <= most; ++count) {
        const int left = tableau.basis(row);
        tableau.pivot(row, column);
        tableau.refine(A, b);
        if (left == tableau.artificial()) {
            for (int i = 0; i < n; ++i) {
                if (tableau.basis(i) >= n)
                    u[tableau.basis(i) - n] = std::fmax(0.0, tableau.value(i));
            }
            return {LcpEnd::solved, count};
        }
        column = left < n ? left + n : left - n;
        row = tableau.leaving(column);
        if (row < 0) return {LcpEnd::ray, count};
    }
    return {LcpEnd::tired, most};
}

double missed(int n, const double* A, const double* b, const double* u) {
    double worst = 0;
    for (int i = 0; i < n; ++i) {
        double w = b[i];
        for (int j = 0; j < n; ++j) w += A[size_t(i) * n + j] * u[j];
        worst = std::fmax(worst, std::abs(std::fmin(u[i], w)));
    }
    return worst;
}

}  // namespace

LcpReport solve_lcp(int n, const double* A, const double* b, double* u) {
    std::fill(u, u + n, 0.0);
    double size = 0;
    for (int i = 0; i < n; ++i) size = std::fmax(size, std::abs(b[i]));
    if (std::all_of(b, b + n, [](double x) { return x >= 0; })) return {LcpEnd::solved, 0};
    std::vector<double> tried(n);
    LcpReport best{LcpEnd::ray, 0};
    double least = 1e300;
    for (int way = 0; way < kWays && !(least <= kGood * size); ++way) {
        const int most = std::min(10 * n + 50, patience(n) - best.pivots);
        if (most <= 0) break;
        const LcpReport report = go(n, A, b, way, most, tried.data());
        best.pivots += report.pivots;
        if (report.end != LcpEnd::solved) {
            if (least == 1e300) best.end = report.end;
            continue;
        }
        const double left = missed(n, A, b, tried.data());
        if (!(left < least)) continue;
        least = left, best.end = LcpEnd::solved;
        std::copy(tried.begin(), tried.end(), u);
    }
    return best;
}

}  // namespace tarsus::TARSUS_ISA
