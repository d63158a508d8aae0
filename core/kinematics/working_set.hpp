// What bounds and slots are, and what they are at: numbers of one problem or of problems in lanes.
#pragma once

#include <cmath>
#include <limits>

#include "kinematics/programme.hpp"
#include "kinematics/slot_factor.hpp"
#include "kinematics/slot_matrix.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kNever = 1e300;      // a limit that no pivot is above
constexpr double kDependent = 1e-12;  // of a row: less is left where others say the same

// a bound, or none
inline double lower(double bound) { return bound <= -kLargestNumber ? -kInfinite : bound; }
inline double upper(double bound) { return bound >= kLargestNumber ? kInfinite : bound; }

// what slots are at that do not come and go: on, or left out as they say what others say
constexpr double kAlways = 3.0, kRedundant = 4.0;

// neighbouring arrays of the same size
template <class T, int N>
class States {
   public:
    States(int size, Scratch& scratch)
        : stride_(padded<T>(size)), block_(scratch.take<T>(size_t(N) * stride_)) {
        // lanes that are idle have numbers, too
        if constexpr (kLaneCount<T> > 1) std::fill_n(block_, size_t(N) * stride_, T(0.0));
    }
    static size_t bytes(int size) { return bytes_of<T>(size_t(N) * padded<T>(size)); }
    T* array(int k) const { return block_ + size_t(k) * stride_; }

   private:
    const int stride_;
    T* block_;
};

// each variable and its bounds
template <class T>
struct BoundStates : States<T, 8> {
    BoundStates(int n, Scratch& scratch) : States<T, 8>(n, scratch) {}

    T* const reference = this->array(0);  // v0
    T* const damping = this->array(1);    // D
    T* const give = this->array(2);       // 1/D
    T* const low = this->array(3);
    T* const high = this->array(4);
    T* const at = this->array(5);    // −1 low, 1 high, 0 free, 2 for good: both bounds are the same
    T* const free = this->array(6);  // 1/D or zero
    T* const held = this->array(7);  // the bound or v0
};

// Tasks have the first slots; rows begin with a block, so that blocks are of the one or the other.
inline int first_row(const ProgrammeShape& shape) { return padded<double>(shape.tasks); }
inline int slots_of(const ProgrammeShape& shape) { return first_row(shape) + shape.rows; }

enum class SlotKind : signed char { off, always, watched };

// what slots are to do in one solve: tasks and rows in one list
struct SlotStatements {
    SlotKind* kind;
    double *low, *high;          // of tasks the target, twice
    double* compliance;          // of slots that are always on
    double *penalty, *yielding;  // of rows that are watched: ρ, and 1/ρ once they yield

    SlotStatements(int slots, Scratch& scratch)
        : kind(scratch.take<SlotKind>(slots)),
          low(scratch.take<double>(slots)),
          high(scratch.take<double>(slots)),
          compliance(scratch.take<double>(slots)),
          penalty(scratch.take<double>(slots)),
          yielding(scratch.take<double>(slots)) {}
};

// each slot
template <class T>
struct SlotStates : States<T, 11> {
    SlotStates(int slots, Scratch& scratch) : States<T, 11>(slots, scratch) {
        std::fill_n(limit, slots, T(kNever));
    }

    T* const low = this->array(0);
    T* const high = this->array(1);
    T* const penalty = this->array(2);
    T* const yielding = this->array(3);
    T* const watched = this->array(4);  // 1 for rows that come and go
    T* const at = this->array(5);       // ∓1 on its low or high side, ∓2 yielding there, 0 off
    // … and kAlways or kRedundant for those that do not come and go
    T* const target = this->array(6);      // of what is on
    T* const compliance = this->array(7);  // of what is on
    T* const limit = this->array(8);       // of its pivot: kNever for what is off
    T* const least = this->array(9);       // the limit when it is on
    T* const weight = this->array(10);     // 1/(a D⁻¹ aᵀ), to bounds what D is

    // row k of lane l is on: `side` is −1 or 1 for its low and high side, ∓2 where it yields there
    void put(int k, int l, double side) {
        const double way = side < 0 ? -1.0 : 1.0, bound = lane_of(side < 0 ? low[k] : high[k], l);
        const bool yields = side < -1.5 || side > 1.5;
        const double give = yields ? lane_of(yielding[k], l) : 0.0;
        // C v + (λ − ρ)/ρ = low, or C v + (λ + ρ)/ρ = high, for what yields
        const double push = yields ? lane_of(penalty[k], l) * give : 0.0;
        set_lane(at[k], l, side);
        set_lane(target[k], l, neg_mul_add(way, push, bound));
        set_lane(compliance[k], l, give);
        set_lane(limit[k], l, lane_of(least[k], l));
    }
    void remove(int k, int l) {
        set_lane(at[k], l, 0.0), set_lane(target[k], l, 0.0);
        set_lane(compliance[k], l, 0.0), set_lane(limit[k], l, kNever);
    }
};

}  // namespace tarsus::TARSUS_ISA
