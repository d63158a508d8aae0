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
    void push_bodies(int rows, int a, RowForces<T>& on_a, int b, RowForces<T>& on_b);
    // a block of one force ±1 on the joint velocity w
    void push_joint(int w, double sign = 1.0);
    // a block of one force on a sum of joint velocities w times ratios
    void push_joints(std::span<const JointShare> joints);
    // A (rows × rows), both triangles
    void sum_operator(T* A) const;
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
    // of the block that is being walked
    int last_rows() const { return n_rows_ - first_; }
    T& share(int r, int w) { return share_[long(w) * room_ + first_ + r]; }
    T& scaled(int r, int w) { return scaled_[long(w) * room_ + first_ + r]; }

    static void add(RowForces<T>& to, const RowForces<T>& from, int rows) {
        for (int r = 0; r < rows; ++r) to.f[r] = to.f[r] + from.f[r];
    }

    // the second body of a block that meets the first one in a cluster adds to its shares
    bool entered(const Cluster& cluster) {
        const bool before = &cluster == members_ && members_block_ == n_blocks_;
        members_ = &cluster, members_block_ = n_blocks_;
        return before;
    }
    void add_products(const Cluster& cluster, const Block& a, const Block& b, T* A) const;
    void walk(int a, RowForces<T>& on_a, int b, RowForces<T>& on_b);
    void meet(const Cluster& cluster, int body, RowForces<T>& forces);
    void walk_joints(const Cluster& cluster, std::span<const JointShare> joints,
                     RowForces<T>& felt);
    void pass_joint(const Cluster& cluster, int body, RowForces<T>& forces);
    void pass_members(const Cluster& cluster, int body, RowForces<T>& forces);
    void pass_member(const Cluster& cluster, int body, RowForces<T>& forces);
    void yield(const Cluster& cluster, RowForces<T>& forces);

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
