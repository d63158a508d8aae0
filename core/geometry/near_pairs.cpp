// Volumes are placed, balls compared, and pairs of one kind taken a lane each.
#include "geometry/near_pairs.hpp"

#include <algorithm>
#include <limits>

#include "geometry/swept_distance.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarthest = 1e9;  // metres from the origin; distances of what is farther are lost

// one pair of volumes to compare; the one with fewer corners is first
struct Comparison {
    int first, second, slot;
    bool swapped;
};

struct Ball {
    double x, y, z, radius;
};

// numbers of a row: a core without what follows from the rest in three operations, and its radius
template <class T>
TARSUS_INLINE SweptCore<T, 1> core_in(const T* x, SweptCore<T, 1>*) {
    return {{x[0], x[1], x[2]}};
}
template <class T>
TARSUS_INLINE SweptCore<T, 2> core_in(const T* x, SweptCore<T, 2>*) {
    const Vec3<T> e{x[3], x[4], x[5]};
    return {{x[0], x[1], x[2]}, {e, dot(e, e), x[6]}};
}
template <class T>
TARSUS_INLINE SweptCore<T, 3> core_in(const T* x, SweptCore<T, 3>*) {
    const auto vector = [&](int k) { return Vec3<T>{x[k], x[k + 1], x[k + 2]}; };
    const auto edge = [&](int k) { return SweptEdge<T>{vector(k), x[k + 3], x[k + 4]}; };
    return {vector(0), edge(3), edge(8), edge(13), vector(18), vector(21), vector(24)};
}
TARSUS_INLINE void put(double*& row, const Vec3<double>& a) {
    row[0] = a.x, row[1] = a.y, row[2] = a.z;
    row += 3;
}
TARSUS_INLINE void put(double*& row, const SweptEdge<double>& edge) {
    put(row, edge.along);
    *row++ = edge.square, *row++ = edge.inverse;
}

void store_core(const SweptVolume& volume, const Pose<double>& pose, double* row) {
    const auto corner = [&](int c) {
        return pose.rotation * vector_at(volume.corner[c]) + pose.position;
    };
    if (volume.corners == 1) {
        put(row, corner(0));
    } else if (volume.corners == 2) {
        const SweptCore<double, 2> core = swept_core<double>({corner(0), corner(1)});
        put(row, core.origin), put(row, core.e.along);
        *row++ = core.e.inverse;
    } else {
        const SweptCore<double, 3> core = swept_core<double>({corner(0), corner(1), corner(2)});
        put(row, core.origin), put(row, core.e), put(row, core.f), put(row, core.g);
        put(row, core.normal), put(row, core.to_x), put(row, core.to_y);
    }
    *row = volume.radius;
}

Ball placed(const BoundingBall& ball, const Pose<double>* pose) {
    const Pose<double>& at = pose[ball.body + 1];
    const Vec3<double> center = at.rotation * vector_at(ball.center) + at.position;
    return {center.x, center.y, center.z, ball.radius};
}

// whether balls may be nearer than `reach`; it is a little longer than asked for, against rounding
TARSUS_INLINE bool may_be_near(const Ball& a, const Ball& b, double reach) {
    const double x = b.x - a.x, y = b.y - a.y, z = b.z - a.z, most = a.radius + b.radius + reach;
    return !(x * x + y * y + z * z > most * most);
}

class Search {
   public:
    Search(const VolumePairs& pairs, const Pose<double>* pose, NearPair* out, Scratch& scratch)
        : pairs_(pairs),
          out_(out),
          rows_(scratch.take<double>(pairs.row_numbers)),
          volume_balls_(scratch.take<Ball>(pairs.volumes.size())),
          compound_balls_(scratch.take<Ball>(pairs.compounds.size())) {
        for (int k = 0; k < kPairKinds; ++k) {
            comparisons_[k] = scratch.take<Comparison>(pairs.combinations[k]);
        }
        for (size_t v = 0; v < pairs.volumes.size(); ++v) {
            const SweptVolume& volume = pairs.volumes[v];
            store_core(volume, pose[volume.body + 1], rows_ + pairs.row[v]);
            const Ball ball = volume_balls_[v] = placed(pairs.volume_balls[v], pose);
            inside_ &= absolute(ball.x) + absolute(ball.y) + absolute(ball.z) < kFarthest;
        }
        for (size_t c = 0; c < pairs.compounds.size(); ++c) {
            compound_balls_[c] = placed(pairs.compound_balls[c], pose);
        }
    }

    static size_t bytes(const VolumePairs& pairs) {
        size_t bytes = bytes_of<double>(pairs.row_numbers) + bytes_of<Ball>(pairs.volumes.size()) +
                       bytes_of<Ball>(pairs.compounds.size());
        for (long count : pairs.combinations) bytes += bytes_of<Comparison>(count);
        return bytes;
    }

    int run() {
        if (!inside_) return -1;
        list_comparisons();
        compare<1, 1>(), compare<1, 2>(), compare<1, 3>();
        compare<2, 2>(), compare<2, 3>(), compare<3, 3>();
        const auto far = [&](const NearPair& near) { return near.distance > pairs_.activation; };
        return int(std::remove_if(out_, out_ + slots_, far) - out_);
    }

   private:
    void list_comparisons() {
        const double reach = pairs_.activation * (1.0 + 1e-9) + 1e-12;
        const int n = int(pairs_.pairs.size());
        for (int k = 0; k < n; ++k) {
            const CompoundPair& pair = pairs_.pairs[k];
            if (!may_be_near(compound_balls_[pair.a], compound_balls_[pair.b], reach)) continue;
            NearPair& near = out_[slots_];
            near.pair = k, near.distance = kInfinity;
            list_volumes(pairs_.compounds[pair.a], pairs_.compounds[pair.b], reach);
            ++slots_;
        }
    }

    void list_volumes(const Compound& a, const Compound& b, double reach) {
        const bool single = a.count == 1 && b.count == 1;
        for (int i = 0; i < a.count; ++i) {
            for (int j = 0; j < b.count; ++j) {
                const int va = pairs_.members[a.first + i], vb = pairs_.members[b.first + j];
                if (!single && !may_be_near(volume_balls_[va], volume_balls_[vb], reach)) continue;
                const int m = pairs_.volumes[va].corners, n = pairs_.volumes[vb].corners;
                const bool swapped = m > n;
                const int kind = swapped ? pair_kind(n, m) : pair_kind(m, n);
                comparisons_[kind][counts_[kind]++] = {swapped ? vb : va, swapped ? va : vb, slots_,
                                                       swapped};
            }
        }
    }

    template <int m, int n>
    TARSUS_INLINE void compare() {
        if (counts_[pair_kind(m, n)] > 0) compare_all<m, n>();
    }

    template <int m, int n>
    TARSUS_APART void compare_all() {
        using A = SweptCore<Lanes, m>;
        using B = SweptCore<Lanes, n>;
        const Comparison* list = comparisons_[pair_kind(m, n)];
        const int count = counts_[pair_kind(m, n)];
        for (int k = 0; k < count; k += kLanes) {
            const double *row_a[kLanes], *row_b[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                const Comparison& each = list[std::min(k + l, count - 1)];
                row_a[l] = rows_ + pairs_.row[each.first];
                row_b[l] = rows_ + pairs_.row[each.second];
            }
            Lanes a[A::kNumbers], b[B::kNumbers];
            gather_rows<A::kNumbers>(row_a, a);
            gather_rows<B::kNumbers>(row_b, b);
            const SweptDistance<Lanes> found =
                swept_distance(core_in(a, static_cast<A*>(nullptr)), a[A::kNumbers - 1],
                               core_in(b, static_cast<B*>(nullptr)), b[B::kNumbers - 1]);
            for (int l = 0; l < kLanes && k + l < count; ++l) keep(list[k + l], found, l);
        }
    }

    // of equal distances the first in the order of members counts
    TARSUS_INLINE void keep(const Comparison& of, const SweptDistance<Lanes>& found, int lane) {
        NearPair& best = out_[of.slot];
        const double distance = found.distance[lane];
        if (distance > pairs_.activation || distance > best.distance) return;
        const int a = of.swapped ? of.second : of.first, b = of.swapped ? of.first : of.second;
        if (distance == best.distance &&
            std::pair(a, b) > std::pair(best.volume_a, best.volume_b)) {
            return;
        }
        const auto vector = [&](const Vec3<Lanes>& v) {
            return Vec3<double>{v.x[lane], v.y[lane], v.z[lane]};
        };
        best.distance = distance, best.volume_a = a, best.volume_b = b;
        best.a = vector(of.swapped ? found.b : found.a);
        best.b = vector(of.swapped ? found.a : found.b);
        best.n = vector(found.n);
        if (of.swapped) best.n = -best.n;
    }

    const VolumePairs& pairs_;
    NearPair* out_;
    double* rows_;
    Ball *volume_balls_, *compound_balls_;
    Comparison* comparisons_[kPairKinds];
    int counts_[kPairKinds] = {}, slots_ = 0;
    bool inside_ = true;
};

}  // namespace

size_t near_pairs_bytes(const VolumePairs& pairs) { return Search::bytes(pairs); }

int find_near_pairs(const VolumePairs& pairs, const Pose<double>* pose, NearPair* out,
                    Scratch scratch) {
    return Search(pairs, pose, out, scratch).run();
}

void distance_row(const VolumePairs& pairs, const JointColumns& columns, const NearPair& near,
                  double* out) {
    const CompoundPair& pair = pairs.pairs[near.pair];
    const double* on_a =
        &pairs.moves[size_t(pairs.compound_balls[pair.a].body + 1) * pairs.columns];
    const double* on_b =
        &pairs.moves[size_t(pairs.compound_balls[pair.b].body + 1) * pairs.columns];
    const Vec3<double>& n = near.n;
    const Vec3<double> turning = cross(near.a, n);
    const double force[6] = {n.x, n.y, n.z, turning.x, turning.y, turning.z};
    for (int k = 0; k < pairs.columns; k += kLanes) {
        Lanes sum(0.0);
        for (int i = 0; i < 6; ++i) {
            sum = mul_add(lanes_at(columns.row[i] + k), Lanes(force[i]), sum);
        }
        store_lanes(sum * (lanes_at(on_b + k) - lanes_at(on_a + k)), out + k);
    }
}

}  // namespace tarsus::TARSUS_ISA
