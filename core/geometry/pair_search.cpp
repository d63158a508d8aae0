#include "geometry/pair_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "geometry/box_separation.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// of a solid's place and way: more than rounding takes from the test that follows
constexpr double kSlack = 1e-12, kApart = 1e-9;  // kApart [m]

}  // namespace

template <class T>
TARSUS_FLATTEN std::span<const int> PairSearch<T>::find(const Pose<T>* pose,
                                                        const Motion<T>* velocity, const T& dt,
                                                        std::span<const int> wanted) {
    int count = 0;
    const auto try_pair = [&](int k) {
        const Solid &a = shapes_.solids[shapes_.pairs[2 * k]],
                    &b = shapes_.solids[shapes_.pairs[2 * k + 1]];
        if (!may_meet(a, b, pose, velocity, dt)) return;
        if (!stay_apart(a, b, pose, velocity, dt)) found_[count++] = k;
    };
    if (shapes_.n_pairs() <= kFewPairs) {
        for (int k = 0; k < shapes_.n_pairs(); ++k) try_pair(k);
    } else {
        hold(pose, velocity, dt);
        sort_along_axis();
        sweep([&](int a, int b) {
            const Partner* end = shapes_.partners.data() + shapes_.first_partner[a + 1];
            const Partner* first = std::lower_bound(
                shapes_.partners.data() + shapes_.first_partner[a], end, b,
                [](const Partner& partner, int solid) { return partner.solid < solid; });
            for (; first != end && first->solid == b; ++first) try_pair(first->pair);
        });
    }
    for (int k : wanted) found_[count++] = k;
    std::sort(found_, found_ + count);
    return {found_, size_t(std::unique(found_, found_ + count) - found_)};
}

// Solids that are nowhere, because a number of their place is none, meet nothing; neither do those
// without partners.
template <class T>
TARSUS_INLINE void PairSearch<T>::hold(const Pose<T>* pose, const Motion<T>* velocity,
                                       const T& dt) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    n_held_ = 0;
    for (int k = 0; k < int(shapes_.solids.size()); ++k) {
        const Solid& solid = shapes_.solids[k];
        const Pose<T>& body = pose[solid.body + 1];
        const Vec3<T> center = body.rotation * vector_at(solid.on.position) + body.position;
        const T way = fastest(velocity[solid.body + 1], solid.on.position, solid.reach) * dt;
        Held held{{kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}, k};
        for (int l = 0; l < kLaneCount<T>; ++l) {
            const Point at = lane_of(center, l);
            const double x[3] = {at.x, at.y, at.z}, reach = lane_of(way, l) + solid.reach + kApart;
            if (!std::isfinite(x[0] + x[1] + x[2]) || std::isnan(reach)) continue;
            for (int i = 0; i < 3; ++i) {
                const double room = mul_add(kSlack, std::abs(x[i]) + reach, reach);
                held.low[i] = std::min(held.low[i], x[i] - room);
                held.high[i] = std::max(held.high[i], x[i] + room);
            }
        }
        if (held.low[0] <= held.high[0]) held_[n_held_++] = held;
    }
}

// the axis along which solids are farthest apart has the fewest neighbours
template <class T>
void PairSearch<T>::sort_along_axis() {
    double widest = -1.0;
    for (int i = 0; i < 3; ++i) {
        double square = 0.0, sum = 0.0;
        for (int k = 0; k < n_held_; ++k) {
            const double low = std::clamp(held_[k].low[i], -1e100, 1e100);
            sum += low, square = mul_add(low, low, square);
        }
        const double spread = mul_add(-sum / std::max(n_held_, 1), sum, square);
        if (spread > widest) widest = spread, axis_ = i;
    }
    std::sort(held_, held_ + n_held_,
              [axis = axis_](const Held& x, const Held& y) { return x.low[axis] < y.low[axis]; });
}

// calls overlap(a, b) for all solids a < b whose boxes do
template <class T>
template <class F>
TARSUS_INLINE void PairSearch<T>::sweep(F&& overlap) const {
    const int axis = axis_, one = (axis + 1) % 3, other = (axis + 2) % 3;
    for (const Held *x = held_, *end = held_ + n_held_; x < end; ++x) {
        for (const Held* y = x + 1; y < end && y->low[axis] <= x->high[axis]; ++y) {
            if (x->low[one] > y->high[one] || y->low[one] > x->high[one]) continue;
            if (x->low[other] > y->high[other] || y->low[other] > x->high[other]) continue;
            overlap(std::min(x->solid, y->solid), std::max(x->solid, y->solid));
        }
    }
}

template class PairSearch<double>;
template class PairSearch<Lanes>;

}  // namespace tarsus::TARSUS_ISA
