// Pairs of volumes that are near each other in one state, and how their distances change.
//
// Balls around compounds, then around volumes, leave out what is farther than the activation
// distance; what is left is compared exactly, a pair in each lane. A pair is found whenever it is
// within the activation distance: balls hold their volumes, and only distances beyond it are left
// out.
//
// Along joint velocities w the distance changes by n·(v_b(p) − v_a(p)), where v_a and v_b are what
// the bodies do at the nearest points: how these wander on the surfaces does not matter. With unit
// motions S of the joints in the world's axes at its origin that is ±(n, p × n)·S for joints that
// move one of the bodies only (Schwienbacher 2013, section 5.2).
#pragma once

#include "dynamics/spanning.hpp"
#include "geometry/swept_core.hpp"
#include "spatial/transform.hpp"
#include "world/volume_pairs.hpp"

namespace tarsus::TARSUS_ISA {

struct NearPair {
    double distance;
    Vec3<double> a, b, n;  // points on the surfaces, in the world; n from a to b
    int pair, comparison;  // in VolumePairs
};

// the nearest volumes
TARSUS_INLINE int volume_a(const VolumePairs& pairs, const NearPair& near) {
    const Comparison& each = pairs.comparisons[near.comparison];
    return each.swapped ? each.second : each.first;
}
TARSUS_INLINE int volume_b(const VolumePairs& pairs, const NearPair& near) {
    const Comparison& each = pairs.comparisons[near.comparison];
    return each.swapped ? each.first : each.second;
}

size_t near_pairs_bytes(const VolumePairs& pairs);
// Those within the activation distance, in their order; returns how many, −1 if places are not
// finite or beyond all bounds. pose[0] is the world, pose[i + 1] the core's frame of body i; `out`
// has room for all.
int find_near_pairs(const VolumePairs& pairs, const Pose<double>* pose, NearPair* out,
                    Scratch scratch);

// Unit motions of all joints, six rows of VolumePairs::columns numbers, linear ones first.
struct JointColumns {
    double* row[6];
};

// out (columns) := how the distance changes with each joint velocity
void distance_row(const VolumePairs& pairs, const JointColumns& columns, const NearPair& near,
                  double* out);

}  // namespace tarsus::TARSUS_ISA
