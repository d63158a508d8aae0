// Laws of parts that make forces, a file each with the same functions:
//
//   pull(numbers, x, rate)   the force against x, and its slopes by x and by the rate
//   energy(numbers, x)       what is stored
//   kLow, kHigh              signs that the force along the row can have
//
// A row is pushed by −pull. Slopes are never negative: what they are used for is stability.
#pragma once

#include "parts/part.hpp"
#include "scalar/rows.hpp"
#include "spatial/vector.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct Pull {
    T force, slope, damping;
    T lost;  // the part of the force that stores nothing
};

// what a law sees of a part: all rows, and the one that it is asked about
template <class T>
struct RowState {
    const T *x, *rate;
    int row, rows;
    bool turns;  // an angle

    const T& value() const { return x[row]; }
    const T& speed() const { return rate[row]; }
};

}  // namespace tarsus::TARSUS_ISA

#include "parts/drag.hpp"
#include "parts/rubber.hpp"
#include "parts/spring.hpp"
#include "parts/string.hpp"
#include "parts/support.hpp"

namespace tarsus::TARSUS_ISA {

// calls function(law) with the law of that name, if it is one of these
template <class Function>
TARSUS_INLINE void visit_law(PartLaw law, Function&& function) {
    switch (law) {
        case PartLaw::spring:
            return function(SpringLaw{});
        case PartLaw::string:
            return function(StringLaw{});
        case PartLaw::rubber:
            return function(RubberLaw{});
        case PartLaw::drag:
            return function(DragLaw{});
        case PartLaw::support:
            return function(SupportLaw{});
        default:
            return;
    }
}

}  // namespace tarsus::TARSUS_ISA
