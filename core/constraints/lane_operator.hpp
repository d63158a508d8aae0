// The operator A = J H⁻¹ Jᵀ of one lane's rows, from the shares that test forces have left at the
// velocities on their ways: A = Σ s D⁻¹ s. Only rows that are on in the lane are looked at, so that
// nobody pays for what touches elsewhere. Rows on the same way are summed together, with vectors
// along the rows before them.
#pragma once

#include "constraints/row_map.hpp"

namespace tarsus::TARSUS_ISA {

class LaneOperator {
   public:
    LaneOperator(const Tree& tree, int rows, Scratch& scratch)
        : tree_(tree),
          share_(scratch.take<double>(size_t(tree.joint_nv) * padded(rows))),
          scaled_(scratch.take<double>(size_t(tree.joint_nv) * padded(rows))),
          wrench_(scratch.take<double>(6 * size_t(padded(rows)) + kLanes)),
          passed_(scratch.take<int>(tree.joint_nv)),
          known_(scratch.take<bool>(tree.clusters.size())) {}

    // A (n × padded(n), zero beyond) of these rows in a lane, in the order in which they were
    // walked
    template <class T>
    TARSUS_APART void sum(const TestForces<T>& test, const RowMap<T>& map, int lane,
                          const int* rows, int n, double* A) {
        width_ = padded(n);
        std::fill(known_, known_ + tree_.clusters.size(), false);
        for (int first = 0, end; first < n; first = end) {
            for (end = first + 1; end < n && map[rows[end]].block == map[rows[first]].block;) ++end;
            read(test, map, lane, rows, first, end);
            int r = first;
            for (; r + 4 <= end; r += 4) add_rows<4>(r, A);
            for (; r + 2 <= end; r += 2) add_rows<2>(r, A);
            if (r < end) add_rows<1>(r, A);
        }
        for (int r = 0; r < n; ++r) {
            for (int c = 0; c < r; ++c) A[long(c) * width_ + r] = A[long(r) * width_ + c];
        }
    }

   private:
    // what rows first … end − 1, which take the same way, leave there
    template <class T>
    TARSUS_INLINE void read(const TestForces<T>& test, const RowMap<T>& map, int lane,
                            const int* rows, int first, int end) {
        const bool sums = map[rows[first]].sum;
        for (int i = 0; sums && i < 6; ++i) {
            const T* from = map.wrenches(i);
            for (int r = first; r < end; ++r) wrench(i)[r] = lane_of(from[rows[r]], lane);
        }
        n_passed_ = 0;
        for (int c : test.way(map[rows[first]].block)) {
            const Cluster& cluster = tree_.clusters[c];
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                passed_[n_passed_++] = e;
                double *share = share_ + long(e) * width_, *scaled = scaled_ + long(e) * width_;
                if (!known_[c]) std::fill(share, share + width_, 0.0);
                const T *of_test = test.shares(e), *scaled_of_test = test.scaled_shares(e);
                if (sums) {
                    const int unit = map[rows[first]].first;
                    combine(of_test + unit, lane, first, end, share);
                    combine(scaled_of_test + unit, lane, first, end, scaled);
                    continue;
                }
                for (int r = first; r < end; ++r) {
                    share[r] = lane_of(of_test[map[rows[r]].first], lane);
                    scaled[r] = lane_of(scaled_of_test[map[rows[r]].first], lane);
                }
            }
            known_[c] = true;
        }
    }
    double* wrench(int i) const { return wrench_ + long(i) * width_; }

    // the shares of rows that are sums of six unit wrenches
    template <class T>
    TARSUS_INLINE void combine(const T* of_unit, int lane, int first, int end, double* out) const {
        double x[6];
        for (int i = 0; i < 6; ++i) x[i] = lane_of(of_unit[i], lane);
        for (int r = first; r < end; r += kLanes) {
            Lanes sum = Lanes(x[0]) * lanes_at(wrench(0) + r);
            for (int i = 1; i < 6; ++i) sum = mul_add(Lanes(x[i]), lanes_at(wrench(i) + r), sum);
            store_part(sum, end - r, out + r);
        }
    }

    // R rows of A from one that was read last; what stands beyond the diagonal is not used
    template <int R>
    TARSUS_INLINE void add_rows(int r, double* A) const {
        for (int c = 0; c < r + R; c += kLanes) {
            Lanes sum[R];
            for (int i = 0; i < R; ++i) sum[i] = Lanes(0.0);
            for (int k = 0; k < n_passed_; ++k) {
                const long at = long(passed_[k]) * width_;
                const Lanes share = lanes_at(share_ + at + c);
                for (int i = 0; i < R; ++i) {
                    sum[i] = mul_add(Lanes(scaled_[at + r + i]), share, sum[i]);
                }
            }
            for (int i = 0; i < R; ++i) store_lanes(sum[i], A + long(r + i) * width_ + c);
        }
    }

    const Tree& tree_;
    double *share_, *scaled_, *wrench_;
    int* passed_;  // velocities on the way of the rows that were read last
    bool* known_;  // clusters whose shares are set
    int n_passed_ = 0, width_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
