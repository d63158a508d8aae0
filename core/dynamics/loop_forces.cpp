#include "dynamics/cluster_closure.hpp"
#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
size_t loop_forces_bytes(const Tree& tree) {
    return bytes_of<Force<T>>(tree.n_bodies) + bytes_of<Force<T>>(tree.loops.size()) +
           ClosureWork<T>::bytes(tree) + bytes_of<T>(tree.most_varying.free) +
           bytes_of<T>(tree.most_varying.rows);
}

template <class T>
LoopForces<T> loop_forces(const Tree& tree, const T* table, const T* x, const T* forces,
                          Scratch& scratch) {
    const LoopForces<T> out{scratch.take<Force<T>>(tree.n_bodies),
                            scratch.take<Force<T>>(tree.loops.size())};
    ClosureWork<T> work(tree, scratch);
    T* missing = scratch.take<T>(tree.most_varying.free);
    T* multipliers = scratch.take<T>(tree.most_varying.rows);
    const Force<T> none{zero_vector<T>(), zero_vector<T>()};
    for (int i = 0; i < tree.n_bodies; ++i) out.on_body[i] = none;
    for (size_t l = 0; l < tree.loops.size(); ++l) out.on_frame[l] = none;
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.n_loops == 0) continue;
        const int free = cluster.nv + cluster.n_dependent;
        free_motions(tree, cluster, table, x, work);
        loop_matrices(tree, cluster, x, work);
        factor(dependents(cluster, work));
        for (int d = 0; d < cluster.n_dependent; ++d) {
            missing[d] = T(0.0);
            for (int w = 0; w < cluster.nw; ++w) {
                missing[d] =
                    mul_add(work.E[w * free + cluster.nv + d], forces[cluster.w + w], missing[d]);
            }
        }
        solve_transposed(dependents(cluster, work), missing, multipliers);
        const Pose<T> fixed{identity_matrix<T>(), zero_vector<T>()};
        const auto pose_of = [&](int body) -> const Pose<T>& {
            return body == cluster.parent ? fixed : work.pose[body - cluster.body];
        };
        const auto seen_in = [](const Pose<T>& pose, const Force<T>& f, const Vec3<T>& point) {
            const Vec3<T> moment = cross_add(point - pose.position, f.linear, f.angular);
            return Force<T>{transposed_times(pose.rotation, f.linear),
                            transposed_times(pose.rotation, moment)};
        };
        LoopAt<T> at;
        for (int k = 0; k < cluster.n_loops; ++k) {
            const int index = tree.cluster_loops[cluster.loop + k];
            const Loop& loop = tree.loops[index];
            loop_at(tree, loop, pose_of(loop.a.body), pose_of(loop.b.body), at);
            Force<T> sum = none;
            for (int r = 0; r < loop.n_rows; ++r) {
                const T& multiplier = multipliers[loop.first_row + r];
                sum = {mul_add(at.row[r].linear, multiplier, sum.linear),
                       mul_add(at.row[r].angular, multiplier, sum.angular)};
            }
            out.on_frame[index] = seen_in(frame_on(loop.b, pose_of(loop.b.body)), sum, at.point);
            if (loop.b.body >= 0) {
                Force<T>& f = out.on_body[loop.b.body];
                f = f + seen_in(pose_of(loop.b.body), sum, at.point);
            }
            if (loop.a.body >= 0) {
                Force<T>& f = out.on_body[loop.a.body];
                f = f - seen_in(pose_of(loop.a.body), sum, at.point);
            }
        }
    }
    return out;
}

#define TARSUS_LOOP_FORCES(T)                          \
    template size_t loop_forces_bytes<T>(const Tree&); \
    template LoopForces<T> loop_forces(const Tree&, const T*, const T*, const T*, Scratch&);
TARSUS_LOOP_FORCES(double)
TARSUS_LOOP_FORCES(Lanes)

}  // namespace tarsus::TARSUS_ISA
