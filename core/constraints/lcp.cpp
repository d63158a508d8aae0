// Lemke's complementary pivoting (Cottle, Pang & Stone 1992, algorithm 4.4.5).
//
// The tableau keeps w − A u − e z = b. The artificial z enters first; then always the complement of
// what has left, until z leaves. Ties are broken lexicographically, so that nothing cycles where
// contacts are symmetric.
#include "constraints/lcp.hpp"

#include <cmath>
#include <vector>

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kSmallPivot = 1e-11;

class Tableau {
   public:
    Tableau(int n, const double* A, const double* b)
        : n_(n), width_(2 * n + 2), number_(size_t(n) * width_, 0.0), basis_(n) {
        for (int i = 0; i < n; ++i) {
            double* row = at(i);
            row[i] = 1.0;
            for (int j = 0; j < n; ++j) row[n + j] = -A[size_t(i) * n + j];
            row[artificial()] = -1.0;
            row[constant()] = b[i];
            basis_[i] = i;
        }
    }
    int artificial() const { return 2 * n_; }
    int constant() const { return 2 * n_ + 1; }
    int basis(int row) const { return basis_[row]; }
    double value(int row) const { return number_[size_t(row) * width_ + constant()]; }

    int most_negative() const {
        int row = 0;
        for (int i = 1; i < n_; ++i) {
            if (before(i, 1.0, row, 1.0)) row = i;
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

    int n_, width_;
    std::vector<double> number_;
    std::vector<int> basis_;
};

}  // namespace

LcpReport solve_lcp(int n, const double* A, const double* b, double* u) {
    bool trivial = true;
    for (int i = 0; i < n; ++i) u[i] = 0.0, trivial = trivial && b[i] >= 0;
    if (trivial) return {LcpEnd::solved, 0};
    Tableau tableau(n, A, b);
    int row = tableau.most_negative(), column = tableau.artificial();
    const int most = 10 * n + 50;
    for (int count = 1; count <= most; ++count) {
        const int left = tableau.basis(row);
        tableau.pivot(row, column);
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

}  // namespace tarsus::TARSUS_ISA
