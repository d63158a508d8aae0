// Volumes are placed, balls compared, and pairs of one kind taken a lane each.
#include "geometry/near_pairs.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <limits>

#include "geometry/swept_distance.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kFarthest = 1e9;  // metres from the origin; distances of what is farther are lost

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
TARSUS_INLINE int put(Lanes* x, int k, const Vec3<Lanes>& a) {
    x[k] = a.x, x[k + 1] = a.y, x[k + 2] = a.z;
    return k + 3;
}
TARSUS_INLINE int put(Lanes* x, int k, const SweptEdge<Lanes>& edge) {
    k = put(x, k, edge.along);
    x[k] = edge.square, x[k + 1] = edge.inverse;
    return k + 2;
}
TARSUS_INLINE int put(Lanes* x, int k, const SweptCore<Lanes, 1>& core) {
    return put(x, k, core.origin);
}
TARSUS_INLINE int put(Lanes* x, int k, const SweptCore<Lanes, 2>& core) {
    k = put(x, put(x, k, core.origin), core.e.along);
    x[k] = core.e.inverse;
    return k + 1;
}
TARSUS_INLINE int put(Lanes* x, int k, const SweptCore<Lanes, 3>& core) {
    k = put(x, put(x, put(x, put(x, k, core.origin), core.e), core.f), core.g);
    return put(x, put(x, put(x, k, core.normal), core.to_x), core.to_y);
}

// slots of pairs that may be near, and what is to be compared for them
struct Listed {
    int comparison, slot;
};

class Search {
   public:
    Search(const VolumePairs& pairs, const Pose<double>* pose, NearPair* out, Scratch& scratch)
        : pairs_(pairs),
          pose_(pose),
          out_(out),
          rows_(scratch.take<double>(pairs.row_numbers)),
          balls_(scratch.take<Ball>(pairs.volumes.size() + pairs.balls.size())) {
        for (int k = 0; k < kPairKinds; ++k) {
            listed_[k] = scratch.take<Listed>(pairs.combinations[k]);
        }
    }

    static size_t bytes(const VolumePairs& pairs) {
        size_t bytes = bytes_of<double>(pairs.row_numbers) +
                       bytes_of<Ball>(pairs.volumes.size() + pairs.balls.size());
        for (long count : pairs.combinations) bytes += bytes_of<Listed>(count);
        return bytes;
    }

    TARSUS_FLATTEN int run() {
        if (!place()) return -1;
        list();
        compare<1, 1>(), compare<1, 2>(), compare<1, 3>();
        compare<2, 2>(), compare<2, 3>(), compare<3, 3>();
        const auto far = [&](const NearPair& near) { return near.distance > pairs_.activation; };
        return int(std::remove_if(out_, out_ + slots_, far) - out_);
    }

   private:
    // cores and balls of all volumes in the world; false if one is lost
    TARSUS_INLINE bool place() {
        Lanes farthest(0.0);
        place_with<1>(farthest), place_with<2>(farthest), place_with<3>(farthest);
        Ball* ball = balls_ + pairs_.volumes.size();
        for (const VolumePairs::BallAround& around : pairs_.balls) {
            const Pose<double>& at = pose_[around.body + 1];
            const Vec3<double> center = at.rotation * vector_at(around.center) + at.position;
            *ball++ = {center.x, center.y, center.z, around.radius};
        }
        return !any(farthest > Lanes(0.0));
    }

    template <int corners>
    TARSUS_INLINE void place_with(Lanes& farthest) {
        using Core = SweptCore<Lanes, corners>;
        const std::vector<int>& list = pairs_.with_corners[corners - 1];
        const int count = int(list.size());
        for (int k = 0; k < count; k += kLanes) {
            const double *stated[kLanes], *posed[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                const SweptVolume& volume = pairs_.volumes[list[std::min(k + l, count - 1)]];
                stated[l] = volume.number;
                posed[l] = reinterpret_cast<const double*>(pose_ + volume.body + 1);
            }
            Lanes x[kVolumeNumbers], p[12], row[Core::kNumbers];
            gather_rows<kVolumeNumbers>(stated, x);
            gather_rows<12>(posed, p);
            const Pose<Lanes> pose{{{p[0], p[1], p[2]}, {p[3], p[4], p[5]}, {p[6], p[7], p[8]}},
                                   {p[9], p[10], p[11]}};
            const auto at = [&](int i) {
                return pose.rotation * Vec3<Lanes>{x[i], x[i + 1], x[i + 2]} + pose.position;
            };
            Vec3<Lanes> corner[corners];
            for (int c = 0; c < corners; ++c) corner[c] = at(kCorners + 3 * c);
            row[put(row, 0, swept_core(corner))] = x[kRadius];
            const Vec3<Lanes> center = at(kCenter);
            const Lanes ball[4] = {center.x, center.y, center.z, x[kBallRadius]};
            double *to_row[kLanes], *to_ball[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                const int v = list[std::min(k + l, count - 1)];
                to_row[l] = rows_ + pairs_.row[v];
                to_ball[l] = reinterpret_cast<double*>(balls_ + v);
            }
            static_assert(Core::kNumbers == kRowNumbers[corners - 1]);
            scatter_rows<Core::kNumbers>(row, to_row);
            scatter_rows<4>(ball, to_ball);
            const Lanes far = absolute(center.x) + absolute(center.y) + absolute(center.z);
            farthest = select(far < Lanes(kFarthest), farthest, Lanes(1.0));
        }
    }

    // Which balls are near each other, in lanes: a bit for each. The reach is a little longer than
    // asked for, against rounding.
    template <class BallA, class BallB>
    TARSUS_INLINE unsigned near_balls(int count, BallA&& ball_a, BallB&& ball_b) const {
        const double *row_a[kLanes], *row_b[kLanes];
        for (int l = 0; l < kLanes; ++l) {
            const int k = std::min(l, count - 1);
            row_a[l] = reinterpret_cast<const double*>(balls_ + ball_a(k));
            row_b[l] = reinterpret_cast<const double*>(balls_ + ball_b(k));
        }
        Lanes a[4], b[4];
        gather_rows<4>(row_a, a);
        gather_rows<4>(row_b, b);
        const Vec3<Lanes> c{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        const Lanes most = a[3] + b[3] + Lanes(reach_);
        return ~bits_set(dot(c, c) > most * most) & ((1u << count) - 1u);
    }

    TARSUS_INLINE void list() {
        reach_ = pairs_.activation * (1.0 + 1e-9) + 1e-12;
        const int n = int(pairs_.pairs.size());
        for (int k = 0; k < n; k += kLanes) {
            const CompoundPair* pair = pairs_.pairs.data() + k;
            unsigned near = near_balls(
                std::min(n - k, kLanes), [&](int l) { return pair[l].ball_a; },
                [&](int l) { return pair[l].ball_b; });
            for (; near; near &= near - 1) {
                const int l = std::countr_zero(near);
                out_[slots_].pair = k + l, out_[slots_].distance = kInfinity;
                if (pair[l].count == 1) add(pair[l].first);
                else list_volumes(pair[l]);
                ++slots_;
            }
        }
    }

    TARSUS_INLINE void list_volumes(const CompoundPair& pair) {
        for (int k = 0; k < pair.count; k += kLanes) {
            const Comparison* each = pairs_.comparisons.data() + pair.first + k;
            unsigned near = near_balls(
                std::min(pair.count - k, kLanes), [&](int l) { return each[l].first; },
                [&](int l) { return each[l].second; });
            for (; near; near &= near - 1) add(pair.first + k + std::countr_zero(near));
        }
    }

    TARSUS_INLINE void add(int comparison) {
        const int kind = pairs_.comparisons[comparison].kind;
        listed_[kind][counts_[kind]++] = {comparison, slots_};
    }

    template <int m, int n>
    TARSUS_INLINE void compare() {
        if (counts_[pair_kind(m, n)] > 0) compare_all<m, n>();
    }

    template <int m, int n>
    TARSUS_APART void compare_all() {
        using A = SweptCore<Lanes, m>;
        using B = SweptCore<Lanes, n>;
        const Listed* list = listed_[pair_kind(m, n)];
        const int count = counts_[pair_kind(m, n)];
        for (int k = 0; k < count; k += kLanes) {
            const double *row_a[kLanes], *row_b[kLanes];
            for (int l = 0; l < kLanes; ++l) {
                const int number = list[std::min(k + l, count - 1)].comparison;
                const Comparison& each = pairs_.comparisons[number];
                row_a[l] = rows_ + each.first_row, row_b[l] = rows_ + each.second_row;
            }
            Lanes a[A::kNumbers], b[B::kNumbers];
            gather_rows<A::kNumbers>(row_a, a);
            gather_rows<B::kNumbers>(row_b, b);
            const SweptDistance<Lanes> d =
                swept_distance(core_in(a, static_cast<A*>(nullptr)), a[A::kNumbers - 1],
                               core_in(b, static_cast<B*>(nullptr)), b[B::kNumbers - 1]);
            unsigned near = ~bits_set(d.distance > Lanes(pairs_.activation)) &
                            ((1u << std::min(count - k, kLanes)) - 1u);
            if (!near) continue;
            double found[kLanes][12], *to[kLanes];
            for (int l = 0; l < kLanes; ++l) to[l] = found[l];
            const Lanes x[12] = {d.distance, d.a.x, d.a.y, d.a.z, d.b.x, d.b.y,
                                 d.b.z,      d.n.x, d.n.y, d.n.z, 0.0,   0.0};
            scatter_rows<12>(x, to);
            for (; near; near &= near - 1) {
                const int l = std::countr_zero(near);
                keep(list[k + l], found[l]);
            }
        }
    }

    // of equal distances the first in the order of comparisons counts
    TARSUS_INLINE void keep(const Listed& of, const double* found) {
        NearPair& best = out_[of.slot];
        const Comparison& each = pairs_.comparisons[of.comparison];
        if (found[0] > best.distance) return;
        if (found[0] == best.distance && of.comparison > best.comparison) return;
        copy_few(found, kFound, &best.distance);  // in the pieces in which it was stored
        best.comparison = of.comparison;
        if (!each.swapped) return;
        std::swap(best.a, best.b);
        best.n = -best.n;
    }

    static constexpr int kFound = 10;  // distance, a, b and n, as in NearPair
    static_assert(offsetof(NearPair, n) == (kFound - 3) * sizeof(double));

    const VolumePairs& pairs_;
    const Pose<double>* pose_;
    NearPair* out_;
    double* rows_;
    Ball* balls_;
    Listed* listed_[kPairKinds];
    int counts_[kPairKinds] = {}, slots_ = 0;
    double reach_ = 0.0;
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
    const auto moved = [&](int compound) {
        return &pairs.moves[size_t(pairs.compounds[compound].body + 1) * pairs.columns];
    };
    const double *on_a = moved(pair.a), *on_b = moved(pair.b);
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
