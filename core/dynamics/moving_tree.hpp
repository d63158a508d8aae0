// The mechanism in motion, in world axes about one point, with a column of motion for each of the
// users' velocities.
//
// The point is where the root body's origin is at the moment; it does not move. Seen from one point
// the bodies' motions, forces and inertias simply add up, so that walking down a branch costs
// nothing but the products themselves. Taking the root's origin instead of the world's keeps the
// precision of robots that are far away.
//
// In a coupled cluster each body has columns of its own, one for each of the cluster's velocities:
// S_b = Σ G S over the joints between the cluster's parent and the body b.
#pragma once

#include "dynamics/spanning.hpp"
#include "joints/subspace_rate.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct MovingBody {
    Mat3<T> axes;
    Vec3<T> p;    // its origin, from the common point
    Motion<T> v;  // not set without velocities
};

template <class T>
struct MovingTree {
    MovingBody<T>* body;    // the world first
    Motion<T>*S, *dS;       // columns (see Step) and their rates; before them those of all joints
    JointState<T> joints;   // without accelerations
    const Dual<T>* matrix;  // with their rates, the matrices of coupled clusters
    const Angle<T>* angles;
    Vec3<T>* point;  // for each body the common point, in the world; null without constraints
};

template <class T>
TARSUS_INLINE size_t moving_tree_bytes(const Tree& tree) {
    return (tree.coupled ? moving_bytes<T>(tree) : 0) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<MovingBody<T>>(tree.n_bodies + 1) + 2 * bytes_of<Motion<T>>(tree.n_columns) +
           (tree.n_constraints > 0 ? bytes_of<Vec3<T>>(tree.n_bodies + 1) : 0);
}

// a motion or force in a body's own axes at its origin, in world axes about the common point
template <class T>
TARSUS_INLINE Motion<T> about_point(const MovingBody<T>& body, const Motion<T>& m) {
    const Vec3<T> turning = body.axes * m.angular;
    return {cross_add(body.p, turning, body.axes * m.linear), turning};
}
template <class T>
TARSUS_INLINE Force<T> about_point(const MovingBody<T>& body, const Force<T>& f) {
    const Vec3<T> force = body.axes * f.linear;
    return {force, cross_add(body.p, force, body.axes * f.angular)};
}
template <class T>
TARSUS_INLINE Inertia<T> inertia_about_point(const MovingBody<T>& body, const Link& link) {
    return shift(rotate(body.axes, inertia_of(link)), body.p);
}

// the columns of a coupled cluster's bodies: sums over the joints below each
template <class T>
TARSUS_APART void couple_columns(const Tree& tree, const Cluster& cluster,
                                 const MovingTree<T>& moving) {
    const int nv = cluster.nv;
    const bool moves = moving.joints.v != nullptr;
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const int to = tree.steps[i].column;
        const int from = link.parent == cluster.parent ? -1 : tree.steps[link.parent].column;
        for (int e = 0; e < nv; ++e) {
            Motion<T> S = from < 0 ? zero_motion<T>() : moving.S[from + e];
            Motion<T> dS = from < 0 || !moves ? zero_motion<T>() : moving.dS[from + e];
            for (int k = link.v; k < link.v + link.nv; ++k) {
                const int entry = cluster.matrix + (k - cluster.w) * nv + e;
                S = mul_add(moving.S[k], moving.joints.G[entry], S);
                if (!moves) continue;
                dS = mul_add(moving.dS[k], moving.joints.G[entry], dS);
                dS = mul_add(moving.S[k], moving.matrix[entry].rate, dS);
            }
            moving.S[to + e] = S;
            if (moves) moving.dS[to + e] = dS;
        }
    }
}

// v may be null: then there are no velocities and no rates
template <class T>
TARSUS_INLINE MovingTree<T> move(const Tree& tree, const Arguments<T>& arguments, const T* v) {
    Scratch& scratch = arguments.scratch;
    MovingTree<T> moving{};
    moving.joints = {arguments.in[0], v, nullptr, nullptr};
    if (tree.coupled && v) {
        moving.matrix =
            move_coupled(tree, arguments.in[kTable], arguments.in[0], v, scratch, moving.joints).G;
    } else if (tree.coupled) {
        moving.joints = span<T>(tree, arguments, nullptr, nullptr);
    }
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    moving.angles = angles;
    moving.body = scratch.take<MovingBody<T>>(tree.n_bodies + 1);
    moving.S = scratch.take<Motion<T>>(tree.n_columns);
    moving.dS = scratch.take<Motion<T>>(tree.n_columns);
    if (tree.n_constraints > 0) moving.point = scratch.take<Vec3<T>>(tree.n_bodies + 1);
    if (moving.point) moving.point[0] = zero_vector<T>();
    const T *q = moving.joints.q, *w = moving.joints.v;
    read_angles(tree, q, angles);
    moving.body[0] = {identity_matrix<T>(), zero_vector<T>(), zero_motion<T>()};
    Vec3<T> point = zero_vector<T>();
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const auto X = Joint::transform(at);
            const MovingBody<T>& parent = moving.body[link.parent + 1];
            MovingBody<T>& me = moving.body[i + 1];
            me.axes = X.axes_from(parent.axes);
            const Vec3<T> r = parent.axes * X.p;
            if (link.parent >= 0) {
                me.p = parent.p + r;
            } else {
                if (tree.clusters[tree.cluster_of[i]].body == i) point = r;
                me.p = r - point;
            }
            if (moving.point)
                moving.point[i + 1] = link.parent < 0 ? point : moving.point[link.parent + 1];
            Motion<T>*S = moving.S + link.v, *dS = moving.dS + link.v;
            Joint::subspace(at).columns_in(me.axes, S);
            for (int k = 0; k < Joint::nv; ++k) {
                S[k].linear = cross_add(me.p, S[k].angular, S[k].linear);
            }
            if (!w) return;
            me.v = parent.v;
            for (int k = 0; k < Joint::nv; ++k) me.v = mul_add(S[k], w[link.v + k], me.v);
            for (int k = 0; k < Joint::nv; ++k) dS[k] = cross(me.v, S[k]);
            if constexpr (!Joint::kConstantSubspace) {
                Motion<T> rate[Joint::nv];
                subspace_rate<Joint>(at, w + link.v, rate);
                for (int k = 0; k < Joint::nv; ++k) dS[k] = dS[k] + about_point(me, rate[k]);
            }
        });
    }
    for (const Cluster& cluster : tree.clusters) {
        if (cluster.coupled) couple_columns(tree, cluster, moving);
    }
    return moving;
}

}  // namespace tarsus::TARSUS_ISA
