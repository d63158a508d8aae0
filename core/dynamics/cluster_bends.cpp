#include "dynamics/cluster_bends.hpp"

#include <algorithm>

#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// room for one cluster, as it moves along one of its velocities
template <class T>
struct DirectedCluster {
    using D = Dual<T>;
    ClosureWork<D> closure;
    ClosureWork<Dual<D>> closure_moving;
    D *x, *w, *a, *g, *G;
    Dual<D>* x_moving;
    Pose<D>* pose;  // of the members, in the parent's frame
    Motion<D>*column, *velocity, *acceleration;

    static int bodies(const Tree& tree) { return std::max(1, tree.most.bodies); }
    static int velocities(const Tree& tree) { return std::max(most_velocities(tree), tree.most.w); }
    DirectedCluster(const Tree& tree, Scratch& scratch)
        : closure(tree, scratch),
          closure_moving(tree, scratch),
          x(scratch.take<D>(tree.joint_nq)),
          w(scratch.take<D>(tree.joint_nv)),
          a(scratch.take<D>(tree.joint_nv)),
          g(scratch.take<D>(tree.joint_nv)),
          G(scratch.take<D>(size_t(velocities(tree)) * velocities(tree))),
          x_moving(scratch.take<Dual<D>>(tree.joint_nq)),
          pose(scratch.take<Pose<D>>(bodies(tree))),
          column(scratch.take<Motion<D>>(size_t(bodies(tree)) * velocities(tree))),
          velocity(scratch.take<Motion<D>>(bodies(tree))),
          acceleration(scratch.take<Motion<D>>(bodies(tree))) {}

    static size_t bytes(const Tree& tree) {
        const size_t nb = bodies(tree), nv = velocities(tree);
        return ClosureWork<D>::bytes(tree) + ClosureWork<Dual<D>>::bytes(tree) +
               bytes_of<D>(tree.joint_nq) + 3 * bytes_of<D>(tree.joint_nv) + bytes_of<D>(nv * nv) +
               bytes_of<Dual<D>>(tree.joint_nq) + bytes_of<Pose<D>>(nb) +
               bytes_of<Motion<D>>(nb * nv) + 2 * bytes_of<Motion<D>>(nb);
    }
};

// positions of the members as dual numbers that move with own velocity `along`
template <class T>
void move_along(const Tree& tree, const Cluster& cluster, const MovingTree<T>& moving, int along,
                Dual<T>* x) {
    T rate[kMostPositions], velocity[kMostVelocities];
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        for (int k = 0; k < link.nv; ++k) {
            const int row = link.v + k - cluster.w;
            velocity[k] = cluster.coupled
                              ? moving.joints.G[cluster.matrix + row * cluster.nv + along]
                              : T(row == along ? 1.0 : 0.0);
        }
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            Joint::rate(state_at(link, moving.joints.q, moving.angles), velocity, rate);
            for (int k = 0; k < Joint::nq; ++k) {
                x[link.q + k] = {moving.joints.q[link.q + k], rate[k]};
            }
        });
    }
}

template <class T>
void close_along(const Tree& tree, const Cluster& cluster, const T* table,
                 const MovingTree<T>& moving, DirectedCluster<T>& at) {
    using D = Dual<T>;
    const int count = cluster.nw * cluster.nv;
    if (!cluster.coupled) {
        for (int k = 0; k < count; ++k) at.G[k] = D(k % (cluster.nv + 1) == 0 ? 1.0 : 0.0);
    } else if (cluster.constant) {
        for (int k = 0; k < count; ++k) at.G[k] = {moving.joints.G[cluster.matrix + k], T(0.0)};
    } else {
        matrix_at_closed(tree, cluster, table, at.x, at.closure, at.G);
    }
}

// velocities and accelerations of the members' joints
template <class T>
void spread_along(const Tree& tree, const Cluster& cluster, const T* table,
                  const UsersMotion<T>& motion, DirectedCluster<T>& at) {
    using D = Dual<T>;
    const auto times = [&](int w, const T* users) {
        D sum(0.0);
        for (int e = 0; e < cluster.nv; ++e) {
            const D& entry = at.G[w * cluster.nv + e];
            const T& number = users[cluster.v + e];
            sum = {mul_add(entry.value, number, sum.value), mul_add(entry.rate, number, sum.rate)};
        }
        return sum;
    };
    for (int w = 0; w < cluster.nw; ++w) {
        at.w[cluster.w + w] = times(w, motion.v);
        at.a[cluster.w + w] = times(w, motion.a);
    }
    if (!cluster.coupled || cluster.constant) return;
    cluster_bias(tree, cluster, table, at.x, at.w, at.closure, at.closure_moving, at.x_moving,
                 at.g);
    for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) at.a[w] = at.a[w] + at.g[w];
}

// columns, and velocities and accelerations, of the members outwards, in the parent's frame
template <class T>
void move_members(const Tree& tree, const Cluster& cluster, bool moves, DirectedCluster<T>& at) {
    using D = Dual<T>;
    const Pose<D> fixed{identity_matrix<D>(), zero_vector<D>()};
    const int nv = cluster.nv;
    Angle<D> angle[kMostAngles];
    for (int m = 0; m < cluster.n_bodies; ++m) {
        const Link& link = tree.links[cluster.body + m];
        const int from = link.parent == cluster.parent ? -1 : link.parent - cluster.body;
        for (int k = 0; k < link.angles; ++k) {
            angle[k] = sincos_of(at.x[tree.angle_coordinate[link.angle + k]]);
        }
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<D> here{link, at.x + link.q, angle};
            Pose<D>& pose = at.pose[m];
            pose = Joint::transform(here).pose_from(from < 0 ? fixed : at.pose[from]);
            const auto seen = [&](const Motion<D>& in_child) -> Motion<D> {
                const Vec3<D> turning = pose.rotation * in_child.angular;
                return {cross_add(pose.position, turning, pose.rotation * in_child.linear),
                        turning};
            };
            Motion<D> S[Joint::nv];
            Joint::subspace(here).columns_in(identity_matrix<D>(), S);
            for (int k = 0; k < Joint::nv; ++k) S[k] = seen(S[k]);
            for (int e = 0; e < nv; ++e) {
                Motion<D> sum = from < 0 ? zero_motion<D>() : at.column[from * nv + e];
                for (int k = 0; k < Joint::nv; ++k) {
                    sum = mul_add(S[k], at.G[(link.v + k - cluster.w) * nv + e], sum);
                }
                at.column[m * nv + e] = sum;
            }
            if (!moves) return;
            Motion<D> own = zero_motion<D>();
            Motion<D> acceleration = from < 0 ? zero_motion<D>() : at.acceleration[from];
            for (int k = 0; k < Joint::nv; ++k) {
                own = mul_add(S[k], at.w[link.v + k], own);
                acceleration = mul_add(S[k], at.a[link.v + k], acceleration);
            }
            const Motion<D> velocity = from < 0 ? own : at.velocity[from] + own;
            acceleration = acceleration + cross(velocity, own);
            if constexpr (!Joint::kConstantSubspace) {
                acceleration = acceleration + seen(Joint::bias(here, at.w + link.v));
            }
            at.velocity[m] = velocity, at.acceleration[m] = acceleration;
        });
    }
}

// Σ G_we armature ẇ_w is the force of armatures on own velocity e: how it changes along g, and with
// the velocity g, for which ẇ changes by Ġ_g and by the rate of w along g
template <class T>
void bend_armatures(const Tree& tree, const Cluster& cluster, int g, const MovingTree<T>& moving,
                    const DirectedCluster<T>& at, T* by_q, T* by_v) {
    const int nv = cluster.nv;
    for (int e = 0; e < nv; ++e) {
        T q(0.0), v(0.0);
        for (int w = 0; cluster.coupled && w < cluster.nw; ++w) {
            const Dual<T>&entry = at.G[w * nv + e], &a = at.a[cluster.w + w];
            const T armature(tree.armature[cluster.w + w]);
            const T rate = moving.matrix[cluster.matrix + w * nv + g].rate;
            q = mul_add(mul_add(entry.value, a.rate, entry.rate * a.value), armature, q);
            v = mul_add(entry.value * armature, rate + at.w[cluster.w + w].rate, v);
        }
        by_q[g * nv + e] = q, by_v[g * nv + e] = v;
    }
}

}  // namespace

template <class T>
size_t bend_bytes(const Tree& tree, bool moves) {
    if (tree.bending.empty()) return 0;
    return bytes_of<Motion<T>>(tree.n_bends) + DirectedCluster<T>::bytes(tree) +
           bytes_of<T>(tree.n_matrix_rates) +
           (moves ? 2 * bytes_of<Motion<T>>(tree.n_columns) + 2 * bytes_of<T>(tree.n_bends) : 0);
}

template <class T>
ClusterBends<T> bend_clusters(const Tree& tree, const T* table, const MovingTree<T>& moving,
                              const UsersMotion<T>& motion, Scratch& scratch) {
    ClusterBends<T> bends{};
    if (tree.bending.empty()) return bends;
    const bool moves = motion.v != nullptr;
    bends.bend = scratch.take<Motion<T>>(tree.n_bends);
    bends.matrix = scratch.take<T>(tree.n_matrix_rates);
    if (moves) {
        bends.velocity = scratch.take<Motion<T>>(tree.n_columns);
        bends.acceleration = scratch.take<Motion<T>>(tree.n_columns);
        bends.armature_q = scratch.take<T>(tree.n_bends);
        bends.armature_v = scratch.take<T>(tree.n_bends);
    }
    DirectedCluster<T> at(tree, scratch);
    for (int c : tree.bending) {
        const Cluster& cluster = tree.clusters[c];
        const MovingBody<T>& parent = moving.body[cluster.parent + 1];
        // the world's axes are about the common point already, but for its place
        Vec3<T> point = parent.p;
        for (int g = 0; g < cluster.nv; ++g) {
            move_along(tree, cluster, moving, g, at.x);
            close_along(tree, cluster, table, moving, at);
            if (moves) spread_along(tree, cluster, table, motion, at);
            move_members(tree, cluster, moves, at);
            if (cluster.parent < 0)
                point = moving.body[cluster.body + 1].p - values_of(at.pose[0].position);
            const MovingBody<T> seen{parent.axes, point, zero_motion<T>()};
            for (int m = 0; m < cluster.n_bodies; ++m) {
                const Step& step = tree.steps[cluster.body + m];
                for (int f = 0; f < cluster.nv; ++f) {
                    bends.bend[step.bend + g * cluster.nv + f] =
                        about_point(seen, rates_of(at.column[m * cluster.nv + f]));
                }
                if (!moves) continue;
                bends.velocity[step.column + g] = about_point(seen, rates_of(at.velocity[m]));
                bends.acceleration[step.column + g] =
                    about_point(seen, rates_of(at.acceleration[m]));
            }
            const int count = cluster.nw * cluster.nv;
            for (int k = 0; cluster.coupled && k < count; ++k) {
                bends.matrix[cluster.matrix_rates + g * count + k] = at.G[k].rate;
            }
            const int bend = tree.steps[cluster.body].bend;
            if (moves) {
                bend_armatures(tree, cluster, g, moving, at, bends.armature_q + bend,
                               bends.armature_v + bend);
            }
        }
    }
    return bends;
}

#define TARSUS_BENDS(T)                                                                 \
    template size_t bend_bytes<T>(const Tree&, bool);                                   \
    template ClusterBends<T> bend_clusters(const Tree&, const T*, const MovingTree<T>&, \
                                           const UsersMotion<T>&, Scratch&);
TARSUS_BENDS(double)
TARSUS_BENDS(Lanes)

}  // namespace tarsus::TARSUS_ISA
