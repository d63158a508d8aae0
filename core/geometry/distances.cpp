// Distances of pairs of volumes in states: where bodies are, who is near, how distances change.
//
// Kinematics of a batch run in lanes, a state in each; then each state's pairs run in lanes. One
// state alone does the same arithmetic.
#include <algorithm>
#include <limits>

#include "geometry/near_pairs.hpp"
#include "geometry/swept_distance.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

// where bodies are in the world, and what unit velocities of their joints do to them
template <class T>
struct Moving {
    Pose<T>* pose;    // of the world and all bodies
    Motion<T>* unit;  // of all joint velocities, in the world's axes at its origin
    const T* G;       // the clusters' matrices

    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
               bytes_of<Pose<T>>(tree.n_bodies + 1) + bytes_of<Motion<T>>(tree.joint_nv);
    }
};

template <class T>
TARSUS_FLATTEN Moving<T> move(const Tree& tree, const T* q, const T* table, bool units,
                              Scratch& scratch) {
    const JointState<T> joints = tree.coupled
                                     ? span_coupled<T>(tree, table, q, nullptr, nullptr, scratch)
                                     : JointState<T>{q, nullptr, nullptr, nullptr};
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    Pose<T>* pose = scratch.take<Pose<T>>(tree.n_bodies + 1);
    Motion<T>* unit = scratch.take<Motion<T>>(tree.joint_nv);
    read_angles(tree, joints.q, angles);
    pose[0] = {identity_matrix<T>(), zero_vector<T>()};
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            const At<T> at = state_at(link, joints.q, angles);
            pose[i + 1] = decltype(joint)::transform(at).pose_from(pose[link.parent + 1]);
            if (!units) return;
            Motion<T>* own = unit + link.v;
            decltype(joint)::subspace(at).columns_in(pose[i + 1].rotation, own);
            for (int k = 0; k < link.nv; ++k) {
                own[k].linear = cross_add(pose[i + 1].position, own[k].angular, own[k].linear);
            }
        });
    }
    return {pose, unit, joints.G};
}

// one lane of what moves, as the search for near pairs takes it
struct Still {
    Pose<double>* pose;
    JointColumns columns;
    double *G, *row;
    NearPair* near;

    Still(const VolumePairs& pairs, Scratch& scratch) {
        const Tree& tree = *pairs.tree;
        pose = scratch.take<Pose<double>>(tree.n_bodies + 1);
        for (double*& row_ : columns.row) {
            row_ = scratch.take<double>(pairs.columns);
            std::fill_n(row_, pairs.columns, 0.0);
        }
        G = scratch.take<double>(tree.n_matrix);
        row = scratch.take<double>(pairs.columns);
        near = scratch.take<NearPair>(pairs.pairs.size());
    }
    static size_t bytes(const VolumePairs& pairs) {
        const Tree& tree = *pairs.tree;
        return bytes_of<Pose<double>>(tree.n_bodies + 1) + 7 * bytes_of<double>(pairs.columns) +
               bytes_of<double>(tree.n_matrix) + bytes_of<NearPair>(pairs.pairs.size());
    }

    template <class T>
    void set(const Tree& tree, const Moving<T>& moving, int lane, bool units) {
        copy(moving.pose, lane, tree.n_bodies + 1, pose);
        if (!units) return;
        for (int k = 0; k < tree.joint_nv; ++k) {
            const Motion<T>& m = moving.unit[k];
            columns.row[0][k] = lane_of(m.linear.x, lane);
            columns.row[1][k] = lane_of(m.linear.y, lane);
            columns.row[2][k] = lane_of(m.linear.z, lane);
            columns.row[3][k] = lane_of(m.angular.x, lane);
            columns.row[4][k] = lane_of(m.angular.y, lane);
            columns.row[5][k] = lane_of(m.angular.z, lane);
        }
        if (tree.coupled) copy(moving.G, lane, tree.n_matrix, G);
    }

    // derivatives of a distance by the users' velocities
    void derivatives(const VolumePairs& pairs, const NearPair& of, double* out) const {
        const Tree& tree = *pairs.tree;
        distance_row(pairs, columns, of, row);
        if (tree.coupled) gather_forces<double>(tree, G, row, out);
        else std::copy_n(row, tree.nv, out);
    }

   private:
    // structs of numbers in lanes, and the same of doubles
    template <class Wide, class Narrow>
    static void copy(const Wide* from, int lane, int count, Narrow* to) {
        constexpr size_t numbers = sizeof(Narrow) / sizeof(double);
        constexpr size_t lanes = sizeof(Wide) / sizeof(Narrow);
        const auto* wide = reinterpret_cast<const double*>(from);
        auto* narrow = reinterpret_cast<double*>(to);
        for (size_t k = 0; k < numbers * count; ++k) narrow[k] = wide[lanes * k + lane];
    }
};

void store_place(const NearPair& near, double* place) {
    int k = 0;
    for (const Vec3<double>& each : {near.a, near.b, near.n}) {
        place[k] = each.x, place[k + 1] = each.y, place[k + 2] = each.z;
        k += 3;
    }
}

// all pairs of a state; false if places are not finite
bool store_state(const DistanceCall& call, long state, Still& still, const Scratch& scratch) {
    const VolumePairs& pairs = *call.pairs;
    const long n = long(pairs.pairs.size()), nv = pairs.tree->nv;
    const int count = find_near_pairs(pairs, still.pose, still.near, scratch);
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
        if (call.rows) still.derivatives(pairs, near, call.rows + nv * at);
    }
    return true;
}

size_t bytes_one(const VolumePairs& pairs) {
    return Moving<double>::bytes(*pairs.tree) + Still::bytes(pairs) + near_pairs_bytes(pairs);
}

long run_one(const DistanceCall& call, long state, std::byte* memory) {
    Scratch scratch(memory);
    const Tree& tree = *call.pairs->tree;
    Still still(*call.pairs, scratch);
    const Moving<double> moving =
        move(tree, call.q + state * tree.nq, call.table + state * call.table_stride,
             call.rows != nullptr, scratch);
    still.set(tree, moving, 0, call.rows != nullptr);
    return store_state(call, state, still, scratch) ? -1 : state;
}

size_t bytes_lanes(const VolumePairs& pairs) {
    const Tree& tree = *pairs.tree;
    return Moving<Lanes>::bytes(tree) + Still::bytes(pairs) + near_pairs_bytes(pairs) +
           bytes_of<Lanes>(tree.nq) + bytes_of<Lanes>(tree.table_size);
}

long run_lanes(const DistanceCall& call, long begin, long end, std::byte* memory) {
    Scratch whole(memory);
    const Tree& tree = *call.pairs->tree;
    Still still(*call.pairs, whole);
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
        const Moving<Lanes> moving = move(tree, q, table, call.rows != nullptr, scratch);
        for (int l = 0; l < count; ++l) {
            still.set(tree, moving, l, call.rows != nullptr);
            if (!store_state(call, s + l, still, scratch)) return s + l;
        }
    }
    return -1;
}

bool run_near(NearCall& call, std::byte* memory) {
    Scratch scratch(memory);
    const Tree& tree = *call.pairs->tree;
    Still still(*call.pairs, scratch);
    const Moving<double> moving = move(tree, call.q, call.table, call.rows != nullptr, scratch);
    still.set(tree, moving, 0, call.rows != nullptr);
    const int count = find_near_pairs(*call.pairs, still.pose, still.near, scratch);
    call.count = count;
    for (int k = 0; k < count; ++k) {
        const NearPair& near = still.near[k];
        call.pair[k] = near.pair, call.distance[k] = near.distance;
        call.volumes[2 * k] = volume_a(*call.pairs, near);
        call.volumes[2 * k + 1] = volume_b(*call.pairs, near);
        store_place(near, call.places + kPlaceNumbers * k);
        if (call.rows) still.derivatives(*call.pairs, near, call.rows + long(tree.nv) * k);
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
