// What test forces leave on their ways, lane by lane: of each velocity, a number for each test row;
// and the wrenches of rows that are sums. One state has them as they are; those of lanes are turned
// once, so that each lane's own are neighbours.
#pragma once

#include "constraints/row_map.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class LaneShares;

template <>
class LaneShares<double> {
   public:
    LaneShares(const Tree&, int, Scratch&) {}

    void turn(const TestForces<double>& test, const RowMap<double>& map) {
        test_ = &test, map_ = &map;
    }
    const double* shares(int, int w) const { return test_->shares(w); }
    const double* scaled(int, int w) const { return test_->scaled_shares(w); }
    const double* wrenches(int, int part) const { return map_->wrenches(part); }

   private:
    const TestForces<double>* test_ = nullptr;
    const RowMap<double>* map_ = nullptr;
};

template <>
class LaneShares<Lanes> {
   public:
    LaneShares(const Tree& tree, int rows, Scratch& scratch)
        : tree_(tree),
          room_(padded(rows) + kLanes),
          shares_(scratch.take<double>(size_t(kLanes) * tree.joint_nv * room_)),
          scaled_(scratch.take<double>(size_t(kLanes) * tree.joint_nv * room_)),
          wrenches_(scratch.take<double>(size_t(kLanes) * 6 * room_)) {}

    TARSUS_APART void turn(const TestForces<Lanes>& test, const RowMap<Lanes>& map) {
        for (int b = 0; b < test.blocks(); ++b) {
            const auto [first, end] = test.rows_of(b);
            for (int c : test.way(b)) {
                const Cluster& cluster = tree_.clusters[c];
                for (int w = cluster.w; w < cluster.w + cluster.nv; ++w) {
                    turn_rows(test.shares(w), first, end, shares_ + long(w) * room_, lane_size());
                    turn_rows(test.scaled_shares(w), first, end, scaled_ + long(w) * room_,
                              lane_size());
                }
            }
        }
        for (int i = 0; map.shared() && i < 6; ++i) {
            turn_rows(map.wrenches(i), 0, map.size(), wrenches_ + long(i) * room_, 6L * room_);
        }
    }
    const double* shares(int lane, int w) const {
        return shares_ + lane * lane_size() + long(w) * room_;
    }
    const double* scaled(int lane, int w) const {
        return scaled_ + lane * lane_size() + long(w) * room_;
    }
    const double* wrenches(int lane, int part) const {
        return wrenches_ + (6L * lane + part) * room_;
    }

   private:
    long lane_size() const { return long(tree_.joint_nv) * room_; }

    // four numbers at a time: what is read and written past the end belongs to later rows
    static TARSUS_INLINE void turn_rows(const Lanes* from, int first, int end, double* to,
                                        long stride) {
        Rows<Lanes> rows(to, stride, kLanes, false);
        if (end - first == 1) return rows.set(first, from[first]);
        for (int k = first; k < end; k += 4) {
            rows.set_four(k, {from[k], from[k + 1], from[k + 2], from[k + 3]});
        }
    }

    const Tree& tree_;
    const int room_;
    double *shares_, *scaled_, *wrenches_;
};

}  // namespace tarsus::TARSUS_ISA
