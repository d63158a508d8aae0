#include "dynamics/spanning.hpp"

#include <vector>

#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

template <class T>
void read_positions(const Tree& tree, const T* q, T* x) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (tree.user_q[i] < 0) continue;
        const int nq = kKindInfo[int(link.kind)].nq;
        for (int k = 0; k < nq; ++k) x[link.q + k] = q[tree.user_q[i] + k];
    }
}

// w := G v for one cluster
template <class T>
void spread(const Cluster& cluster, const T* G, const T* v, T* w) {
    for (int k = 0; k < cluster.nw; ++k) {
        if (!cluster.coupled) {
            w[cluster.w + k] = v[cluster.v + k];
            continue;
        }
        T sum(0.0);
        for (int e = 0; e < cluster.nv; ++e) {
            sum = mul_add(G[cluster.matrix + k * cluster.nv + e], v[cluster.v + e], sum);
        }
        w[cluster.w + k] = sum;
    }
}

template <class T>
void copy_constant(const Tree& tree, const Cluster& cluster, T* G) {
    const int end = cluster.matrix + cluster.nw * cluster.nv;
    for (int k = cluster.matrix; k < end; ++k) G[k] = T(tree.constant_matrix[k]);
}

}  // namespace

template <class T>
size_t coupled_bytes(const Tree& tree) {
    return bytes_of<T>(tree.joint_nq) + bytes_of<T>(tree.n_matrix) +
           3 * bytes_of<T>(tree.joint_nv) + bytes_of<Dual<T>>(tree.joint_nq) +
           ClosureWork<T>::bytes(tree) + ClosureWork<Dual<T>>::bytes(tree);
}

template <class T>
JointState<T> span_coupled(const Tree& tree, const T* table, const T* q, const T* v, const T* a,
                           Scratch& scratch) {
    T* x = scratch.take<T>(tree.joint_nq);
    T* G = scratch.take<T>(tree.n_matrix);
    T* w = scratch.take<T>(tree.joint_nv);
    T* g = scratch.take<T>(tree.joint_nv);
    T* acceleration = scratch.take<T>(tree.joint_nv);
    Dual<T>* moving = scratch.take<Dual<T>>(tree.joint_nq);
    ClosureWork<T> work(tree, scratch);
    ClosureWork<Dual<T>> dual(tree, scratch);
    read_positions(tree, q, x);
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.constant) {
            follow_all(tree, cluster, table, x);
            copy_constant(tree, cluster, G);
        } else if (cluster.coupled) {
            close_cluster(tree, cluster, table, x, work);
            solve_matrix(cluster, work, G + cluster.matrix);
        }
        if (v) spread(cluster, G, v, w);
        if (a) spread(cluster, G, a, acceleration);
        if (!v) continue;
        const bool varies = cluster.coupled && !cluster.constant;
        if (varies) cluster_bias(tree, cluster, table, x, w, work, dual, moving, g);
        for (int k = cluster.w; k < cluster.w + cluster.nw; ++k) {
            const T bias = varies ? g[k] : T(0.0);
            acceleration[k] = a ? acceleration[k] + bias : bias;
        }
    }
    return {x, v ? w : nullptr, v || a ? acceleration : nullptr, G};
}

template <class T>
void stated_positions(const Tree& tree, const T* table, const T* q, T* x) {
    read_positions(tree, q, x);
    for (const Cluster& cluster : tree.clusters) follow_all(tree, cluster, table, x);
}

template <class T>
void close_positions(const Tree& tree, const T* table, T* x, Scratch& scratch) {
    ClosureWork<T> work(tree, scratch);
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.n_loops > 0) close_cluster(tree, cluster, table, x, work);
    }
}

template <class T>
size_t loop_forces_bytes(const Tree& tree) {
    return bytes_of<Force<T>>(tree.n_bodies) + bytes_of<Force<T>>(tree.loops.size()) +
           ClosureWork<T>::bytes(tree) + bytes_of<T>(tree.most_free) + bytes_of<T>(tree.most_rows);
}

template <class T>
LoopForces<T> loop_forces(const Tree& tree, const T* table, const T* x, const T* forces,
                          Scratch& scratch) {
    const LoopForces<T> out{scratch.take<Force<T>>(tree.n_bodies),
                            scratch.take<Force<T>>(tree.loops.size())};
    ClosureWork<T> work(tree, scratch);
    T* missing = scratch.take<T>(tree.most_free);
    T* multipliers = scratch.take<T>(tree.most_rows);
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

namespace {

// the first coupling or loop without an answer at positions x; loops get closed, G filled
ClosureFault fault_at(const Tree& tree, const double* table, ClosureWork<double>& work, double* x,
                      double* G) {
    using Reason = ClosureFault::Reason;
    for (const Coupling& c : tree.couplings) {
        for (int f = c.follower; f < c.follower + c.n_followers; ++f) {
            const double at = x[tree.links[joint_of(tree, f)].q];
            if (!std::isfinite(at)) return {Reason::coupling, c.index, 0.0};
        }
    }
    for (const Cluster& cluster : tree.clusters) {
        if (!cluster.coupled) continue;
        ClosureFault widest{Reason::open, 0, -1.0};
        if (cluster.n_loops > 0) {
            // the loop that is widest open where Newton's method starts stands for its cluster
            free_motions(tree, cluster, table, x, work);
            loop_matrices(tree, cluster, x, work);
        }
        for (int k = 0; k < cluster.n_loops; ++k) {
            const int index = tree.cluster_loops[cluster.loop + k];
            const Loop& loop = tree.loops[index];
            const double gap = largest_of(work.residual + loop.first_row, loop.n_rows);
            if (gap > widest.gap) widest.index = index, widest.gap = gap;
        }
        close_cluster(tree, cluster, table, x, work);
        solve_matrix(cluster, work, G + cluster.matrix);
        for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
            if (!std::isfinite(x[tree.links[tree.body_of[w]].q])) return widest;
        }
        for (int k = 0; cluster.n_loops > 0 && k < cluster.nw * cluster.nv; ++k) {
            if (!std::isfinite(G[cluster.matrix + k])) return {Reason::singular, widest.index, 0.0};
        }
    }
    return {};
}

}  // namespace

// A cold path: which coupling or loop has no answer at q, or after the step dv from there.
ClosureFault find_closure_fault(const Tree& tree, const double* table, const double* q,
                                const double* dv) {
    if (!tree.coupled) return {};
    const size_t bytes = ClosureWork<double>::bytes(tree) + 2 * bytes_of<double>(tree.joint_nq) +
                         bytes_of<double>(tree.n_matrix) + bytes_of<double>(tree.joint_nv);
    std::vector<std::byte> memory(bytes + kAlign);
    Scratch scratch(memory.data() + (kAlign - uintptr_t(memory.data()) % kAlign) % kAlign);
    ClosureWork<double> work(tree, scratch);
    double* x = scratch.take<double>(tree.joint_nq);
    double* moved = scratch.take<double>(tree.joint_nq);
    double* G = scratch.take<double>(tree.n_matrix);
    double* w = scratch.take<double>(tree.joint_nv);
    stated_positions(tree, table, q, x);
    const ClosureFault here = fault_at(tree, table, work, x, G);
    if (here.reason != ClosureFault::Reason::none || !dv) return here;
    for (const Cluster& cluster : tree.clusters) spread(cluster, G, dv, w);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::integrate(link, x + link.q, w + link.v, moved + link.q);
        });
    }
    return fault_at(tree, table, work, moved, G);
}

template <class T>
size_t moving_bytes(const Tree& tree) {
    return coupled_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<Dual<T>>(tree.joint_nq) + bytes_of<Dual<T>>(tree.n_matrix) +
           ClosureWork<Dual<T>>::bytes(tree);
}

template <class T>
JointState<Dual<T>> move_coupled(const Tree& tree, const T* table, const T* q, const T* v,
                                 Scratch& scratch) {
    const JointState<T> joints = span_coupled<T>(tree, table, q, v, nullptr, scratch);
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    Dual<T>* x = scratch.take<Dual<T>>(tree.joint_nq);
    Dual<T>* G = scratch.take<Dual<T>>(tree.n_matrix);
    ClosureWork<Dual<T>> work(tree, scratch);
    read_angles(tree, joints.q, angles);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            T rate[Joint::nq];
            Joint::rate(state_at(link, joints.q, angles), joints.v + link.v, rate);
            for (int k = 0; k < Joint::nq; ++k) x[link.q + k] = {joints.q[link.q + k], rate[k]};
        });
    }
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.constant) copy_constant(tree, cluster, G);
        else if (cluster.coupled)
            matrix_at_closed(tree, cluster, table, x, work, G + cluster.matrix);
    }
    return {x, nullptr, nullptr, G};
}

#define TARSUS_SPANNING(T)                                                                   \
    template size_t coupled_bytes<T>(const Tree&);                                           \
    template JointState<T> span_coupled(const Tree&, const T*, const T*, const T*, const T*, \
                                        Scratch&);                                           \
    template size_t moving_bytes<T>(const Tree&);                                            \
    template void stated_positions(const Tree&, const T*, const T*, T*);                     \
    template void close_positions(const Tree&, const T*, T*, Scratch&);                      \
    template size_t loop_forces_bytes<T>(const Tree&);                                       \
    template LoopForces<T> loop_forces(const Tree&, const T*, const T*, const T*, Scratch&); \
    template JointState<Dual<T>> move_coupled(const Tree&, const T*, const T*, const T*, Scratch&);
TARSUS_SPANNING(double)
TARSUS_SPANNING(Lanes)

}  // namespace tarsus::TARSUS_ISA
