// The operator A = J H⁻¹ Jᵀ of one lane's rows, from the shares that test forces have left at the
// velocities on their ways: A = Σ s D⁻¹ s. Only rows that are on in the lane are looked at, so that
// nobody pays for what touches elsewhere. Rows on the same way are summed together, with vectors
// along the rows before them.
#pragma once

#include <algorithm>
#include <span>

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
          group_(scratch.take<int>(tree.clusters.size())),
          known_(scratch.take<bool>(tree.clusters.size())) {}

    // A (n × padded(n), zero beyond) of these rows in a lane
    template <class T>
    TARSUS_APART void sum(const TestForces<T>& test, const RowMap<T>& map, int lane,
                          const int* rows, int n, double* A) {
        width_ = padded(n);
        const auto end_of = [&](int first) {
            int end = first + 1;
            while (end < n && map[rows[end]].block == map[rows[first]].block) ++end;
            return end;
        };
        // only ways of these rows are looked at: islands are many
        for (int r = 0; r < n; ++r) {
            for (int c : test.way(map[rows[r]].block)) known_[c] = false, group_[c] = -1;
        }
        // first all shares, then all sums: what was just stored piece by piece is slow to load
        for (int first = 0, end; first < n; first = end) {
            end = end_of(first);
            read(test, map, lane, rows, first, end);
        }
        for (int r = 0, end; r < n; r = end) {
            end = end_of(r), n_passed_ = 0;
            const bool alone = end == r + 1;
            pass(test.way(map[rows[r]].block), r);
            // rows that are alone are summed with their neighbours, over the ways of all of them
            for (; alone && end < n && end < r + 4 && end_of(end) == end + 1; ++end) {
                pass(test.way(map[rows[end]].block), r);
            }
            add(r, end, A);
        }
        const long width = width_;
        for (int r = 0; r < n; ++r) {
            double* column = A + r;
            for (int c = 0; c < r; ++c, column += width) *column = A[r * width + c];
            std::fill(A + r * width + n, A + (r + 1) * width, 0.0);
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
            double* to = wrench(i);
            for (int r = first; r < end; ++r) to[r] = lane_of(from[rows[r]], lane);
        }
        const int unit = map[rows[first]].first, count = end - first, width = width_;
        for (int c : test.way(map[rows[first]].block)) {
            const Cluster& cluster = tree_.clusters[c];
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                double *share = share_ + long(e) * width, *scaled = scaled_ + long(e) * width;
                if (!known_[c]) {
                    std::fill(share, share + width, 0.0), std::fill(scaled, scaled + width, 0.0);
                }
                const T *of_test = test.shares(e) + unit,
                        *scaled_too = test.scaled_shares(e) + unit;
                if (sums) {
                    combine(of_test, lane, first, end, share);
                    combine(scaled_too, lane, first, end, scaled);
                    continue;
                }
                for (int k = 0; k < count; ++k) {  // the rows of a block are neighbours
                    share[first + k] = lane_of(of_test[k], lane);
                    scaled[first + k] = lane_of(scaled_too[k], lane);
                }
            }
            known_[c] = true;
        }
    }
    // adds the velocities on a way to those of a group of rows
    void pass(std::span<const int> way, int group) {
        for (int c : way) {
            if (group_[c] == group) continue;
            group_[c] = group;
            const int w = tree_.clusters[c].w, nv = tree_.clusters[c].nv;
            int* to = passed_ + n_passed_;
            for (int e = 0; e < nv; ++e) to[e] = w + e;
            n_passed_ += nv;
        }
    }
    void add(int r, int end, double* A) const {
        for (; r + 4 <= end; r += 4) add_rows<4>(r, A);
        for (; r + 2 <= end; r += 2) add_rows<2>(r, A);
        if (r < end) add_rows<1>(r, A);
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

    // R rows of A along the ways that were passed; what stands beyond the diagonal is not
    // used
    template <int R>
    TARSUS_INLINE void add_rows(int r, double* A) const {
        int c = 0;  // two vectors at once: as many sums keep a processor busy
        for (; c + kLanes < r + R; c += 2 * kLanes) add_vectors<R, 2>(r, c, A);
        if (c < r + R) add_vectors<R, 1>(r, c, A);
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
    int* passed_;  // velocities on the ways of a group of rows
    int* group_;   // the last one that passed each cluster
    bool* known_;  // clusters whose shares are set
    int n_passed_ = 0, width_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
