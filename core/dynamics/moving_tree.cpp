#include "dynamics/moving_tree.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

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

}  // namespace

template <class T>
TARSUS_APART MovingTree<T> move(const Tree& tree, const Arguments<T>& arguments, const T* v) {
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

template MovingTree<double> move(const Tree&, const Arguments<double>&, const double*);
template MovingTree<Lanes> move(const Tree&, const Arguments<Lanes>&, const Lanes*);

}  // namespace tarsus::TARSUS_ISA
