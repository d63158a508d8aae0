// What rows of tasks miss in a step, and why: limits, or a position where the machine is singular.
#pragma once

#include "kinematics/programme.hpp"
#include "kinematics/singular_value.hpp"
#include "kinematics/step_limits.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kMisses = 1e-3;  // of what is asked for, in a step that is called solved
// A bound that holds is met to the last bit, a row to the tolerance of the programme, 1e-9, times
// what its multiplier is worth.
constexpr double kAtBound = 1e-9, kAtRow = 1e-6;
// [m/rad, rad/rad] a joint that must turn a hundred times as fast as its hand moves is no help
constexpr double kSingularBelow = 1e-2;
constexpr double kRepeats = 1e-9;  // rows of loops of which less is left repeat those before

// what a step of one state was computed from
struct StepFacts {
    const double* task;  // rows that are not folded
    const double* rate;  // what is asked of all rows
    const double *low, *high;
    LimitRows rows;
    bool folds;  // postures are no rows
};

class StepVerdict {
   public:
    StepVerdict(const TaskSet& set, const StepStatement& stated, const StepFacts& facts, int nv)
        : set_(set), stated_(stated), facts_(facts), nv_(nv) {}

    // missing := J v less what is asked for, zero for rows that do not count
    void measure(const double* v, double* missing) const {
        const double* row = facts_.task;
        for (int r = 0; r < set_.rows; ++r) {
            if (folded(r)) continue;
            missing[r] = counts(r) ? dot_of(nv_, row, v) - facts_.rate[r] : 0.0;
            row += nv_;
        }
        for (const PostureRow& posture : set_.postures) {
            const int r = posture.row;
            missing[r] = counts(r) ? v[posture.v] - facts_.rate[r] : 0.0;
        }
    }
    StepEnd operator()(ProgrammeEnd end, const double* v, const double* missing) const {
        if (end != ProgrammeEnd::solved) return StepEnd(int(end));
        if (!misses(missing)) return StepEnd::solved;
        return limited(v) ? StepEnd::limited : is_singular() ? StepEnd::singular : StepEnd::solved;
    }

   private:
    // the first level of users' tasks: loops come before
    int first_row() const { return stated_.loop_rows; }
    int last_row() const {
        if (stated_.loop_rows == 0) return stated_.levels[0];
        return stated_.loop_rows + (stated_.levels.size() > 1 ? stated_.levels[1] : 0);
    }
    bool counts(int row) const { return stated_.weight[row] > 0; }
    bool folded(int row) const { return facts_.folds && set_.is_posture[row]; }

    // something of the first level
    bool misses(const double* missing) const {
        double most = 0, asked = 0;
        for (int r = first_row(); r < last_row(); ++r) {
            if (!counts(r)) continue;
            most = std::max(most, std::abs(missing[r]));
            asked = std::max(asked, std::abs(facts_.rate[r]));
        }
        return most > kMisses * (1 + asked);
    }
    bool limited(const double* v) const {
        for (int k = 0; k < nv_; ++k) {
            const double near = kAtBound * (1 + std::abs(v[k]));
            if (v[k] <= facts_.low[k] + near || v[k] >= facts_.high[k] - near) return true;
        }
        const LimitRows& rows = facts_.rows;
        for (int k = 0; k < rows.count; ++k) {
            const double sum = dot_of(nv_, rows.row + long(k) * nv_, v);
            const double near = kAtRow * (1 + std::abs(sum));
            if (sum <= rows.low[k] + near || sum >= rows.high[k] - near) return true;
        }
        return false;
    }
    // whether there is a direction in which the first level hardly moves
    bool is_singular() const {
        std::vector<double> rows;
        const double* own = facts_.task + long(first_row()) * nv_;  // loops are never folded
        int count = 0;
        for (int r = first_row(); r < last_row(); ++r) {
            const double scale = std::sqrt(stated_.weight[r]);
            if (scale > 0) {
                rows.resize(size_t(++count) * nv_);
                double* to = rows.data() + size_t(count - 1) * nv_;
                if (folded(r)) to[posture_velocity(r)] = scale;
                else
                    for (int k = 0; k < nv_; ++k) to[k] = scale * own[k];
            }
            if (!folded(r)) own += nv_;
        }
        if (stated_.loop_rows > 0) along_loops(rows, count);
        return smallest_singular_value(rows, count, nv_) < kSingularBelow;
    }
    // rows as motions feel them that keep the loops closed: less what is across those
    void along_loops(std::vector<double>& rows, int count) const {
        std::vector<double> basis;
        for (int k = 0; k < stated_.loop_rows; ++k) {
            const double* loop = facts_.task + long(k) * nv_;
            std::vector<double> next(loop, loop + nv_);
            const double size = std::sqrt(dot_of(nv_, loop, loop));
            // twice: what rounding leaves of the first time is as good as gone
            take_away(basis, next.data()), take_away(basis, next.data());
            const double left = std::sqrt(dot_of(nv_, next.data(), next.data()));
            if (!(left > kRepeats * size)) continue;
            for (double& x : next) x /= left;
            basis.insert(basis.end(), next.begin(), next.end());
        }
        for (int k = 0; k < count; ++k) take_away(basis, rows.data() + size_t(k) * nv_);
    }
    // row := row − B Bᵀ row
    void take_away(const std::vector<double>& basis, double* row) const {
        for (size_t b = 0; b < basis.size(); b += nv_) {
            const double along = dot_of(nv_, basis.data() + b, row);
            for (int k = 0; k < nv_; ++k) row[k] = neg_mul_add(along, basis[b + k], row[k]);
        }
    }
    int posture_velocity(int row) const {
        const auto own = std::find_if(set_.postures.begin(), set_.postures.end(),
                                      [&](const PostureRow& each) { return each.row == row; });
        return own->v;
    }

    const TaskSet& set_;
    const StepStatement& stated_;
    const StepFacts& facts_;
    const int nv_;
};

}  // namespace tarsus::TARSUS_ISA
