// What velocities of one state must keep to in a step: bounds of their own, and rows of joints that
// follow others and of pairs that shall stay apart. The rules are those of tarsus/ik/limits.py
// and collision_avoidance.py.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/placed_bodies.hpp"
#include "kinematics/ik_step.hpp"
#include "kinematics/task_rows.hpp"

namespace tarsus::TARSUS_ISA {

// the highest velocity from which a joint stops before its limit, braking step by step
inline double braking(double room, double acceleration, double dt) {
    if (room < 0) return room / dt;
    const double change = acceleration * dt;
    const double steps = std::floor(0.5 * (std::sqrt(1 + 8 * room / (change * dt)) - 1));
    return (room / dt + change * steps * (steps + 1) / 2) / (steps + 1);
}

inline void bounds_of(const Tree& tree, const StepStatement& stated, const double* q,
                      const double* last, double dt, double* low, double* high) {
    const double share = stated.share / dt;
    for (int v = 0; v < tree.nv; ++v) {
        const double fastest = stated.fastest[v], most = stated.acceleration[v];
        double least = -std::numeric_limits<double>::infinity(), greatest = -least;
        if (const int k = stated.position[v]; k >= 0) {
            const double below = q[k] - stated.lower[v], above = stated.upper[v] - q[k];
            least = -below * share, greatest = above * share;
            if (std::isfinite(most)) {
                if (std::isfinite(above)) greatest = std::min(greatest, braking(above, most, dt));
                if (std::isfinite(below)) least = std::max(least, -braking(below, most, dt));
            }
        }
        if (std::isfinite(most)) {
            // what acceleration leaves, as far as positions permit it
            const double before = last ? last[v] : 0.0, change = most * dt;
            const double slower = std::max(least, before - change),
                         faster = std::min(greatest, before + change);
            const double least_ = std::min(std::max(slower, least), greatest);
            greatest = std::min(std::max(faster, least), greatest), least = least_;
        }
        low[v] = std::clamp(least, -fastest, fastest);
        high[v] = std::clamp(greatest, -fastest, fastest);
    }
}

// Rows of limits of one state, and between what they stay; `hold` of each is its place among all
// that may hold a velocity.
struct LimitRows {
    double *row, *low, *high;
    int* hold;
    int count = 0;
};

class RowLimits {
   public:
    RowLimits(const Tree& tree, const StepStatement& stated, Scratch& scratch)
        : tree_(tree), stated_(stated) {
        if (!stated.pairs) return;
        placed_ = ::new (scratch.take<PlacedBodies>(1)) PlacedBodies(*stated.pairs, scratch);
        near_memory_ = scratch.take<std::byte>(near_pairs_bytes(*stated.pairs));
    }
    static size_t bytes(const StepStatement& stated) {
        if (!stated.pairs) return 0;
        return bytes_of<PlacedBodies>(1) + PlacedBodies::bytes(*stated.pairs) +
               bytes_of<std::byte>(near_pairs_bytes(*stated.pairs));
    }

    // of state s, in a step of dt from lane l; false if places are not finite
    template <class T>
    bool at(const TaskRows<T>& rows, int l, const StepStates& states, long s, double dt,
            LimitRows& out) {
        out.count = 0;
        for (size_t k = 0; k < stated_.followers.size(); ++k) follower(rows, l, k, dt, out);
        const bool placed = !stated_.pairs || apart(rows, l, dt, out);
        for (int k = 0; k < stated_.given_limits; ++k) given(states, s, k, out);
        return placed;
    }

   private:
    template <class T>
    void follower(const TaskRows<T>& rows, int l, size_t k, double dt, LimitRows& out) const {
        const FollowerLimit& limit = stated_.followers[k];
        const Cluster& cluster = tree_.clusters[tree_.cluster_of[tree_.body_of[limit.v]]];
        double* row = out.row + long(out.count) * tree_.nv;
        std::fill_n(row, tree_.nv, 0.0);
        const T* G = rows.joints().G + cluster.matrix + (limit.v - cluster.w) * cluster.nv;
        for (int e = 0; e < cluster.nv; ++e) row[cluster.v + e] = lane_of(G[e], l);
        const double x = lane_of(rows.joints().q[limit.q], l), share = stated_.share / dt;
        out.low[out.count] = std::clamp((limit.lower - x) * share, -limit.fastest, limit.fastest);
        out.high[out.count] = std::clamp((limit.upper - x) * share, -limit.fastest, limit.fastest);
        out.hold[out.count++] = tree_.nv + int(k);
    }
    // distances fall no faster than they vanish, ∇d · v ≥ −rate (d − margin)
    template <class T>
    bool apart(const TaskRows<T>& rows, int l, double dt, LimitRows& out) {
        placed_->set(rows.world(), rows.joints().G, l, true);
        const int count = placed_->find(Scratch(near_memory_));
        const double rate = std::min(stated_.approach, 1 / dt);
        for (int k = 0; k < count; ++k) {
            const NearPair& near = placed_->near[k];
            placed_->derivatives(near, out.row + long(out.count) * tree_.nv);
            out.low[out.count] = -rate * (near.distance - stated_.margin);
            out.high[out.count] = std::numeric_limits<double>::infinity();
            out.hold[out.count++] = tree_.nv + int(stated_.followers.size()) + near.pair;
        }
        return count >= 0;
    }

    void given(const StepStates& states, long s, int k, LimitRows& out) const {
        const long from = s * stated_.given_limits + k;
        std::copy_n(states.limit + from * tree_.nv, tree_.nv, out.row + long(out.count) * tree_.nv);
        out.low[out.count] = states.limit_low[from];
        out.high[out.count] = states.limit_high[from];
        out.hold[out.count++] = tree_.nv + int(stated_.followers.size()) + stated_.n_pairs() + k;
    }

    const Tree& tree_;
    const StepStatement& stated_;
    PlacedBodies* placed_ = nullptr;
    std::byte* near_memory_ = nullptr;
};

}  // namespace tarsus::TARSUS_ISA
