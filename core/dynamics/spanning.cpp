#include "dynamics/spanning.hpp"

#include <algorithm>

#include "dynamics/cluster_newton.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

template <class T>
void read_positions(const Tree& tree, const T* q, T* x) {
    for (int k = 0; k < tree.nq; ++k) x[tree.position_to[k]] = q[k];
    for (const ConstantFollower& follower : tree.constant_followers) {
        T sum(follower.offset);
        for (int k = follower.term; k < follower.term + follower.n_terms; ++k) {
            sum = mul_add(T(tree.terms[k].ratio), x[tree.terms[k].q], sum);
        }
        x[follower.q] = sum;
    }
}

// w := G v for all but the clusters whose G varies
template <class T>
void spread_constant(const Tree& tree, const T* v, T* w) {
    for (int k = 0; k < tree.nv; ++k) w[tree.velocity_to[k]] = v[k];
    for (const ConstantFollower& follower : tree.constant_followers) {
        T sum(0.0);
        for (int k = follower.term; k < follower.term + follower.n_terms; ++k) {
            sum = mul_add(T(tree.terms[k].ratio), v[tree.terms[k].v], sum);
        }
        w[follower.w] = sum;
    }
}

template <class T>
void read_constant_matrix(const Tree& tree, T* G) {
    for (int k = 0; k < tree.n_matrix; ++k) G[k] = T(tree.constant_matrix[k]);
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
    read_constant_matrix(tree, G);
    if (v) spread_constant(tree, v, w);
    if (a) spread_constant(tree, a, acceleration);
    else if (v) std::fill(acceleration, acceleration + tree.joint_nv, T(0.0));
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        close_cluster(tree, cluster, table, x, work);
        solve_matrix(cluster, work, G + cluster.matrix);
        if (a) spread(cluster, G, a, acceleration);
        if (!v) continue;
        spread(cluster, G, v, w);
        cluster_bias(tree, cluster, table, x, w, work, dual, moving, g);
        for (int k = cluster.w; k < cluster.w + cluster.nw; ++k) {
            acceleration[k] = a ? acceleration[k] + g[k] : g[k];
        }
    }
    return {x, v ? w : nullptr, v || a ? acceleration : nullptr, G};
}

template <class T>
void stated_positions(const Tree& tree, const T* table, const T* q, T* x) {
    read_positions(tree, q, x);
    for (int c : tree.varying) follow_all(tree, tree.clusters[c], table, x);
}

template <class T>
void close_positions(const Tree& tree, const T* table, T* x, Scratch& scratch) {
    ClosureWork<T> work(tree, scratch);
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        if (cluster.n_loops > 0) close_cluster(tree, cluster, table, x, work);
    }
}

template <class T>
size_t moving_bytes(const Tree& tree) {
    return coupled_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<Dual<T>>(tree.joint_nq) + bytes_of<Dual<T>>(tree.n_matrix) +
           ClosureWork<Dual<T>>::bytes(tree);
}

template <class T>
JointState<Dual<T>> move_coupled(const Tree& tree, const T* table, const T* q, const T* v,
                                 Scratch& scratch, JointState<T>& joints) {
    joints = span_coupled<T>(tree, table, q, v, nullptr, scratch);
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
    read_constant_matrix(tree, G);
    for (int c : tree.varying) {
        const Cluster& cluster = tree.clusters[c];
        matrix_at_closed(tree, cluster, table, x, work, G + cluster.matrix);
    }
    return {x, nullptr, nullptr, G};
}

#define TARSUS_SPANNING(T)                                                                         \
    template size_t coupled_bytes<T>(const Tree&);                                                 \
    template JointState<T> span_coupled(const Tree&, const T*, const T*, const T*, const T*,       \
                                        Scratch&);                                                 \
    template size_t moving_bytes<T>(const Tree&);                                                  \
    template void stated_positions(const Tree&, const T*, const T*, T*);                           \
    template void close_positions(const Tree&, const T*, T*, Scratch&);                            \
    template JointState<Dual<T>> move_coupled(const Tree&, const T*, const T*, const T*, Scratch&, \
                                              JointState<T>&);
TARSUS_SPANNING(double)
TARSUS_SPANNING(Lanes)

}  // namespace tarsus::TARSUS_ISA
