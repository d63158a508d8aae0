// The operator A = J H⁻¹ Jᵀ of one lane's rows, from the shares that test forces have left at the
// velocities on their ways: A = Σ s D⁻¹ s. Only rows that are on in the lane are looked at, so that
// nobody pays for what touches elsewhere. Rows on the same way are summed together, with vectors
// along the rows before them.
#pragma once

#include "constraints/lane_shares.hpp"

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
    TARSUS_APART void sum(const TestForces<T>& test, const RowMap<T>& map, const LaneShares<T>& of,
                          int lane, const int* rows, int n, double* A) {
        width_ = padded(n);
        std::fill(known_, known_ + tree_.clusters.size(), false);
        // first all shares, then all sums: what was just stored piece by piece is slow to load
        const auto for_each_way = [&](auto&& f) {
            for (int first = 0, end; first < n; first = end) {
                const int block = map[rows[first]].block;
                for (end = first + 1; end < n && map[rows[end]].block == block;) ++end;
                f(test.way(block), first, end);
            }
        };
        for_each_way([&](std::span<const int> way, int first, int end) {
            read(map, of, lane, rows, way, first, end);
        });
        for_each_way([&](std::span<const int> way, int r, int end) {
            pass(way);
            for (; r + 4 <= end; r += 4) add_rows<4>(r, A);
            for (; r + 2 <= end; r += 2) add_rows<2>(r, A);
            if (r < end) add_rows<1>(r, A);
        });
        const long width = width_;
        for (int r = 0; r < n; ++r) {
            double* column = A + r;
            for (int c = 0; c < r; ++c, column += width) *column = A[r * width + c];
        }
    }

   private:
    // what rows first … end − 1, which take the same way, leave there
    template <class T>
    TARSUS_INLINE void read(const RowMap<T>& map, const LaneShares<T>& of, int lane,
                            const int* rows, std::span<const int> way, int first, int end) {
        const bool sums = map[rows[first]].sum;
        for (int i = 0; sums && i < 6; ++i) {
            const double* from = of.wrenches(lane, i);
            double* to = wrench(i);
            for (int r = first; r < end; ++r) to[r] = from[rows[r]];
        }
        const int unit = map[rows[first]].first, count = end - first, width = width_;
        for (int c : way) {
            const Cluster& cluster = tree_.clusters[c];
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                double *share = share_ + long(e) * width, *scaled = scaled_ + long(e) * width;
                if (!known_[c]) std::fill(share, share + width, 0.0);
                const double* of_test = of.shares(lane, e) + unit;
                const double* scaled_too = of.scaled(lane, e) + unit;
                if (sums) {
                    combine(of_test, first, end, share);
                    combine(scaled_too, first, end, scaled);
                    continue;
                }
                // the rows of a block are neighbours
                for (int k = 0; k < count; ++k) share[first + k] = of_test[k];
                for (int k = 0; k < count; ++k) scaled[first + k] = scaled_too[k];
            }
            known_[c] = true;
        }
    }
    // lists the velocities on a way
    void pass(std::span<const int> way) {
        n_passed_ = 0;
        for (int c : way) {
            const Cluster& cluster = tree_.clusters[c];
            for (int e = 0; e < cluster.nv; ++e) passed_[n_passed_++] = cluster.w + e;
        }
    }
    double* wrench(int i) const { return wrench_ + long(i) * width_; }

    // the shares of rows that are sums of six unit wrenches
    TARSUS_INLINE void combine(const double* of_unit, int first, int end, double* out) const {
        double x[6];
        for (int i = 0; i < 6; ++i) x[i] = of_unit[i];
        for (int r = first; r < end; r += kLanes) {
            Lanes sum = Lanes(x[0]) * lanes_at(wrench(0) + r);
            for (int i = 1; i < 6; ++i) sum = mul_add(Lanes(x[i]), lanes_at(wrench(i) + r), sum);
            store_part(sum, end - r, out + r);
        }
    }

    // R rows of A that take the way that was passed last; what stands beyond the diagonal is not
    // used
    template <int R>
    TARSUS_INLINE void add_rows(int r, double* A) const {
        constexpr int kAtOnce = R == 4 ? 2 : 4;  // vectors: as many sums as keep a processor busy
        int c = 0;
        for (; c + kAtOnce * kLanes <= padded(r + R); c += kAtOnce * kLanes) {
            add_vectors<R, kAtOnce>(r, c, A);
        }
        for (; c < r + R; c += kLanes) add_vectors<R, 1>(r, c, A);
    }
    template <int R, int C>
    TARSUS_INLINE void add_vectors(int r, int c, double* A) const {
        Lanes sum[R][C];
        for (int i = 0; i < R; ++i) {
            for (int k = 0; k < C; ++k) sum[i][k] = Lanes(0.0);
        }
        for (const int *e = passed_, *last = passed_ + n_passed_; e < last; ++e) {
            const long at = long(*e) * width_;
            Lanes share[C];
            for (int k = 0; k < C; ++k) share[k] = lanes_at(share_ + at + c + k * kLanes);
            for (int i = 0; i < R; ++i) {
                const Lanes x(scaled_[at + r + i]);
                for (int k = 0; k < C; ++k) sum[i][k] = mul_add(x, share[k], sum[i][k]);
            }
        }
        for (int i = 0; i < R; ++i) {
            for (int k = 0; k < C; ++k) {
                store_lanes(sum[i][k], A + long(r + i) * width_ + c + k * kLanes);
            }
        }
    }

    const Tree& tree_;
    double *share_, *scaled_, *wrench_;
    int* passed_;  // velocities on a way
    bool* known_;  // clusters whose shares are set
    int n_passed_ = 0, width_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
