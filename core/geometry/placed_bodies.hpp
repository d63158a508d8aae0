// The bodies of one state, where they are and what joint velocities do to them, as the search for
// near pairs takes them. They come out of a lane of a batch, or of one state alone.
#pragma once

#include "dynamics/composite.hpp"
#include "geometry/near_pairs.hpp"

namespace tarsus::TARSUS_ISA {

class PlacedBodies {
   public:
    PlacedBodies(const VolumePairs& pairs, Scratch& scratch)
        : pairs_(pairs), tree_(*pairs.tree), pose(scratch.take<Pose<double>>(tree_.n_bodies + 1)) {
        for (double*& row : columns_.row) {
            row = scratch.take<double>(pairs.columns);
            std::fill_n(row, pairs.columns, 0.0);
        }
        G_ = scratch.take<double>(tree_.n_matrix);
        row_ = scratch.take<double>(pairs.columns);
        near = scratch.take<NearPair>(pairs.pairs.size());
    }
    static size_t bytes(const VolumePairs& pairs) {
        const Tree& tree = *pairs.tree;
        return bytes_of<Pose<double>>(tree.n_bodies + 1) + 7 * bytes_of<double>(pairs.columns) +
               bytes_of<double>(tree.n_matrix) + bytes_of<NearPair>(pairs.pairs.size());
    }

    // one lane; `units` if derivatives will be asked for
    template <class T>
    void set(const AlignedTree<T>& world, const T* G, int lane, bool units) {
        for (int i = 0; i <= tree_.n_bodies; ++i) copy(&world.body[i].pose, lane, 1, pose + i);
        if (!units) return;
        for (int k = 0; k < tree_.joint_nv; ++k) {
            Motion<double> own;
            copy(world.S + k, lane, 1, &own);
            // at the world's origin
            const Vec3<double>& at = pose[tree_.body_of[k] + 1].position;
            own.linear = cross_add(at, own.angular, own.linear);
            columns_.row[0][k] = own.linear.x, columns_.row[1][k] = own.linear.y;
            columns_.row[2][k] = own.linear.z, columns_.row[3][k] = own.angular.x;
            columns_.row[4][k] = own.angular.y, columns_.row[5][k] = own.angular.z;
        }
        if (tree_.coupled) copy(G, lane, tree_.n_matrix, G_);
    }

    // those within the activation distance: how many, or −1
    int find(const Scratch& scratch) { return find_near_pairs(pairs_, pose, near, scratch); }

    // derivatives of a distance by the users' velocities
    void derivatives(const NearPair& of, double* out) const {
        distance_row(pairs_, columns_, of, row_);
        if (tree_.coupled) gather_forces<double>(tree_, G_, row_, out);
        else std::copy_n(row_, tree_.nv, out);
    }

   private:
    // structs of numbers in lanes, and the same of doubles
    template <class Wide, class Narrow>
    static void copy(const Wide* from, int lane, int count, Narrow* to) {
        constexpr size_t numbers = sizeof(Narrow) / sizeof(double);
        constexpr size_t lanes = sizeof(Wide) / sizeof(Narrow);
        const auto* wide = reinterpret_cast<const double*>(from);
        auto* narrow = reinterpret_cast<double*>(to);
        for (size_t k = 0; k < numbers * count; ++k) narrow[k] = wide[lanes * k + lane];
    }

    const VolumePairs& pairs_;
    const Tree& tree_;
    JointColumns columns_;
    double *G_, *row_;

   public:
    Pose<double>* pose;  // of the world and all bodies
    NearPair* near;
};

}  // namespace tarsus::TARSUS_ISA
