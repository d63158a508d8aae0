#include "dynamics/articulated_constraints.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kUnmoved = 1e-12;  // shares beside the largest that are rounding alone

template <class T>
TARSUS_FLATTEN void place_bodies(const ArticulatedPasses<T>& passes, Pose<T>* pose) {
    pose[0] = {identity_matrix<T>(), zero_vector<T>()};
    for (int i = 0; i < passes.tree.n_bodies; ++i) {
        const Link& link = passes.tree.links[i];
        if (link.spinning) continue;
        visit(link.kind, [&](auto joint) {
            const auto X = decltype(joint)::transform(passes.at(link));
            pose[i + 1] = X.pose_from(pose[link.parent + 1]);
        });
    }
}

template <class T>
TARSUS_FLATTEN void body_velocities(const ArticulatedPasses<T>& passes, const T* w,
                                    Motion<T>* out) {
    out[0] = zero_motion<T>();
    for (int i = 0; i < passes.tree.n_bodies; ++i) {
        const Link& link = passes.tree.links[i];
        if (link.spinning) continue;
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = passes.at(link);
            const Motion<T> given = Joint::transform(at).to_child(out[link.parent + 1]);
            out[i + 1] = Joint::subspace(at).add(given, w + link.v);
        });
    }
}

template <class T>
TARSUS_FLATTEN void ArticulatedConstraints<T>::keep_velocities() {
    int k = 0;
    for_each_constraint(tree_, [&](const Loop& loop, int) {
        velocity_[k++] = passes_.body[loop.a.body + 1].v;
        velocity_[k++] = passes_.body[loop.b.body + 1].v;
    });
}

// Rows that only prescribed coordinates move, but for rounding, have no force: the operator would
// ask for one without bounds.
template <class T>
TARSUS_APART void ArticulatedConstraints<T>::leave_out_unmoved(const bool* held) {
    int block = 0;
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        for (int r = first; r < first + loop.n_rows; ++r) {
            T free(0.0), fixed(0.0);
            for (int c : test_.way(block)) {
                const Cluster& cluster = tree_.clusters[c];
                for (int e = 0; e < cluster.nv; ++e) {
                    const T share = absolute(test_.shares(cluster.w + e)[r]);
                    T& largest = held[cluster.v + e] ? fixed : free;
                    largest = select(share > largest, share, largest);
                }
            }
            const auto moved = free > fixed * T(kUnmoved);
            const int n = work_.n;
            for (int s = 0; s < n; ++s) {
                for (T* entry :
                     {work_.operator_matrix + r * n + s, work_.operator_matrix + s * n + r}) {
                    *entry = select(moved, *entry, T(0.0));
                }
            }
            work_.rate[r] = select(moved, work_.rate[r], T(0.0));
        }
        ++block;
    });
}

template <class T>
TARSUS_FLATTEN void ArticulatedConstraints<T>::apply() {
    place_bodies(passes_, pose_);
    test_.clear();
    int k = 0;
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        const BodyMotion<T> a = motion_of(loop.a.body, velocity_[k++]);
        const BodyMotion<T> b = motion_of(loop.b.body, velocity_[k++]);
        loop_accelerations(tree_, loop, a, b, work_.rate + first);
        LoopAt<T> at;
        loop_at(tree_, loop, pose_[loop.a.body + 1], pose_[loop.b.body + 1], at);
        push_loop(test_, loop, pose_, at);
    });
    test_.sum_operator(work_.operator_matrix);
    if (passes_.loads.held) leave_out_unmoved(passes_.loads.held);
    work_.factor();
    work_.solve();
    test_.add_load(work_.rate);
}

template <class T>
TARSUS_FLATTEN T ArticulatedConstraints<T>::torn() {
    T worst(0.0);
    int k = 0;
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        const BodyMotion<T> a = motion_of(loop.a.body, velocity_[k++]);
        const BodyMotion<T> b = motion_of(loop.b.body, velocity_[k++]);
        T* rate = work_.rate + first;
        loop_accelerations(tree_, loop, a, b, rate);
        const T scale = T(1.0) + square_root(dot(a.acceleration, a.acceleration)) +
                        square_root(dot(b.acceleration, b.acceleration));
        for (int r = 0; r < loop.n_rows; ++r) {
            const T& held = work_.operator_matrix[(first + r) * (work_.n + 1)];
            const T share = absolute(rate[r]) / scale;
            const T counted = select(held > T(0.0), share, T(0.0));
            worst = select(counted > worst, counted, worst);
        }
    });
    return worst;
}

#define TARSUS_ARTICULATED_CONSTRAINTS(T)                                             \
    template void place_bodies(const ArticulatedPasses<T>&, Pose<T>*);                \
    template void body_velocities(const ArticulatedPasses<T>&, const T*, Motion<T>*); \
    template void ArticulatedConstraints<T>::keep_velocities();                       \
    template void ArticulatedConstraints<T>::apply();                                 \
    template T ArticulatedConstraints<T>::torn();
TARSUS_ARTICULATED_CONSTRAINTS(double)
TARSUS_ARTICULATED_CONSTRAINTS(Lanes)

}  // namespace tarsus::TARSUS_ISA
