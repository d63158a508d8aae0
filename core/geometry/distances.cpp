// Distances of pairs of volumes in states: where bodies are, who is near, how distances change.
//
// Kinematics of a batch run in lanes, a state in each; then each state's pairs run in lanes. One
// state alone does the same arithmetic.
#include <algorithm>
#include <limits>

#include "geometry/placed_bodies.hpp"
#include "geometry/swept_distance.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

template <class T>
size_t placing_bytes(const Tree& tree) {
    return spanning_bytes<T>(tree) + aligned_bytes<T>(tree);
}

template <class T>
struct Placed {
    AlignedTree<T> world;
    const T* G;  // the clusters' matrices
};

template <class T>
Placed<T> place(const Tree& tree, const T* q, const T* table, Scratch& scratch) {
    const JointState<T> joints = tree.coupled
                                     ? span_coupled<T>(tree, table, q, nullptr, nullptr, scratch)
                                     : JointState<T>{q, nullptr, nullptr, nullptr};
    return {align(tree, joints.q, scratch), joints.G};
}

void store_place(const NearPair& near, double* place) {
    int k = 0;
    for (const Vec3<double>& each : {near.a, near.b, near.n}) {
        place[k] = each.x, place[k + 1] = each.y, place[k + 2] = each.z;
        k += 3;
    }
}

// all pairs of a state; false if places are not finite
bool store_state(const DistanceCall& call, long state, PlacedBodies& still,
                 const Scratch& scratch) {
    const VolumePairs& pairs = *call.pairs;
    const long n = long(pairs.pairs.size()), nv = pairs.tree->nv;
    const int count = still.find(scratch);
    if (count < 0) return false;
    std::fill_n(call.distance + n * state, n, kInfinity);
    if (call.places)
        std::fill_n(call.places + kPlaceNumbers * n * state, kPlaceNumbers * n, kNoNumber);
    if (call.volumes) std::fill_n(call.volumes + 2 * n * state, 2 * n, -1L);
    if (call.rows) std::fill_n(call.rows + n * nv * state, n * nv, 0.0);
    for (int k = 0; k < count; ++k) {
        const NearPair& near = still.near[k];
        const long at = n * state + near.pair;
        call.distance[at] = near.distance;
        if (call.places) store_place(near, call.places + kPlaceNumbers * at);
        if (call.volumes) {
            call.volumes[2 * at] = volume_a(pairs, near);
            call.volumes[2 * at + 1] = volume_b(pairs, near);
        }
        if (call.rows) still.derivatives(near, call.rows + nv * at);
    }
    return true;
}

size_t bytes_one(const VolumePairs& pairs) {
    return placing_bytes<double>(*pairs.tree) + PlacedBodies::bytes(pairs) +
           near_pairs_bytes(pairs);
}

long run_one(const DistanceCall& call, long state, std::byte* memory) {
    Scratch scratch(memory);
    const Tree& tree = *call.pairs->tree;
    PlacedBodies still(*call.pairs, scratch);
    const Placed<double> placed =
        place(tree, call.q + state * tree.nq, call.table + state * call.table_stride, scratch);
    still.set(placed.world, placed.G, 0, call.rows);
    return store_state(call, state, still, scratch) ? -1 : state;
}

size_t bytes_lanes(const VolumePairs& pairs) {
    const Tree& tree = *pairs.tree;
    return placing_bytes<Lanes>(tree) + PlacedBodies::bytes(pairs) + near_pairs_bytes(pairs) +
           bytes_of<Lanes>(tree.nq) + bytes_of<Lanes>(tree.table_size);
}

long run_lanes(const DistanceCall& call, long begin, long end, std::byte* memory) {
    Scratch whole(memory);
    const Tree& tree = *call.pairs->tree;
    PlacedBodies still(*call.pairs, whole);
    Lanes* q = whole.take<Lanes>(tree.nq);
    Lanes* table = whole.take<Lanes>(tree.table_size);
    for (long s = begin; s < end; s += kLanes) {
        Scratch scratch = whole;
        const int count = int(std::min<long>(end - s, kLanes));
        load_rows(call.q + s * tree.nq, tree.nq, count, tree.nq, q);
        if (call.table) {
            load_rows(call.table + s * call.table_stride, call.table_stride, count, tree.table_size,
                      table);
        }
        const Placed<Lanes> placed = place(tree, q, table, scratch);
        for (int l = 0; l < count; ++l) {
            still.set(placed.world, placed.G, l, call.rows);
            if (!store_state(call, s + l, still, scratch)) return s + l;
        }
    }
    return -1;
}

bool run_near(NearCall& call, std::byte* memory) {
    Scratch scratch(memory);
    const Tree& tree = *call.pairs->tree;
    PlacedBodies still(*call.pairs, scratch);
    const Placed<double> placed = place(tree, call.q, call.table, scratch);
    still.set(placed.world, placed.G, 0, call.rows);
    const int count = still.find(scratch);
    call.count = count;
    for (int k = 0; k < count; ++k) {
        const NearPair& near = still.near[k];
        call.pair[k] = near.pair, call.distance[k] = near.distance;
        call.volumes[2 * k] = volume_a(*call.pairs, near);
        call.volumes[2 * k + 1] = volume_b(*call.pairs, near);
        store_place(near, call.places + kPlaceNumbers * k);
        if (call.rows) still.derivatives(near, call.rows + long(tree.nv) * k);
    }
    return count >= 0;
}

// pairs of volumes that stand for themselves
template <int corners>
TARSUS_INLINE SweptCore<Lanes, corners> given_core(const double* at, long k, int count) {
    constexpr int size = 3 * corners;
    const double* row[kLanes];
    for (int l = 0; l < kLanes; ++l) row[l] = at + size * (k + std::min(l, count - 1));
    Lanes x[size];
    if constexpr (corners == 1) {
        for (int i = 0; i < size; ++i) {
            Lanes each(0.0);
            for (int l = 0; l < kLanes; ++l) each.v[l] = row[l][i];
            x[i] = each;
        }
    } else {
        gather_rows<size>(row, x);
    }
    Vec3<Lanes> corner[corners];
    for (int c = 0; c < corners; ++c) corner[c] = {x[3 * c], x[3 * c + 1], x[3 * c + 2]};
    return swept_core(corner);
}
TARSUS_INLINE Lanes given_radius(const double* at, long k, int count) {
    Lanes radius(0.0);
    for (int l = 0; l < kLanes; ++l) radius.v[l] = at[k + std::min(l, count - 1)];
    return radius;
}

template <int m, int n>
TARSUS_APART void run_swept(const SweptPairsCall& call, long begin, long end) {
    for (long k = begin; k < end; k += kLanes) {
        const int count = int(std::min<long>(end - k, kLanes));
        const SweptDistance<Lanes> d =
            swept_distance(given_core<m>(call.a, k, count), given_radius(call.radius_a, k, count),
                           given_core<n>(call.b, k, count), given_radius(call.radius_b, k, count));
        double* row[kLanes];
        for (int l = 0; l < kLanes; ++l) {
            row[l] = call.out + kSweptNumbers * (k + std::min(l, count - 1));
        }
        const Lanes x[kSweptNumbers] = {d.distance, d.a.x, d.a.y, d.a.z, d.b.x, d.b.y, d.b.z,
                                        d.n.x,      d.n.y, d.n.z, d.ax,  d.ay,  d.bx,  d.by};
        scatter_rows<kSweptNumbers>(x, row);
    }
}

void swept(const SweptPairsCall& call, long begin, long end) {
    using Run = void (*)(const SweptPairsCall&, long, long);
    constexpr Run kRuns[kPairKinds] = {run_swept<1, 1>, run_swept<1, 2>, run_swept<1, 3>,
                                       run_swept<2, 2>, run_swept<2, 3>, run_swept<3, 3>};
    kRuns[pair_kind(call.corners_a, call.corners_b)](call, begin, end);
}

}  // namespace

extern const DistanceKernel distance_kernel;
const DistanceKernel distance_kernel = {bytes_one, bytes_lanes, run_one,
                                        run_lanes, run_near,    swept};

}  // namespace tarsus::TARSUS_ISA
