// Loops outside the clusters in the articulated-body algorithm.
//
// The rows of a loop are test forces on its two bodies. Walked inwards past each cluster they leave
// a share s there, and J H⁻¹ Jᵀ = Σ sᵀ D⁻¹ s over all clusters (Featherstone 2008, section 8.4, by
// the factors that the recursion has made anyway; after Schröder 1990 and Lathrop 1984). The
// multipliers then change only what the last pass reads.
#pragma once

#include "dynamics/articulated_cluster.hpp"
#include "dynamics/multipliers.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class ArticulatedConstraints {
   public:
    ArticulatedConstraints(const Tree& tree, const JointState<T>& joints, const Angle<T>* angles,
                           ArticulatedBody<T>* body, ArticulatedDof<T>* dof,
                           const ArticulatedCluster<T>& clusters, Scratch& scratch)
        : tree_(tree),
          joints_(joints),
          angles_(angles),
          body_(body),
          dof_(dof),
          clusters_(clusters),
          pose_(scratch.take<Pose<T>>(tree.n_constraints ? tree.n_bodies + 1 : 0)),
          velocity_(scratch.take<Motion<T>>(2 * tree.n_constraints)),
          share_(scratch.take<T>(size_t(tree.n_constraint_rows) * tree.joint_nv)),
          scaled_(scratch.take<T>(tree.most.free + 6)),
          work_(tree, scratch) {}

    static size_t bytes(const Tree& tree) {
        return bytes_of<Pose<T>>(tree.n_constraints ? tree.n_bodies + 1 : 0) +
               bytes_of<Motion<T>>(2 * tree.n_constraints) +
               bytes_of<T>(size_t(tree.n_constraint_rows) * tree.joint_nv) +
               bytes_of<T>(tree.most.free + 6) + multiplier_bytes<T>(tree);
    }

    // before the last pass overwrites velocities by accelerations
    TARSUS_APART void keep_velocities() {
        if (tree_.n_constraints == 0) return;
        int k = 0;
        for_each_constraint(tree_, [&](const Loop& loop, int) {
            velocity_[k++] = velocity_of(loop.a.body);
            velocity_[k++] = velocity_of(loop.b.body);
        });
    }

    // after a last pass without multipliers: changes u of all coordinates for the final one
    TARSUS_APART void apply() {
        place_bodies();
        const int n = tree_.n_constraint_rows;
        for (long k = 0; k < long(n) * tree_.joint_nv; ++k) share_[k] = T(0.0);
        int k = 0;
        for_each_constraint(tree_, [&](const Loop& loop, int first) {
            const BodyMotion<T> a = motion_of(loop.a.body, velocity_[k++]);
            const BodyMotion<T> b = motion_of(loop.b.body, velocity_[k++]);
            loop_accelerations(tree_, loop, a, b, work_.rate + first);
            walk(loop, first);
        });
        sum_operator();
        work_.factor();
        work_.solve();
        for (const Cluster& cluster : tree_.clusters) {
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                for (int r = 0; r < n; ++r) {
                    dof_[e].u = mul_add(share_[r * tree_.joint_nv + e], work_.rate[r], dof_[e].u);
                }
            }
        }
    }

   private:
    // row forces on one body, in its frame
    struct RowForces {
        Force<T> f[kMostLoopRows];
    };

    Motion<T> velocity_of(int body) const {
        return body < 0 ? zero_motion<T>() : body_[body + 1].v;
    }
    BodyMotion<T> motion_of(int body, const Motion<T>& v) const {
        return body_motion(pose_[body + 1], v, body_[body + 1].v);
    }

    void place_bodies() {
        pose_[0] = {identity_matrix<T>(), zero_vector<T>()};
        for (int i = 0; i < tree_.n_bodies; ++i) {
            const Link& link = tree_.links[i];
            if (link.spinning) continue;
            visit(link.kind, [&](auto joint) {
                const auto X = decltype(joint)::transform(state_at(link, joints_.q, angles_));
                pose_[i + 1] = X.pose_from(pose_[link.parent + 1]);
            });
        }
    }

    // the rows of a loop as forces on a body, in its frame at its origin
    RowForces on_body(const LoopAt<T>& at, int rows, int body, double sign) const {
        const Pose<T>& pose = pose_[body + 1];
        RowForces forces;
        for (int r = 0; r < rows; ++r) {
            const Vec3<T> moment =
                cross_add(at.point - pose.position, at.row[r].linear, at.row[r].angular);
            forces.f[r] = {transposed_times(pose.rotation, at.row[r].linear) * T(sign),
                           transposed_times(pose.rotation, moment) * T(sign)};
        }
        return forces;
    }

    // from the two bodies of a loop to the world, the outer cluster first
    void walk(const Loop& loop, int first) {
        LoopAt<T> at;
        loop_at(tree_, loop, pose_[loop.a.body + 1], pose_[loop.b.body + 1], at);
        int body[2] = {loop.a.body, loop.b.body};
        RowForces forces[2];
        if (body[0] >= 0) forces[0] = on_body(at, loop.n_rows, body[0], -1.0);
        if (body[1] >= 0) forces[1] = on_body(at, loop.n_rows, body[1], 1.0);
        while (body[0] >= 0 || body[1] >= 0) {
            const int outer = body[0] > body[1] ? 0 : 1, inner = 1 - outer;
            if (body[0] == body[1]) {
                add(forces[outer], forces[inner], loop.n_rows);
                body[inner] = -1;
            }
            const Cluster& cluster = tree_.clusters[tree_.cluster_of[body[outer]]];
            if (!cluster.coupled || cluster.geared) {
                pass_joint(cluster, loop.n_rows, first, body[outer], forces[outer]);
                body[outer] = cluster.parent;
                continue;
            }
            pass_members(cluster, loop.n_rows, first, body[outer], forces[outer]);
            if (body[inner] >= cluster.body) {  // in the same cluster, which yields once
                pass_members(cluster, loop.n_rows, first, body[inner], forces[inner]);
                add(forces[outer], forces[inner], loop.n_rows);
                body[inner] = -1;
            }
            yield(cluster, loop.n_rows, first, forces[outer]);
            body[outer] = cluster.parent;
        }
    }
    static void add(RowForces& to, const RowForces& from, int rows) {
        for (int r = 0; r < rows; ++r) to.f[r] = to.f[r] + from.f[r];
    }

    T& share(int row, int w) { return share_[long(row) * tree_.joint_nv + w]; }

    // past a joint: s = Sᵀ f, and the parent feels f − U D⁻¹ s
    void pass_joint(const Cluster& cluster, int rows, int first, int body, RowForces& forces) {
        const Link& link = tree_.links[body];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, joints_.q, angles_);
            const auto X = Joint::transform(at);
            const ArticulatedDof<T>* dof = dof_ + cluster.w;
            for (int r = 0; r < rows; ++r) {
                T s[Joint::nv];
                Joint::subspace(at).project(forces.f[r], s);
                Force<T> felt = forces.f[r];
                for (int k = 0; k < Joint::nv; ++k) {
                    share(first + r, cluster.w + k) = s[k];
                    T push(0.0);
                    for (int l = 0; l < Joint::nv; ++l)
                        push = mul_add(dof[k].inverse[l], s[l], push);
                    felt = add_scaled(dof[k].U, -push, felt);
                }
                if (link.parent >= 0) forces.f[r] = X.to_parent(felt);
            }
        });
    }

    void pass_members(const Cluster& cluster, int rows, int first, int body, RowForces& forces) {
        for (; body != cluster.parent; body = tree_.links[body].parent) {
            pass_member(cluster, rows, first, body, forces);
        }
    }
    // past a member of a coupled cluster: it leaves its share to the cluster's own coordinates
    void pass_member(const Cluster& cluster, int rows, int first, int body, RowForces& forces) {
        const Link& link = tree_.links[body];
        const T* G = joints_.G + cluster.matrix + (link.v - cluster.w) * cluster.nv;
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, joints_.q, angles_);
            const auto X = Joint::transform(at);
            for (int r = 0; r < rows; ++r) {
                T s[Joint::nv];
                Joint::subspace(at).project(forces.f[r], s);
                for (int k = 0; k < Joint::nv; ++k) {
                    for (int e = 0; e < cluster.nv; ++e) {
                        T& sum = share(first + r, cluster.w + e);
                        sum = mul_add(G[k * cluster.nv + e], s[k], sum);
                    }
                }
                forces.f[r] = X.to_parent(forces.f[r]);
            }
        });
    }
    void yield(const Cluster& cluster, int rows, int first, RowForces& forces) {
        for (int r = 0; r < rows; ++r) {
            scale(cluster, &share(first + r, cluster.w));
            for (int e = 0; e < cluster.nv; ++e) {
                forces.f[r] = add_scaled(dof_[cluster.w + e].U, -scaled_[e], forces.f[r]);
            }
        }
    }

    // scaled_ := D⁻¹ s
    void scale(const Cluster& cluster, const T* s) {
        const bool members = cluster.coupled && !cluster.geared;
        const T* inverse = members ? clusters_.inverse(cluster) : nullptr;
        for (int e = 0; e < cluster.nv; ++e) {
            T sum(0.0);
            for (int f = 0; f < cluster.nv; ++f) {
                const T& entry =
                    members ? inverse[e * cluster.nv + f] : dof_[cluster.w + e].inverse[f];
                sum = mul_add(entry, s[f], sum);
            }
            scaled_[e] = sum;
        }
    }

    void sum_operator() {
        const int n = tree_.n_constraint_rows;
        for (int k = 0; k < n * n; ++k) work_.operator_matrix[k] = T(0.0);
        for (const Cluster& cluster : tree_.clusters) {
            for (int i = 0; i < n; ++i) {
                scale(cluster, &share(i, cluster.w));
                for (int j = 0; j <= i; ++j) {
                    T& sum = work_.operator_matrix[i * n + j];
                    const T* other = &share(j, cluster.w);
                    for (int e = 0; e < cluster.nv; ++e) sum = mul_add(scaled_[e], other[e], sum);
                }
            }
        }
    }

    const Tree& tree_;
    const JointState<T>& joints_;
    const Angle<T>* angles_;
    ArticulatedBody<T>* body_;
    ArticulatedDof<T>* dof_;
    const ArticulatedCluster<T>& clusters_;
    Pose<T>* pose_;
    Motion<T>* velocity_;
    T *share_, *scaled_;
    MultiplierWork<T> work_;
};

}  // namespace tarsus::TARSUS_ISA
