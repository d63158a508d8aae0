// The passes.
#include "kinematics/active_set.hpp"

#include "kinematics/active_set_changes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kDoubtful = 1e-5;    // what is missed by less is looked at twice
constexpr double kSmallRate = 1e-11;  // relative: a force that changes by less does not change

template <class T>
TARSUS_FLATTEN void ActiveSet<T>::pass() {
    if (!listed_) list();
    factor_.factor(slots_.compliance, slots_.limit);
    solve();
    for (int l = 0; l < kCount; ++l) {
        Lane& lane = lane_[l];
        if (!lane.busy) continue;
        ++lane.passes;
        lane.again = lane.shedding && shed(l);
        if (!lane.again) lane.shedding = false;
    }
    T worst, index;
    find_missed(worst, index);
    settle(worst, index);
    bool chosen = false;
    for (int l = 0; l < kCount; ++l) {
        Lane& lane = lane_[l];
        if (!lane.busy || lane.again) continue;
        if (lane.chosen < 0) choose(l, int(lane_of(index, l)));
        chosen = chosen || lane.chosen >= 0;
    }
    if (chosen) {
        find_direction();
        find_ratios();
        for (int l = 0; l < kCount; ++l) {
            if (lane_[l].busy && !lane_[l].again) step(l);
        }
    }
    update();
    for (int l = 0; l < kCount; ++l) {
        if (lane_[l].busy && lane_[l].passes >= most_passes_) finish(l, ProgrammeEnd::passes, -1);
    }
}

// y, v and Aᵀ y of the working set with the force λ of p
template <class T>
TARSUS_INLINE void ActiveSet<T>::solve() {
    for (int j = 0; j < n_; ++j)
        x_[j] = mul_add(bounds_.free[j], force_ * row_[j], bounds_.held[j]);
    if (factor_.count() > 0) {
        const int last = factor_.on()[factor_.count() - 1];
        matrix_.times(0, matrix_.tile_of(last), x_, y_);
    }
    for (int e = 0; e < factor_.count(); ++e) {
        const int k = factor_.on()[e];
        y_[k] = slots_.target[k] - y_[k];
    }
    factor_.solve(y_);
    matrix_.transposed(y_, pull_);
    for (int j = 0; j < n_; ++j) v_[j] = mul_add(bounds_.free[j], pull_[j], x_[j]);
}

// One step of refinement by what the equations miss as they were stated, in these lanes. Small
// changes are added to v: made anew from y, it would have the last digits of y times 1/D.
template <class T>
TARSUS_INLINE void ActiveSet<T>::refine(const T& which) {
    if (factor_.count() == 0) return;
    const int last = factor_.on()[factor_.count() - 1];
    matrix_.times(0, matrix_.tile_of(last), v_, w_);
    for (int e = 0; e < factor_.count(); ++e) {
        const int k = factor_.on()[e];
        const T left = neg_mul_add(slots_.compliance[k], y_[k], slots_.target[k] - w_[k]);
        w_[k] = select(which > T(0.0), left, T(0.0));
    }
    factor_.solve(w_);
    for (int e = 0; e < factor_.count(); ++e) y_[factor_.on()[e]] += w_[factor_.on()[e]];
    matrix_.transposed(w_, rate_);
    for (int j = 0; j < n_; ++j) {
        v_[j] = mul_add(bounds_.free[j], rate_[j], v_[j]);
        pull_[j] += rate_[j];
    }
}

// What is missed most among bounds and rows that are off, in the measure of the damping; −1 if all
// are met.
template <class T>
TARSUS_INLINE void ActiveSet<T>::find_missed(T& worst, T& index) {
    worst = T(0.0), index = T(-1.0);
    const T tolerance(tolerance_), nothing(0.0);
    // after many passes the first one is taken: whatever rounding does, nothing goes in circles
    T late(0.0);
    for (int l = 0; l < kCount; ++l) set_lane(late, l, lane_[l].passes > most_passes_ / 2 ? 1 : 0);
    const auto take = [&](const T& counts, const T& weight, int p) {
        const T size = select(late > nothing, T(1.0), counts * counts * weight);
        const T score = select(counts > tolerance, size, nothing);
        const auto more = score > worst;
        worst = select(more, score, worst), index = select(more, T(double(p)), index);
    };
    for (int j = 0; j < n_; ++j) {
        const T miss = greater(bounds_.low[j] - v_[j], v_[j] - bounds_.high[j]);
        take(select(bounds_.free[j] > nothing, miss, nothing), bounds_.damping[j], j);
    }
    if (n_slots_ == first_watched_) return;
    matrix_.times(matrix_.tile_of(first_watched_), matrix_.tile_of(n_slots_ - 1), v_, reached_);
    for (int k = first_watched_; k < n_slots_; ++k) {
        const T miss = greater(slots_.low[k] - reached_[k], reached_[k] - slots_.high[k]);
        const T off = slots_.watched[k] - absolute(slots_.at[k]);
        take(select(off > nothing, miss, nothing), slots_.weight[k], n_ + k);
    }
}

// Lanes that miss nothing, or so little that it may be rounding, are looked at again with the last
// digits. Those that still miss nothing are done.
template <class T>
TARSUS_INLINE void ActiveSet<T>::settle(T& worst, T& index) {
    T which(0.0);
    bool some = false;
    for (int l = 0; l < kCount; ++l) {
        const Lane& lane = lane_[l];
        const int p = int(lane_of(index, l));
        if (!lane.busy || lane.again || lane.chosen >= 0) continue;
        if (p >= 0 && std::max(missed(p, 1.0, l), missed(p, -1.0, l)) > kDoubtful) continue;
        set_lane(which, l, 1.0), some = true;
    }
    if (!some) return;
    refine(which);
    find_missed(worst, index);
    for (int l = 0; l < kCount; ++l) {
        if (lane_of(which, l) > 0 && lane_of(index, l) < 0) check_equalities(l);
    }
}

// Equalities that depended on others may still be missed, which then nothing can help.
template <class T>
void ActiveSet<T>::check_equalities(int l) {
    int worst = -1;
    double most = tolerance_;
    for (int k = 0; k < n_slots_; ++k) {
        if (lane_of(slots_.at[k], l) != kRedundant) continue;
        double sum = 0.0;
        for (int j = 0; j < n_; ++j) sum = mul_add(matrix_.at(k, j, l), lane_of(v_[j], l), sum);
        const double miss = std::abs(sum - lane_of(slots_.low[k], l));
        if (miss > most) most = miss, worst = n_ + k;
    }
    finish(l, worst < 0 ? ProgrammeEnd::solved : ProgrammeEnd::infeasible, worst);
}

template <class T>
void ActiveSet<T>::finish(int l, ProgrammeEnd end, int worst) {
    Lane& lane = lane_[l];
    lane.busy = false, lane.end = end, lane.worst = worst;
    for (int j = 0; j < n_; ++j) {
        if (!std::isfinite(lane_of(v_[j], l))) lane.end = ProgrammeEnd::not_finite;
    }
    for (int k = 0; k < n_slots_; ++k) {
        if (lane_of(slots_.limit[k], l) < kNever && --users_[k] == 0) listed_ = false;
    }
}

// Leave out of what a lane began with all that pushes the wrong way; true if there was something.
template <class T>
bool ActiveSet<T>::shed(int l) {
    if (lacks_pivots(l)) return true;
    bool some = false;
    for (int j = 0; j < n_; ++j) {
        const double at = lane_of(bounds_.at[j], l);
        if (std::abs(at) != 1.0) continue;
        if (at * lane_of(bound_force(j), l) > 0) free(j, l), some = true;
    }
    for (int k = first_watched_; k < n_slots_; ++k) {
        const double at = lane_of(slots_.at[k], l), way = at < 0 ? 1.0 : -1.0;
        if (lane_of(slots_.watched[k], l) == 0 || at == 0) continue;
        const double force = way * lane_of(y_[k], l), most = lane_of(slots_.penalty[k], l);
        const bool yields = std::abs(at) == 2.0;
        if (yields ? force < most : force < 0 || force > most) remove_row(k, l), some = true;
    }
    return some;
}

// Rows that depend on others cannot be held. A working set that leaves no room for equalities is
// given up; without one they depend on each other, and are looked at in the end.
template <class T>
bool ActiveSet<T>::lacks_pivots(int l) {
    bool some = false, equality = false, held = false;
    for (int k = 0; k < n_slots_; ++k) {
        const double at = lane_of(slots_.at[k], l);
        const bool comes = lane_of(slots_.watched[k], l) > 0;
        held = held || (comes && at != 0);
        if (lane_of(slots_.limit[k], l) == kNever || factor_.has_pivot(k, l)) continue;
        if (comes) remove_row(k, l), some = true;
        else equality = true;
    }
    if (!equality) return some;
    for (int j = 0; j < n_; ++j) {
        if (std::abs(lane_of(bounds_.at[j], l)) == 1.0) free(j, l), held = true;
    }
    for (int k = 0; k < n_slots_; ++k) {
        const bool comes = lane_of(slots_.watched[k], l) > 0;
        if (lane_of(slots_.limit[k], l) == kNever) continue;
        if (held ? !comes : comes || factor_.has_pivot(k, l)) continue;
        remove_row(k, l);
        if (!comes) set_lane(slots_.at[k], l, kRedundant);
    }
    return true;
}

template <class T>
void ActiveSet<T>::choose(int l, int p) {
    Lane& lane = lane_[l];
    const bool row = p >= n_;
    const double at = row ? lane_of(reached_[p - n_], l) : lane_of(v_[p], l);
    const double low = row ? lane_of(slots_.low[p - n_], l) : lane_of(bounds_.low[p], l);
    lane.chosen = p, lane.way = at < low ? 1.0 : -1.0, lane.force = 0.0;
    for (int j = 0; j < n_; ++j) {
        const double own = row ? matrix_.at(p - n_, j, l) : (j == p ? 1.0 : 0.0);
        set_lane(row_[j], l, lane.way * own);
    }
}

// How all forces change with λ: w = F⁻¹ A dF a, and a − Aᵀ w for the bounds.
template <class T>
TARSUS_INLINE void ActiveSet<T>::find_direction() {
    bool rows = false;
    for (const Lane& lane : lane_) rows = rows || (lane.busy && lane.chosen >= n_);
    for (int j = 0; j < n_; ++j) x_[j] = bounds_.free[j] * row_[j];
    if (rows) {
        matrix_.times(0, matrix_.tile_of(n_slots_ - 1), x_, column_);
    } else {
        for (int l = 0; l < kCount; ++l) {
            const int p = lane_[l].chosen;
            if (!lane_[l].busy || p < 0) continue;
            const double factor = lane_of(x_[p], l);
            for (int e = 0; e < factor_.count(); ++e) {
                const int k = factor_.on()[e];
                set_lane(column_[k], l, matrix_.at(k, p, l) * factor);
            }
        }
    }
    for (int e = 0; e < factor_.count(); ++e) w_[factor_.on()[e]] = column_[factor_.on()[e]];
    factor_.solve(w_);
    matrix_.transposed(w_, rate_);
    for (int j = 0; j < n_; ++j) rate_[j] = row_[j] - rate_[j];
    slope_ = dot_of(n_, x_, rate_);
}

// How far λ may grow until a force in the working set changes its sign, or a row yields or no
// longer.
template <class T>
TARSUS_INLINE void ActiveSet<T>::find_ratios() {
    T reach(0.0);  // a D⁻¹ aᵀ of p
    for (int l = 0; l < kCount; ++l) {
        const int p = lane_[l].chosen;
        if (!lane_[l].busy || p < 0) continue;
        set_lane(reach, l, 1.0 / weight_of(p, l));
    }
    const T small = T(kSmallRate * kSmallRate) * reach, nothing(0.0);
    longest_ = T(kInfinite), blocker_ = T(-1.0);
    for (int j = 0; j < n_; ++j) {
        const T at = bounds_.at[j];
        const T force = neg_mul_add(force_, row_[j], bound_force(j));
        const T falls = -at * rate_[j], left = greater(-at * force, nothing);
        const T counts = select(absolute(at) - T(1.0) > nothing, nothing, greater(falls, nothing));
        const T ratio =
            select(counts * counts > small * bounds_.damping[j], left / falls, T(kInfinite));
        const auto less = ratio < longest_;
        longest_ = select(less, ratio, longest_), blocker_ = select(less, T(double(j)), blocker_);
    }
    for (int k = first_watched_; k < n_slots_; ++k) {
        const T at = slots_.at[k], on = slots_.watched[k] * at;
        const T way = select(at < nothing, T(1.0), select(on > nothing, T(-1.0), nothing));
        const T falls = select(absolute(on) > nothing, way * w_[k], nothing), force = way * y_[k];
        const T yields = absolute(at) - T(1.5);
        // from what it pushes down to nothing, or to where it no longer yields; or up to that
        const T down = select(yields > nothing, force - slots_.penalty[k], force);
        const T up = select(yields > nothing, T(kInfinite), slots_.penalty[k] - force);
        const T least = small * slots_.weight[k];
        const T room = greater(select(falls > nothing, down, up), nothing);
        const T ratio = select(falls * falls > least, room / absolute(falls), T(kInfinite));
        const auto less = ratio < longest_;
        longest_ = select(less, ratio, longest_);
        blocker_ = select(less, T(double(n_ + k)), blocker_);
    }
}

template <class T>
double ActiveSet<T>::missed(int p, double way, int l) const {
    const bool row = p >= n_;
    const double at = row ? lane_of(reached_[p - n_], l) : lane_of(v_[p], l);
    const double low = row ? lane_of(slots_.low[p - n_], l) : lane_of(bounds_.low[p], l);
    const double high = row ? lane_of(slots_.high[p - n_], l) : lane_of(bounds_.high[p], l);
    return way > 0 ? low - at : at - high;
}

template <class T>
void ActiveSet<T>::step(int l) {
    Lane& lane = lane_[l];
    const int p = lane.chosen, k = p - n_;
    double miss = missed(p, lane.way, l), slope = lane_of(slope_, l), room = kInfinite;
    bool meets = slope * weight_of(p, l) > kDependent;
    if (p >= n_) {
        const double most = lane_of(slots_.penalty[k], l), give = lane_of(slots_.yielding[k], l);
        if (lane.force < most) room = most - lane.force;
        else miss = neg_mul_add(lane.force - most, give, miss), slope += give, meets = true;
    }
    const double whole = meets ? (miss > 0 ? miss : 0.0) / slope : kInfinite;
    const double until = lane_of(longest_, l);
    if (whole == kInfinite && room == kInfinite && until == kInfinite)
        return finish(l, ProgrammeEnd::infeasible, p);
    if (whole <= until && whole <= room) {
        lane.force += whole;
        join(l);
    } else if (room <= until) {
        lane.force = lane_of(slots_.penalty[k], l);
    } else {
        lane.force += until;
        change(l, int(lane_of(blocker_, l)));
    }
    set_lane(force_, l, lane.force);
}

template class ActiveSet<double>;
template class ActiveSet<Lanes>;

}  // namespace tarsus::TARSUS_ISA
