// How problems come into lanes, what changes in their working sets, and what is read from them.
#pragma once

#include "kinematics/active_set.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
ActiveSet<T>::ActiveSet(const ProgrammeShape& shape, Scratch& scratch)
    : n_(shape.variables),
      tasks_(shape.tasks),
      first_row_(first_row(shape)),
      n_slots_(slots_of(shape)),
      most_passes_(shape.most_passes),
      tolerance_(shape.tolerance),
      bounds_(n_, scratch),
      slots_(n_slots_, scratch),
      matrix_(n_slots_, n_, scratch),
      factor_(n_slots_, scratch),
      of_variables_(n_, scratch),
      of_slots_(n_slots_, scratch),
      users_(scratch.take<int>(n_slots_)),
      changed_(scratch.take<int>(size_t(kCount) * n_)),
      change_(scratch.take<double>(size_t(kCount) * n_)),
      first_watched_(first_row_) {
    std::fill_n(users_, n_slots_, 0);
}

template <class T>
size_t ActiveSet<T>::bytes(const ProgrammeShape& shape) {
    const int n = shape.variables, slots = slots_of(shape);
    return BoundStates<T>::bytes(n) + SlotStates<T>::bytes(slots) + SlotMatrix<T>::bytes(slots, n) +
           SlotFactor<T>::bytes(slots) + States<T, 5>::bytes(n) + States<T, 4>::bytes(slots) +
           bytes_of<int>(slots) + bytes_of<int>(size_t(kCount) * n) +
           bytes_of<double>(size_t(kCount) * n);
}

template <class T>
void ActiveSet<T>::load(const Programme& given, const SlotStatements& stated,
                        const signed char* start)
    requires std::is_same_v<T, double>
{
    begin(0);
    std::fill_n(users_, n_slots_, 0), first_watched_ = first_row_;
    load_bounds(0, given, start);
    matrix_.load(0, tasks_, given.task);
    matrix_.load(first_row_, n_slots_ - first_row_, given.row);
    weigh();
    load_slots(0, stated, start ? start + n_ : nullptr);
    list();
    make_products(T(1.0));
}

template <class T>
void ActiveSet<T>::load(const Programme* const (&given)[kLanes],
                        const signed char* const (&start)[kLanes],
                        const std::function<const SlotStatements&(int)>& state)
    requires(!std::is_same_v<T, double>)
{
    T fresh(0.0);
    const Programme* some = nullptr;
    for (int l = 0; l < kCount; ++l) {
        if (!given[l]) continue;
        some = given[l];
        set_lane(fresh, l, 1.0);
        begin(l), load_bounds(l, *given[l], start[l]);
    }
    const double *tasks[kLanes], *rows[kLanes];
    for (int l = 0; l < kCount; ++l) {
        const Programme& own = given[l] ? *given[l] : *some;
        tasks[l] = own.task, rows[l] = own.row;
    }
    if (matrix_.load(0, tasks_, tasks, fresh)) listed_ = false;
    if (matrix_.load(first_row_, n_slots_ - first_row_, rows, fresh)) listed_ = false;
    weigh();
    for (int l = 0; l < kCount; ++l) {
        if (given[l]) load_slots(l, state(l), start[l] ? start[l] + n_ : nullptr);
    }
    if (!listed_) list();
    make_products(fresh);
}

template <class T>
void ActiveSet<T>::begin(int l) {
    lane_[l] = {};
    lane_[l].busy = lane_[l].shedding = true;
    set_lane(force_, l, 0.0);
    for (int j = 0; j < n_; ++j) set_lane(row_[j], l, 0.0);
}

template <class T>
void ActiveSet<T>::load_bounds(int l, const Programme& given, const signed char* start) {
    for (int j = 0; j < n_; ++j) {
        const double damping = given.damping[j], give = 1.0 / damping;
        const double low = lower(given.low[j]), high = upper(given.high[j]);
        double at = start && (start[j] == -1 || start[j] == 1) ? double(start[j]) : 0.0;
        if ((at < 0 && low == -kInfinite) || (at > 0 && high == kInfinite)) at = 0.0;
        if (!(low < high)) at = 2.0;
        set_lane(bounds_.reference[j], l, given.reference[j]);
        set_lane(bounds_.damping[j], l, damping), set_lane(bounds_.give[j], l, give);
        set_lane(bounds_.low[j], l, low), set_lane(bounds_.high[j], l, high);
        set_lane(bounds_.at[j], l, at), set_lane(bounds_.free[j], l, at == 0 ? give : 0.0);
        set_lane(bounds_.held[j], l,
                 at == 0  ? given.reference[j]
                 : at < 0 ? low
                 : at < 2 ? high
                          : low + 0.5 * (high - low));
    }
}

template <class T>
void ActiveSet<T>::load_slots(int l, const SlotStatements& stated, const signed char* start) {
    const auto use = [&](int k) {
        if (users_[k]++ == 0) listed_ = false;
    };
    for (int k = 0; k < n_slots_; ++k) {
        const SlotKind kind = stated.kind[k];
        set_lane(slots_.low[k], l, stated.low[k]), set_lane(slots_.high[k], l, stated.high[k]);
        set_lane(slots_.penalty[k], l, stated.penalty[k]);
        set_lane(slots_.yielding[k], l, stated.yielding[k]);
        set_lane(slots_.watched[k], l, kind == SlotKind::watched ? 1.0 : 0.0);
        set_lane(slots_.least[k], l, 0.0), set_lane(slots_.weight[k], l, 1.0);
        slots_.remove(k, l);
        if (kind == SlotKind::off) continue;
        if (kind == SlotKind::watched || stated.compliance[k] == 0.0) {
            const double reach = lane_of(reached_[k], l);
            if (reach > 0) set_lane(slots_.weight[k], l, 1.0 / reach);
            set_lane(slots_.least[k], l, 0.1 * kDependent * reach);
        }
        const int at = start && k >= first_row_ ? start[k - first_row_] : 0;
        if (kind == SlotKind::always && at == 2) {
            set_lane(slots_.at[k], l, kRedundant);
            continue;
        }
        if (kind == SlotKind::always) {
            set_lane(slots_.at[k], l, kAlways), set_lane(slots_.target[k], l, stated.low[k]);
            set_lane(slots_.compliance[k], l, stated.compliance[k]);
            set_lane(slots_.limit[k], l, lane_of(slots_.least[k], l));
            use(k);
            continue;
        }
        first_watched_ = std::min(first_watched_, k);
        const double bound = at < 0 ? stated.low[k] : stated.high[k];
        const bool yields = at < -1 || at > 1;
        if (at == 0 || !std::isfinite(bound) || (yields && stated.penalty[k] == kInfinite))
            continue;
        slots_.put(k, l, double(at));
        use(k);
    }
}

// a D⁻¹ aᵀ of all slots, by what can move at all
template <class T>
TARSUS_FLATTEN void ActiveSet<T>::weigh() {
    for (int j = 0; j < n_; ++j) x_[j] = select(bounds_.at[j] > T(1.5), T(0.0), bounds_.give[j]);
    constexpr int step = kBlock<T>;
    for (int k = 0; k < n_slots_; k += step) {
        Lanes sum[2] = {Lanes(0.0), Lanes(0.0)};
        for (int j = 0; j < n_; ++j) {
            const Lanes own = matrix_.block(k / step, j);
            sum[j % 2] = mul_add(own * own, over_block(x_[j]), sum[j % 2]);
        }
        put_block(sum[0] + sum[1], reached_ + k);
    }
}

// G of what is on, in lanes that are fresh
template <class T>
TARSUS_FLATTEN void ActiveSet<T>::make_products(const T& fresh) {
    for (int e = 0; e < factor_.count(); ++e) {
        const int k = factor_.on()[e], last = factor_.on()[factor_.count() - 1];
        const T* row = matrix_.row(k);
        for (int j = 0; j < n_; ++j) x_[j] = bounds_.free[j] * row[j];
        if constexpr (kCount == 1) {
            matrix_.times_between(k, last, x_, factor_.column(k));
        } else {
            for (int f = e; f < factor_.count(); ++f) {
                T& to = factor_.column(k)[factor_.on()[f]];
                to = select(fresh > T(0.0), matrix_.product(factor_.on()[f], x_), to);
            }
        }
    }
}

template <class T>
void ActiveSet<T>::list() {
    factor_.list(users_);
    matrix_.list(factor_.on(), factor_.count());
    listed_ = true;
}

// What was chosen is in the working set.
template <class T>
void ActiveSet<T>::join(int l) {
    Lane& lane = lane_[l];
    const int p = lane.chosen, k = p - n_;
    if (p < n_) {
        hold(p, l, -lane.way);
    } else {
        const bool yields = lane.force >= lane_of(slots_.penalty[k], l);
        for (int e = 0; e < factor_.count(); ++e) {
            const int i = factor_.on()[e];
            set_lane(factor_.at(i, k), l, lane.way * lane_of(column_[i], l));
        }
        set_lane(factor_.at(k, k), l, lane.way * lane_of(column_[k], l));
        put_row(k, l, yields ? -2.0 * lane.way : -lane.way);
    }
    lane.chosen = -1, lane.force = 0.0;
}

// A force of the working set has come to its end.
template <class T>
void ActiveSet<T>::change(int l, int blocker) {
    if (blocker < n_) return free(blocker, l);
    const int k = blocker - n_;
    const double at = lane_of(slots_.at[k], l), way = at < 0 ? 1.0 : -1.0;
    if (at == -2.0 || at == 2.0) slots_.put(k, l, -way);
    else if (way * lane_of(w_[k], l) > 0) remove_row(k, l);
    else slots_.put(k, l, -2.0 * way);
}

template <class T>
void ActiveSet<T>::free(int j, int l) {
    const int at = l * n_ + lane_[l].changes++;
    changed_[at] = j, change_[at] = lane_of(bounds_.give[j], l);
    set_lane(bounds_.at[j], l, 0.0), set_lane(bounds_.free[j], l, change_[at]);
    set_lane(bounds_.held[j], l, lane_of(bounds_.reference[j], l));
}
template <class T>
void ActiveSet<T>::hold(int j, int l, double side) {
    const int at = l * n_ + lane_[l].changes++;
    changed_[at] = j, change_[at] = -lane_of(bounds_.give[j], l);
    set_lane(bounds_.at[j], l, side), set_lane(bounds_.free[j], l, 0.0);
    set_lane(bounds_.held[j], l, lane_of(side < 0 ? bounds_.low[j] : bounds_.high[j], l));
}
template <class T>
void ActiveSet<T>::put_row(int k, int l, double side) {
    slots_.put(k, l, side);
    if (users_[k]++ == 0) listed_ = false;
}
template <class T>
void ActiveSet<T>::remove_row(int k, int l) {
    slots_.remove(k, l);
    if (--users_[k] == 0) listed_ = false;
}

// G after variables were freed or held: one of each lane at a time.
template <class T>
TARSUS_FLATTEN void ActiveSet<T>::update() {
    for (int round = 0;; ++round) {
        T delta(0.0);
        bool some = false;
        for (int l = 0; l < kCount; ++l) {
            if (round >= lane_[l].changes) continue;
            some = true;
            set_lane(delta, l, change_[l * n_ + round]);
        }
        if (!some) break;
        if constexpr (kCount == 1) {
            matrix_.column(changed_[round], column_);
            factor_.add(delta, column_);
        } else {
            for (int e = 0; e < factor_.count(); ++e) {
                const int k = factor_.on()[e];
                column_[k] = T(0.0);
                for (int l = 0; l < kCount; ++l) {
                    if (round < lane_[l].changes)
                        set_lane(column_[k], l, matrix_.at(k, changed_[l * n_ + round], l));
                }
            }
            factor_.add(delta, column_);
        }
    }
    for (Lane& lane : lane_) lane.changes = 0;
}

template <class T>
double ActiveSet<T>::v(int j, int l) const {
    const double at = lane_of(v_[j], l);
    if (lane_of(bounds_.at[j], l) != 0) return lane_of(bounds_.held[j], l) + 0.0;
    const double low = lane_of(bounds_.low[j], l), high = lane_of(bounds_.high[j], l);
    return (at < low ? low : at > high ? high : at) + 0.0;
}
template <class T>
double ActiveSet<T>::bound_force(int j, int l) const {
    return lane_of(bounds_.at[j], l) != 0 ? lane_of(bound_force(j), l) + 0.0 : 0.0;
}
template <class T>
double ActiveSet<T>::slot_force(int k, int l) const {
    return lane_of(slots_.limit[k], l) < kNever ? lane_of(y_[k], l) + 0.0 : 0.0;
}
// What does not come and go is at no side; equations that repeat others are told apart.
template <class T>
int ActiveSet<T>::at_bound(int j, int l) const {
    const double at = lane_of(bounds_.at[j], l);
    return at == 2.0 ? 0 : int(at);
}
template <class T>
int ActiveSet<T>::at_slot(int k, int l) const {
    const double at = lane_of(slots_.at[k], l);
    return at == kRedundant ? 2 : at == kAlways ? 0 : int(at);
}

}  // namespace tarsus::TARSUS_ISA
