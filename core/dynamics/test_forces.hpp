// Test forces: the operator J H⁻¹ Jᵀ of any rows J, without forming J or H.
//
// A row is a unit force on one or two bodies, or on a joint. Walked inwards past each cluster it
// leaves a share s = Sᵀ f there, and the parent feels f − U D⁻¹ s. Then J H⁻¹ Jᵀ = Σ sᵀ D⁻¹ s over
// the clusters that two rows have in common (Featherstone 2008, section 8.4, by the factors that
// the articulated-body recursion has made anyway; after Lathrop 1984, Schröder 1990 and Ayit 2015,
// section 4.3). Forces along the rows change u = Σ s p, and the recursion's last pass tells what
// they do. Rows that act on the same bodies form a block and are walked together. Each cluster
// knows which rows passed it, as runs of neighbours: sums go cluster by cluster, along the runs.
#pragma once

#include "dynamics/articulated_passes.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kMostBlockRows = 6;

// a block's forces on one body, in its frame at its origin
template <class T>
struct RowForces {
    Force<T> f[kMostBlockRows];
};

template <class T>
class TestForces {
   public:
    TestForces(const ArticulatedPasses<T>& passes, int rows, int blocks, Scratch& scratch)
        : passes_(passes),
          tree_(passes.tree),
          room_(rows),
          most_runs_(blocks),
          share_(scratch.take<T>(size_t(rows) * tree_.joint_nv)),
          scaled_(scratch.take<T>(size_t(rows) * tree_.joint_nv)),
          run_(scratch.take<Run>(size_t(blocks) * tree_.clusters.size())),
          n_runs_(scratch.take<int>(tree_.clusters.size())) {}

    static size_t bytes(const Tree& tree, int rows, int blocks) {
        return 2 * bytes_of<T>(size_t(rows) * tree.joint_nv) +
               bytes_of<Run>(size_t(blocks) * tree.clusters.size()) +
               bytes_of<int>(tree.clusters.size());
    }

    void clear() {
        n_rows_ = first_ = n_blocks_ = 0;
        for (size_t c = 0; c < tree_.clusters.size(); ++c) n_runs_[c] = 0;
    }
    int rows() const { return n_rows_; }

    // a block of forces on bodies a and b, one of which may be the world (−1)
    TARSUS_INLINE void push_bodies(int rows, int a, RowForces<T>& on_a, int b, RowForces<T>& on_b) {
        begin(rows);
        walk(a, on_a, b, on_b);
    }

    // a block of one force ±1 on the joint velocity w
    TARSUS_APART void push_joint(int w, double sign = 1.0) {
        begin(1);
        const int body = tree_.body_of[w];
        const Cluster& cluster = enter(body);
        for (int e = 0; e < cluster.nv; ++e) {
            const int entry = cluster.matrix + (w - cluster.w) * cluster.nv + e;
            share(0, cluster.w + e) = cluster.coupled ? passes_.joints.G[entry] * T(sign)
                                                      : T(cluster.w + e == w ? sign : 0.0);
        }
        RowForces<T> felt, none;
        felt.f[0] = {zero_vector<T>(), zero_vector<T>()};
        yield(cluster, felt);
        // the force now acts on the cluster's carrier, in the carrier's frame
        const bool members = cluster.coupled && !cluster.geared;
        if (!members && cluster.parent >= 0) {
            const Link& link = tree_.links[cluster.coupled ? cluster.moving : body];
            visit(link.kind, [&](auto joint) {
                felt.f[0] = decltype(joint)::transform(passes_.at(link)).to_parent(felt.f[0]);
            });
        }
        walk(cluster.parent, felt, -1, none);
    }

    // A (rows × rows by rows), both triangles
    TARSUS_APART void sum_operator(T* A) const {
        const int n = n_rows_;
        for (long k = 0; k < long(n) * n; ++k) A[k] = T(0.0);
        for (size_t c = 0; c < tree_.clusters.size(); ++c) {
            const Cluster& cluster = tree_.clusters[c];
            const Run* run = runs_of(c);
            for (int a = 0; a < n_runs_[c]; ++a) {
                for (int r = run[a].first; r < run[a].end; ++r) {
                    for (int b = 0; b <= a; ++b) {
                        const int end = b == a ? r + 1 : run[b].end;
                        add_products(cluster, r, run[b].first, end, A + long(r) * n);
                    }
                }
            }
        }
        for (int r = 0; r < n; ++r) {
            for (int s = 0; s < r; ++s) A[long(s) * n + r] = A[long(r) * n + s];
        }
    }

    // u of all velocities := what the forces p along the rows add
    TARSUS_INLINE void load(const T* p) const {
        for (int w = 0; w < tree_.joint_nv; ++w) passes_.dof[w].u = T(0.0);
        add_load(p);
    }
    TARSUS_INLINE void add_load(const T* p) const {
        for (size_t c = 0; c < tree_.clusters.size(); ++c) {
            const Cluster& cluster = tree_.clusters[c];
            for (const Run* run = runs_of(c); run < runs_of(c) + n_runs_[c]; ++run) {
                for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                    const T* share = share_ + long(e) * room_;
                    T& u = passes_.dof[e].u;
                    for (int r = run->first; r < run->end; ++r) u = mul_add(share[r], p[r], u);
                }
            }
        }
    }

   private:
    // rows first … end − 1 passed a cluster
    struct Run {
        int first, end;
    };
    const Run* runs_of(size_t cluster) const { return run_ + cluster * most_runs_; }

    // A of row r with rows first … end − 1: what a cluster adds
    TARSUS_INLINE void add_products(const Cluster& cluster, int r, int first, int end, T* A) const {
        int s = first;
        if constexpr (std::is_same_v<T, double>) {
            for (; s + kLanes <= end; s += kLanes) {
                Lanes sum = lanes_at(A + s);
                for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                    const long at = long(e) * room_;
                    sum = mul_add(Lanes(scaled_[at + r]), lanes_at(share_ + at + s), sum);
                }
                std::memcpy(A + s, &sum, sizeof sum);
            }
        }
        for (; s < end; ++s) {
            T sum = A[s];
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                const long at = long(e) * room_;
                sum = mul_add(scaled_[at + r], share_[at + s], sum);
            }
            A[s] = sum;
        }
    }

    void begin(int rows) { first_ = n_rows_, n_rows_ += rows, ++n_blocks_; }
    TARSUS_INLINE const Cluster& enter(int body) {
        const int index = tree_.cluster_of[body];
        Run* run = run_ + size_t(index) * most_runs_ + n_runs_[index];
        if (n_runs_[index] > 0 && run[-1].end == first_) {
            run[-1].end = n_rows_;
        } else {
            *run = {first_, n_rows_};
            ++n_runs_[index];
        }
        return tree_.clusters[index];
    }
    // inwards from two bodies, the outer cluster first
    TARSUS_INLINE void walk(int a, RowForces<T>& on_a, int b, RowForces<T>& on_b) {
        const int rows = last_rows();
        int body[2] = {a, b};
        RowForces<T>* forces[2] = {&on_a, &on_b};
        while (body[0] >= 0 || body[1] >= 0) {
            const int outer = body[0] > body[1] ? 0 : 1, inner = 1 - outer;
            if (body[0] == body[1]) {
                add(*forces[outer], *forces[inner], rows);
                body[inner] = -1;
            }
            const Cluster& cluster = enter(body[outer]);
            if (!cluster.coupled || cluster.geared) {
                pass_joint(cluster, body[outer], *forces[outer]);
                body[outer] = cluster.parent;
                continue;
            }
            pass_members(cluster, body[outer], *forces[outer]);
            if (body[inner] >= cluster.body) {  // in the same cluster, which yields once
                pass_members(cluster, body[inner], *forces[inner]);
                add(*forces[outer], *forces[inner], rows);
                body[inner] = -1;
            }
            yield(cluster, *forces[outer]);
            body[outer] = cluster.parent;
        }
    }
    // of the block that is being walked
    int last_rows() const { return n_rows_ - first_; }
    T& share(int r, int w) { return share_[long(w) * room_ + first_ + r]; }
    T& scaled(int r, int w) { return scaled_[long(w) * room_ + first_ + r]; }

    static void add(RowForces<T>& to, const RowForces<T>& from, int rows) {
        for (int r = 0; r < rows; ++r) to.f[r] = to.f[r] + from.f[r];
    }

    // past a joint: s = Sᵀ f, and the parent feels f − U D⁻¹ s
    TARSUS_INLINE void pass_joint(const Cluster& cluster, int body, RowForces<T>& forces) {
        const Link& link = tree_.links[body];
        const int rows = last_rows();
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = passes_.at(link);
            const auto X = Joint::transform(at);
            const ArticulatedDof<T>* dof = passes_.dof + cluster.w;
            for (int r = 0; r < rows; ++r) {
                T s[Joint::nv];
                Joint::subspace(at).project(forces.f[r], s);
                Force<T> felt = forces.f[r];
                for (int k = 0; k < Joint::nv; ++k) {
                    T push = dof[k].inverse[0] * s[0];
                    for (int l = 1; l < Joint::nv; ++l) {
                        push = mul_add(dof[k].inverse[l], s[l], push);
                    }
                    share(r, cluster.w + k) = s[k];
                    scaled(r, cluster.w + k) = push;
                    if (link.parent >= 0) felt = add_scaled(dof[k].U, -push, felt);
                }
                if (link.parent >= 0) forces.f[r] = X.to_parent(felt);
            }
        });
    }

    TARSUS_APART void pass_members(const Cluster& cluster, int body, RowForces<T>& forces) {
        if (!entered(cluster)) {
            for (int r = 0; r < last_rows(); ++r) {
                for (int e = 0; e < cluster.nv; ++e) share(r, cluster.w + e) = T(0.0);
            }
        }
        for (; body != cluster.parent; body = tree_.links[body].parent) {
            pass_member(cluster, body, forces);
        }
    }
    // the second body of a block that meets the first one in a cluster adds to its shares
    bool entered(const Cluster& cluster) {
        const bool before = &cluster == members_ && members_block_ == n_blocks_;
        members_ = &cluster, members_block_ = n_blocks_;
        return before;
    }
    // past a member of a coupled cluster: it leaves its share to the cluster's own coordinates
    void pass_member(const Cluster& cluster, int body, RowForces<T>& forces) {
        const Link& link = tree_.links[body];
        const T* G = passes_.joints.G + cluster.matrix + (link.v - cluster.w) * cluster.nv;
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = passes_.at(link);
            const auto X = Joint::transform(at);
            for (int r = 0; r < last_rows(); ++r) {
                T s[Joint::nv];
                Joint::subspace(at).project(forces.f[r], s);
                for (int k = 0; k < Joint::nv; ++k) {
                    for (int e = 0; e < cluster.nv; ++e) {
                        T& sum = share(r, cluster.w + e);
                        sum = mul_add(G[k * cluster.nv + e], s[k], sum);
                    }
                }
                forces.f[r] = X.to_parent(forces.f[r]);
            }
        });
    }
    // a cluster whose shares are known gives way
    TARSUS_APART void yield(const Cluster& cluster, RowForces<T>& forces) {
        const bool members = cluster.coupled && !cluster.geared;
        const T* inverse = members ? passes_.coupled.inverse(cluster) : nullptr;
        const ArticulatedDof<T>* dof = passes_.dof + cluster.w;
        for (int r = 0; r < last_rows(); ++r) {
            for (int e = 0; e < cluster.nv; ++e) {
                T sum(0.0);
                for (int f = 0; f < cluster.nv; ++f) {
                    const T& entry = members ? inverse[e * cluster.nv + f] : dof[e].inverse[f];
                    sum = mul_add(entry, share(r, cluster.w + f), sum);
                }
                scaled(r, cluster.w + e) = sum;
                forces.f[r] = add_scaled(dof[e].U, -sum, forces.f[r]);
            }
        }
    }

    const ArticulatedPasses<T>& passes_;
    const Tree& tree_;
    const int room_, most_runs_;
    T *share_, *scaled_;  // of each joint velocity, a number for each row
    Run* run_;
    int* n_runs_;
    int n_rows_ = 0, first_ = 0, n_blocks_ = 0;
    const Cluster* members_ = nullptr;
    int members_block_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
