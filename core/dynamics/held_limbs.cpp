#include "dynamics/held_limbs.hpp"

#include "dynamics/articulated_constraints.hpp"
#include "scalar/lane_sums.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr int n = LimbGroup::kJoints;

int n_chunks(const Limbs& limbs, int at_once) {
    int count = 0;
    for (const LimbGroup& group : limbs.groups) count += (group.n_limbs + at_once - 1) / at_once;
    return count;
}

template <class V, class T>
TARSUS_INLINE Motion<V> as_lanes(const Motion<T>& m) {
    return {as_lanes<V>(m.linear), as_lanes<V>(m.angular)};
}

// the larger one; not a number stays so
template <class T>
TARSUS_INLINE T larger(const T& a, const T& b) {
    return select(b < a, a, b + T(0.0) * a);
}

}  // namespace

template <class T>
HeldLimbs<T>::HeldLimbs(const Limbs& limbs, Scratch& scratch)
    : limbs_(limbs),
      own_q_(scratch.take<T>(limbs.trunk.nq)),
      own_v_(scratch.take<T>(limbs.trunk.nv)),
      own_a_(scratch.take<T>(limbs.trunk.nv)),
      joints_{own_q_, own_v_, nullptr, nullptr},
      passes_(limbs.trunk, joints_, {}, scratch),
      up_(scratch.take<Vec3<T>>(limbs.trunk.n_bodies + 1)),
      pose_(scratch.take<Pose<T>>(limbs.trunk.n_bodies + 1)),
      kept_(scratch.take<Kept>(n_chunks(limbs, LimbNumbers<T>::kAtOnce))),
      sum_(scratch.take<Felt>(2)) {}

template <class T>
size_t HeldLimbs<T>::bytes(const Limbs& limbs) {
    const Tree& trunk = limbs.trunk;
    return bytes_of<T>(trunk.nq) + 2 * bytes_of<T>(trunk.nv) + ArticulatedPasses<T>::bytes(trunk) +
           bytes_of<Vec3<T>>(trunk.n_bodies + 1) + bytes_of<Pose<T>>(trunk.n_bodies + 1) +
           bytes_of<Kept>(n_chunks(limbs, LimbNumbers<T>::kAtOnce)) + bytes_of<Felt>(2);
}

// f(group, first limb, what is kept of them)
template <class T>
template <class F>
TARSUS_INLINE void HeldLimbs<T>::each(F&& f) {
    Kept* kept = kept_;
    for (const LimbGroup& group : limbs_.groups) {
        for (int limb = 0; limb < group.n_limbs; limb += LimbNumbers<T>::kAtOnce)
            f(group, limb, *kept++);
    }
}

template <class T>
TARSUS_INLINE auto HeldLimbs<T>::read(const T* from, const int (&index)[LimbGroup::kMost],
                                      int limb) const -> V {
    if constexpr (std::is_same_v<T, double>) {
        V x;
        for (int l = 0; l < LimbGroup::kMost; ++l) set_lane(x, l, from[index[l]]);
        return x;
    } else {
        return from[index[limb]];
    }
}

template <class T>
template <bool turns>
TARSUS_INLINE LimbPlace<typename HeldLimbs<T>::V> HeldLimbs<T>::place(const LimbGroup& group,
                                                                      int limb) const {
    V q[n];
    joints_outwards([&](auto j) TARSUS_WITHIN { q[j] = read(q_, group.joint[j].q, limb); });
    return place_limb<C, turns>(group, limb, q);
}

template <class T>
TARSUS_FLATTEN void HeldLimbs<T>::look(const T* q, const T* v) {
    q_ = q, v_ = v;
    const Tree& trunk = limbs_.trunk;
    for (int k = 0; k < trunk.nq; ++k) own_q_[k] = q[limbs_.q_of[k]];
    for (int k = 0; k < trunk.nv; ++k) own_v_[k] = v ? v[limbs_.v_of[k]] : T(0.0);
    passes_.velocities(nullptr);
}

template <class T>
TARSUS_FLATTEN void HeldLimbs<T>::rate(T* out) const {
    for (const Link& link : limbs_.trunk.links) {
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            T own[Joint::nq];
            Joint::rate(passes_.at(link), own_v_ + link.v, own);
            for (int k = 0; k < Joint::nq; ++k) out[limbs_.q_of[link.q + k]] = own[k];
        });
    }
    for (const LimbGroup& group : limbs_.groups) {
        for (const LimbGroup::Joint& joint : group.joint) {
            for (int l = 0; l < group.n_limbs; ++l) out[joint.q[l]] = v_[joint.v[l]];
        }
    }
}

template <class T>
TARSUS_FLATTEN void HeldLimbs<T>::follow(const Vec3<T>& world) {
    const Tree& trunk = limbs_.trunk;
    up_[0] = world;
    for (int i = 0; i < trunk.n_bodies; ++i) {
        const Link& link = trunk.links[i];
        visit(link.kind, [&](auto joint) {
            up_[i + 1] = decltype(joint)::transform(passes_.at(link)).axes_in(up_[link.parent + 1]);
        });
    }
    each([&](const LimbGroup& group, int, Kept& kept) {
        kept.want = as_lanes<V>(up_[group.trunk + 1]);
    });
}

template <class T>
TARSUS_FLATTEN T HeldLimbs<T>::close() {
    place_bodies(passes_, pose_);
    V farthest(0.0);
    each([&](const LimbGroup& group, int limb, Kept& kept) TARSUS_WITHIN {
        const LimbPlace<V> at = place(group, limb);
        const Pose<T>& trunk = pose_[group.trunk + 1];
        const Mat3<V> axes{as_lanes<V>(trunk.rotation.x), as_lanes<V>(trunk.rotation.y),
                           as_lanes<V>(trunk.rotation.z)};
        const Vec3<V> apart = limb_vector<C>(group.place, limb) - as_lanes<V>(trunk.position);
        kept.want = transposed_times(axes, apart) - at.p;
        for (const V& way : {kept.want.x, kept.want.y, kept.want.z})
            farthest = larger(farthest, absolute(way));
    });
    if constexpr (std::is_same_v<T, double>) {
        double all = 0;
        for (int l = 0; l < LimbGroup::kMost; ++l) all = larger(all, lane_of(farthest, l));
        return all;
    } else {
        return farthest;
    }
}

template <class T>
TARSUS_FLATTEN void HeldLimbs<T>::stop() {
    each([&](const LimbGroup& group, int limb, Kept& kept) TARSUS_WITHIN {
        const LimbPlace<V> at = place(group, limb);
        const Motion<V> trunk = as_lanes<V>(passes_.body[group.trunk + 1].v);
        Vec3<V> velocity = moved_to(at.p, trunk).linear;
        for (int j = 0; j < n; ++j)
            velocity = mul_add(at.S[j].linear, read(v_, group.joint[j].v, limb), velocity);
        kept.want = -velocity;
    });
    look(q_, nullptr);
}

// the trunk takes over what it feels; limbs that come one by one are added as those in lanes
template <class T>
TARSUS_INLINE void HeldLimbs<T>::feel(const LimbGroup& group, int limb,
                                      const LimbAnswer<V>& answer) {
    constexpr int numbers = sizeof(Felt) / sizeof(T);
    const V* given = reinterpret_cast<const V*>(&answer);
    T* even = reinterpret_cast<T*>(&sum_[0]);
    T* odd = reinterpret_cast<T*>(&sum_[1]);
    if constexpr (std::is_same_v<T, double>) {
        V all[numbers];
        for (int k = 0; k < numbers; ++k) all[k] = given[k];
        for (int l = group.n_limbs; l < LimbGroup::kMost; ++l) {
            for (V& number : all) set_lane(number, l, 0.0);
        }
        sum_lanes(all, numbers, even);
    } else {
        T* own = limb % 2 == 0 ? even : odd;
        for (int k = 0; k < numbers; ++k) own[k] = limb < 2 ? given[k] : own[k] + given[k];
        if (limb + 1 < group.n_limbs) return;
        const T none(0.0);
        for (int k = 0; k < numbers; ++k) {
            const T first = limb < 2 ? even[k] + none : even[k];
            const T other = limb < 1 ? none + none : limb < 3 ? odd[k] + none : odd[k];
            even[k] = first + other;
        }
    }
    ArticulatedBody<T>& body = passes_.body[group.trunk + 1];
    body.I = body.I + sum_[0].I, body.p = body.p + sum_[0].p;
}

// limbs: what the trunk feels of them, and what they need to follow it
template <class T>
template <bool moving, bool turns>
TARSUS_APART void HeldLimbs<T>::answer(const LimbGroup& group, int limb, const T* tau, Kept& kept,
                                       V& regular) {
    const LimbPlace<V> at = place<turns>(group, limb);
    const LimbInverse<V> inverse = invert_limb(at);
    regular = regular * inverse.regular;
    LimbTask<V> task;
    task.want = kept.want;
    if constexpr (moving) {
        joints_outwards([&](auto j) TARSUS_WITHIN {
            task.v[j] = read(v_, group.joint[j].v, limb);
            task.tau[j] = read(tau, group.joint[j].v, limb);
        });
        task.trunk = as_lanes<V>(passes_.body[group.trunk + 1].v);
    }
    const LimbAnswer<V> found = answer_of<C, moving>(group, limb, at, inverse, task);
    kept.p = at.p;
    joints_outwards(
        [&](auto j) TARSUS_WITHIN { kept.row[j] = inverse.row[j], kept.bias[j] = found.bias[j]; });
    feel(group, limb, found);
}

template <class T>
TARSUS_FLATTEN T HeldLimbs<T>::respond(const T* tau, const Vec3<T>& world, T* out) {
    const Tree& trunk = limbs_.trunk;
    for (int i : limbs_.carries) passes_.body[i + 1].I = articulated<T>({0, {0, 0, 0}, {}});
    V regular(1.0);
    each([&](const LimbGroup& group, int limb, Kept& kept) {
        if (tau && group.turns) answer<true, true>(group, limb, tau, kept, regular);
        else if (tau) answer<true, false>(group, limb, tau, kept, regular);
        else if (group.turns) answer<false, true>(group, limb, tau, kept, regular);
        else answer<false, false>(group, limb, tau, kept, regular);
    });
    for (int k = 0; k < trunk.nv; ++k) own_a_[k] = tau ? tau[limbs_.v_of[k]] : T(0.0);
    passes_.inertias(own_a_);
    passes_.accelerations({world, zero_vector<T>()}, own_a_);
    spread(out);
    if constexpr (std::is_same_v<T, double>) {
        double all = 1;
        for (int l = 0; l < LimbGroup::kMost; ++l) all *= lane_of(regular, l);
        return all;
    } else {
        return regular;
    }
}

// what the trunk does, and so its limbs
template <class T>
TARSUS_INLINE void HeldLimbs<T>::spread(T* out) {
    for (int k = 0; k < limbs_.trunk.nv; ++k) out[limbs_.v_of[k]] = own_a_[k];
    each([&](const LimbGroup& group, int limb, Kept& kept) TARSUS_WITHIN {
        const Motion<V> trunk = as_lanes<V>(passes_.body[group.trunk + 1].v);
        const Vec3<V> point = moved_to(kept.p, trunk).linear;
        for (int j = 0; j < n; ++j) {
            const V a = kept.bias[j] - dot(kept.row[j], point);
            if constexpr (std::is_same_v<T, double>) {
                for (int l = 0; l < group.n_limbs; ++l) out[group.joint[j].v[l]] = lane_of(a, l);
            } else {
                out[group.joint[j].v[limb]] = a;
            }
        }
    });
}

template class HeldLimbs<double>;
template class HeldLimbs<Lanes>;

}  // namespace tarsus::TARSUS_ISA
