// Test forces: the operator J H⁻¹ Jᵀ of any rows J, without forming J or H.
//
// A row is a unit force on one or two bodies, or on a joint. Walked inwards past each cluster it
// leaves a share s = Sᵀ f there, and the parent feels f − U D⁻¹ s. Then J H⁻¹ Jᵀ = Σ sᵀ D⁻¹ s over
// the clusters that two rows have in common (Featherstone 2008, section 8.4, by the factors that
// the articulated-body recursion has made anyway; after Lathrop 1984, Schröder 1990 and Ayit 2015,
// section 4.3). Forces along the rows change u = Σ s p, and the recursion's last pass tells what
// they do. Rows that act on the same bodies form a block and are walked together; a block knows
// the clusters on its way.
#pragma once

#include <span>

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
          share_(scratch.take<T>(size_t(room_) * tree_.joint_nv)),
          scaled_(scratch.take<T>(size_t(room_) * tree_.joint_nv)),
          block_(scratch.take<Block>(blocks)),
          way_(scratch.take<int>(size_t(blocks) * tree_.clusters.size())),
          mark_(scratch.take<int>(tree_.clusters.size())) {}

    static size_t bytes(const Tree& tree, int rows, int blocks) {
        return 2 * bytes_of<T>(size_t(rows) * tree.joint_nv) + bytes_of<Block>(blocks) +
               bytes_of<int>(size_t(blocks) * tree.clusters.size()) +
               bytes_of<int>(tree.clusters.size());
    }

    void clear() { n_rows_ = n_blocks_ = 0, members_ = nullptr; }
    int rows() const { return n_rows_; }
    int blocks() const { return n_blocks_; }
    // the clusters that a block passed, outer ones first
    std::span<const int> way(int block) const {
        return {way_ + block_[block].way, size_t(block_[block].clusters)};
    }
    // what rows leave at a joint velocity, s and D⁻¹ s, side by side
    const T* shares(int w) const { return share_ + long(w) * room_; }
    const T* scaled_shares(int w) const { return scaled_ + long(w) * room_; }

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

    // A (rows × rows), both triangles
    TARSUS_APART void sum_operator(T* A) const {
        const int n = n_rows_;
        for (long k = 0; k < long(n) * n; ++k) A[k] = T(0.0);
        for (size_t c = 0; c < tree_.clusters.size(); ++c) mark_[c] = -1;
        for (int a = 0; a < n_blocks_; ++a) {
            for (int c : way(a)) mark_[c] = a;
            for (int b = 0; b <= a; ++b) {
                for (int c : way(b)) {
                    if (mark_[c] == a) add_products(tree_.clusters[c], block_[a], block_[b], A);
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
        for (int k = 0; k < n_blocks_; ++k) {
            for (int c : way(k)) {
                const Cluster& cluster = tree_.clusters[c];
                for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                    const T* share = shares(e);
                    T& u = passes_.dof[e].u;
                    for (int r = block_[k].first; r < block_[k].end; ++r) {
                        u = mul_add(share[r], p[r], u);
                    }
                }
            }
        }
    }

   private:
    // rows first … end − 1, and the clusters on their way
    struct Block {
        int first, end, way, clusters;
    };

    // A of the rows of two blocks: what a cluster on both ways adds
    TARSUS_INLINE void add_products(const Cluster& cluster, const Block& a, const Block& b,
                                    T* A) const {
        for (int r = a.first; r < a.end; ++r) {
            for (int s = b.first; s < std::min(b.end, r + 1); ++s) {
                T& sum = A[long(r) * n_rows_ + s];
                for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                    sum = mul_add(scaled_shares(e)[r], shares(e)[s], sum);
                }
            }
        }
    }

    void begin(int rows) {
        int way = 0;
        if (n_blocks_ > 0) way = block_[n_blocks_ - 1].way + block_[n_blocks_ - 1].clusters;
        block_[n_blocks_++] = {n_rows_, n_rows_ + rows, way, 0};
        first_ = n_rows_, n_rows_ += rows;
    }
    TARSUS_INLINE const Cluster& enter(int body) {
        Block& block = block_[n_blocks_ - 1];
        const int cluster = tree_.cluster_of[body];
        way_[block.way + block.clusters++] = cluster;
        return tree_.clusters[cluster];
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
    const int room_;
    T *share_, *scaled_;  // of each joint velocity, a number for each row
    Block* block_;
    int *way_, *mark_;
    int n_rows_ = 0, first_ = 0, n_blocks_ = 0;
    const Cluster* members_ = nullptr;
    int members_block_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
