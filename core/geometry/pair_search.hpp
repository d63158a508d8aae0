// Which pairs of solids may meet within a step, without a look at all of them: sort and sweep.
//
// Each solid has an interval on an axis that holds it during the step. Sorted by their beginnings,
// only neighbours that overlap can meet (Baraff 1992; Cohen, Lin, Manocha & Ponamgi 1995). What is
// found goes through the same test as if all pairs had been tried, and comes in the order of pairs:
// nothing that follows can tell the difference.
#pragma once

#include "geometry/flight.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kFewPairs = 24;  // so few are tried one by one

template <class T>
class PairSearch {
   public:
    PairSearch(const Shapes& shapes, Scratch& scratch)
        : shapes_(shapes),
          found_(scratch.take<int>(2 * size_t(shapes.n_pairs()))),
          held_(scratch.take<Held>(shapes.solids.size())) {}

    // The pairs that may meet within a time dt in some lane, and those that are `wanted` anyway, in
    // their order; velocities in body frames.
    std::span<const int> find(const Pose<T>* pose, const Motion<T>* velocity, const T& dt,
                              std::span<const int> wanted);

   private:
    // a box that holds a solid during the step, in all lanes
    struct Held {
        double low[3], high[3];
        int solid;
    };

    void hold(const Pose<T>* pose, const Motion<T>* velocity, const T& dt);
    void sort_along_axis();
    template <class F>
    void sweep(F&& overlap) const;

    const Shapes& shapes_;
    int* found_;
    Held* held_;
    int n_held_ = 0, axis_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
