// A step of y′ = f(t, y) by an explicit Runge–Kutta method (explicit_tableau.hpp), in each lane
// with its own time and length. Errors and output between steps are those of Dormand and Prince's
// tableau. Errors are measured lane by lane: root mean squares within each linkage, and the largest
// of these.
//
// A system has `size()` numbers, the first `measured()` of which have errors that count, and
// `rates(t, y, dy, values, slopes)`: the rates at y, and values and rates of its guards unless
// null.
#pragma once

#include "dynamics/arguments.hpp"
#include "flow/explicit_tableau.hpp"

namespace tarsus::TARSUS_ISA {

// how large errors may be, and which linkage each number belongs to
struct Tolerance {
    double rtol, atol;
    const int* linkage;
    int linkages;
};

template <class T, class Tableau = DormandPrince853>
class ExplicitStep {
   public:
    static constexpr int kStages = Tableau::kStages, kSlopes = Tableau::kSlopes;

    ExplicitStep(int size, int measured, const Tolerance& tolerance, Scratch& scratch)
        : y(scratch.take<T>(size)),
          next(scratch.take<T>(size)),
          size_(size),
          measured_(measured),
          tolerance_(tolerance),
          stage_(scratch.take<T>(size)),
          sum_(scratch.take<T>(2 * tolerance.linkages)),
          dense_(scratch.take<T>(Tableau::kDenseRows * size)) {
        for (T*& slope : k) slope = scratch.take<T>(size);
        for (int j = 0; j < size; ++j) next[j] = T(0.0);
    }
    static size_t bytes(int size, int linkages) {
        return (3 + kSlopes) * bytes_of<T>(size) + bytes_of<T>(2 * linkages) +
               bytes_of<T>(Tableau::kDenseRows * size);
    }

    T *y, *next;    // at the start, and at the end
    T* k[kSlopes];  // slopes; the first at the start, number kStages at the end if there is one

    // next := y after h; k[0] must be known
    template <class System>
    void stages(System& system, const T& t, const T& h) {
        for (int i = 1; i < kStages; ++i) slope(system, i, t, h, k[i]);
        combine(kStages, h, next);
    }
    // … and the slopes and guards there
    template <class System>
    void finish(System& system, const T& t, const T& h, T* values, T* slopes) {
        system.rates(t + h, next, k[kStages], values, slopes);
    }

    // parts of what is allowed, 1 at most for a step that is good enough
    T error(const T& h) {
        const T zero(0.0);
        const int n = tolerance_.linkages;
        T *fifth = sum_, *third = sum_ + n;
        for (int l = 0; l < 2 * n; ++l) sum_[l] = zero;
        for (int j = 0; j < measured_; ++j) {
            const T a = absolute(y[j]), b = absolute(next[j]);
            const T scale =
                T(1.0) / mul_add(T(tolerance_.rtol), select(a > b, a, b), T(tolerance_.atol));
            const T e5 = weigh(Tableau::kFifth, j) * scale, e3 = weigh(Tableau::kThird, j) * scale;
            const int l = tolerance_.linkage[j];
            fifth[l] = mul_add(e5, e5, fifth[l]), third[l] = mul_add(e3, e3, third[l]);
        }
        T worst(0.0);
        for (int l = 0; l < n; ++l) {
            const T both = mul_add(T(0.01), third[l], fifth[l]);
            // not a number stays so
            const T of = fifth[l] * (fifth[l] / select(both > zero, both, T(1.0)));
            const T count(double(count_of(l)));
            const T found = of / count;
            worst = select(found < worst, worst, found + zero * worst);
        }
        return absolute(h) * square_root(worst);
    }

    // what is needed for `at`, after an accepted step
    template <class System>
    void prepare_output(System& system, const T& t, const T& h) {
        for (int i = kStages + 1; i < kSlopes; ++i) slope(system, i, t, h, k[i]);
        for (int r = 0; r < Tableau::kDenseRows; ++r) {
            for (int j = 0; j < size_; ++j) {
                T sum(0.0);
                for (int i = 0; i < kSlopes; ++i) {
                    const double weight = Tableau::kDense[r][i];
                    if (weight != 0) sum = mul_add(T(weight), k[i][j], sum);
                }
                dense_[r * size_ + j] = sum * h;
            }
        }
    }
    // number j of one lane at the part x of the step
    double at(int j, int lane, double h, double x) const {
        const double from = lane_of(y[j], lane), by = lane_of(next[j], lane) - from;
        const double first = h * lane_of(k[0][j], lane);
        const double last = h * lane_of(k[kStages][j], lane);
        const double power[7] = {by,
                                 first - by,
                                 2 * by - (first + last),
                                 lane_of(dense_[j], lane),
                                 lane_of(dense_[size_ + j], lane),
                                 lane_of(dense_[2 * size_ + j], lane),
                                 lane_of(dense_[3 * size_ + j], lane)};
        double sum = 0;
        for (int i = 6; i >= 0; --i) sum = (sum + power[i]) * (i % 2 == 0 ? x : 1 - x);
        return from + sum;
    }

   private:
    template <class System>
    void slope(System& system, int i, const T& t, const T& h, T* out) {
        combine(i, h, stage_);
        system.rates(mul_add(T(Tableau::kNode[i]), h, t), stage_, out, nullptr, nullptr);
    }
    // out := y + h times the slopes by the weights of a row
    TARSUS_INLINE void combine(int row, const T& h, T* out) const {
        if constexpr (kLaneCount<T> > 1) {
            int j = 0;
            for (; j + kBlock <= size_; j += kBlock) combine_block<kBlock>(row, h, j, out);
            for (; j < size_; ++j) combine_block<1>(row, h, j, out);
            return;
        }
        for (int j = 0; j < size_; ++j) out[j] = T(0.0);
        for (int i = 0; i < row; ++i) {
            const double weight = Tableau::kWeight[row][i];
            if (weight == 0) continue;
            for (int j = 0; j < size_; ++j) out[j] = mul_add(T(weight), k[i][j], out[j]);
        }
        for (int j = 0; j < size_; ++j) out[j] = mul_add(h, out[j], y[j]);
    }
    // sums of a few numbers stay in registers
    static constexpr int kBlock = 8;
    template <int n>
    TARSUS_INLINE void combine_block(int row, const T& h, int j, T* out) const {
        T sum[n];
        for (int b = 0; b < n; ++b) sum[b] = T(0.0);
        for (int i = 0; i < row; ++i) {
            const double weight = Tableau::kWeight[row][i];
            if (weight == 0) continue;
            const T by(weight);
            for (int b = 0; b < n; ++b) sum[b] = mul_add(by, k[i][j + b], sum[b]);
        }
        for (int b = 0; b < n; ++b) out[j + b] = mul_add(h, sum[b], y[j + b]);
    }
    TARSUS_INLINE T weigh(const double* weights, int j) const {
        T sum(0.0);
        for (int i = 0; i <= kStages; ++i) {
            if (weights[i] != 0) sum = mul_add(T(weights[i]), k[i][j], sum);
        }
        return sum;
    }
    int count_of(int linkage) const {
        int count = 0;
        for (int j = 0; j < measured_; ++j) count += tolerance_.linkage[j] == linkage;
        return count > 0 ? count : 1;
    }

    const int size_, measured_;
    const Tolerance tolerance_;
    T *stage_, *sum_, *dense_;
};

}  // namespace tarsus::TARSUS_ISA
