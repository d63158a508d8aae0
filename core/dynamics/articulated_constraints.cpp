#include "dynamics/articulated_constraints.hpp"

namespace tarsus::TARSUS_ISA {

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
    work_.factor();
    work_.solve();
    test_.add_load(work_.rate);
}

#define TARSUS_ARTICULATED_CONSTRAINTS(T)                                             \
    template void place_bodies(const ArticulatedPasses<T>&, Pose<T>*);                \
    template void body_velocities(const ArticulatedPasses<T>&, const T*, Motion<T>*); \
    template void ArticulatedConstraints<T>::keep_velocities();                       \
    template void ArticulatedConstraints<T>::apply();
TARSUS_ARTICULATED_CONSTRAINTS(double)
TARSUS_ARTICULATED_CONSTRAINTS(Lanes)

}  // namespace tarsus::TARSUS_ISA
