// What the slots of a problem do at one level: tasks of this level are weighed, those before keep
// what they have reached, those after are off; rows hold, yield, or are not there.
#pragma once

#include <algorithm>

#include "kinematics/working_set.hpp"

namespace tarsus::TARSUS_ISA {

// Rows and tasks that must hold but cannot are met as well as possible, in the sense of least
// squares, as if they yielded this much, relative to what moves them.
constexpr double kRelaxed = 1e-7;
// Rows that are smaller than this, by the largest of all, are what rounding leaves of zeros: later
// levels need not keep them.
constexpr double kRounding = 1e-12;

class LevelStatement {
   public:
    LevelStatement(const ProgrammeShape& shape, Scratch& scratch)
        : shape_(shape), slots(slots_of(shape), scratch) {}
    static size_t bytes(const ProgrammeShape& shape) {
        const int count = slots_of(shape);
        return bytes_of<SlotKind>(count) + 5 * bytes_of<double>(count);
    }

    // tasks [first, last) are those of the level; v is what the levels before have found
    void state(const Programme& given, int first, int last, const double* v) {
        const double least = first > 0 ? kRounding * largest(given.task, shape_.tasks) : 0.0;
        for (int k = 0; k < shape_.tasks; ++k) {
            const double give = 1.0 / given.weight[k];
            const bool counts = give <= kLargestNumber, now = k >= first && k < last && counts;
            const bool kept =
                k < first && counts && largest(given.task + long(k) * shape_.variables, 1) > least;
            slots.kind[k] = kept || now ? SlotKind::always : SlotKind::off;
            slots.low[k] = slots.high[k] = k < first ? reached(given, k, v) : given.target[k];
            slots.compliance[k] = now ? give : 0.0;
            slots.penalty[k] = kInfinite, slots.yielding[k] = 0.0;
        }
        for (int k = shape_.tasks; k < first_row(shape_); ++k) slots.kind[k] = SlotKind::off;
        for (int r = 0; r < shape_.rows; ++r) state_row(given, r);
        if (first > 0) give_way(given, v, 0.0);
    }
    // only what must hold, and that not by all means
    void relax(const Programme& given) {
        double most = 0.0;
        for (int k = 0; k < slots_of(shape_); ++k) {
            if (!holds(k)) slots.kind[k] = SlotKind::off;
            else most = std::max(most, gain(given, k));
        }
        const double give = most > 0 ? kRelaxed * most : 1.0;
        for (int k = 0; k < slots_of(shape_); ++k) {
            if (slots.kind[k] == SlotKind::always) slots.compliance[k] = give;
            else slots.penalty[k] = 0.0, slots.yielding[k] = give;
        }
    }
    // what must hold gives way to what v reaches, and by a margin
    void give_way(const Programme& given, const double* v, double margin) {
        for (int k = 0; k < slots_of(shape_); ++k) {
            if (!holds(k)) continue;
            const double at = reached(given, k, v);
            const bool always = slots.kind[k] == SlotKind::always;
            slots.low[k] = (always ? at : std::min(slots.low[k], at)) - margin;
            slots.high[k] = (always ? at : std::max(slots.high[k], at)) + margin;
            if (margin > 0) slots.kind[k] = SlotKind::watched;
        }
    }
    double reached(const Programme& given, int k, const double* v) const {
        const double* row = row_of(given, k);
        double sum = 0.0;
        for (int j = 0; j < shape_.variables; ++j) sum = mul_add(row[j], v[j], sum);
        return sum;
    }

   private:
    // the largest absolute value in some rows
    double largest(const double* rows, int count) const {
        double found = 0.0;
        for (long i = 0; i < long(count) * shape_.variables; ++i)
            found = std::max(found, std::abs(rows[i]));
        return found;
    }
    bool holds(int k) const {
        return slots.kind[k] != SlotKind::off && slots.compliance[k] == 0.0 &&
               slots.penalty[k] == kInfinite;
    }
    // a D⁻¹ aᵀ
    double gain(const Programme& given, int k) const {
        const double* row = row_of(given, k);
        double sum = 0.0;
        for (int j = 0; j < shape_.variables; ++j)
            sum = mul_add(row[j] * row[j], 1.0 / given.damping[j], sum);
        return sum;
    }
    const double* row_of(const Programme& given, int k) const {
        const long n = shape_.variables;
        return k < shape_.tasks ? given.task + k * n : given.row + (k - first_row(shape_)) * n;
    }
    void state_row(const Programme& given, int r) {
        const int k = first_row(shape_) + r;
        const double low = lower(given.row_low[r]), high = upper(given.row_high[r]);
        const double penalty = upper(given.penalty[r]);
        const bool equal = !(low < high);
        slots.low[k] = equal ? low + 0.5 * (high - low) : low;
        slots.high[k] = equal ? slots.low[k] : high;
        slots.compliance[k] = 0.0, slots.penalty[k] = penalty;
        slots.yielding[k] = penalty == kInfinite ? 0.0 : 1.0 / penalty;
        slots.kind[k] = equal && penalty == kInfinite            ? SlotKind::always
                        : low == -kInfinite && high == kInfinite ? SlotKind::off
                                                                 : SlotKind::watched;
    }

    const ProgrammeShape& shape_;

   public:
    SlotStatements slots;
};

}  // namespace tarsus::TARSUS_ISA
