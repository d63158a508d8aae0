// The centroidal momentum matrix A(q): momentum about the centre of mass = A v (Orin & Goswami
// 2008), its rate, and the Jacobian of the centre of mass that its linear rows contain.
#include "dynamics/composite.hpp"
#include "dynamics/rate.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// store(k, column) receives the momentum of the mechanism for a unit velocity k
template <class T>
TARSUS_INLINE size_t centroidal_bytes(const Tree& tree) {
    return aligned_bytes<T>(tree) + bytes_of<Force<T>>(tree.most.free);
}
template <class T, class Store>
TARSUS_INLINE void centroidal(const Tree& tree, const JointState<T>& joints, Scratch& scratch,
                              Store&& store) {
    const AlignedTree<T> world = align(tree, joints.q, scratch);
    Force<T>* sums = scratch.take<Force<T>>(tree.most.free);
    compose_inertias(tree, world);
    const Vec3<T> center = world.body[0].composite.first * T(1.0 / tree.total_mass);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const AlignedBody<T>& me = world.body[i + 1];
        const Vec3<T> arm = me.pose.position - center;
        const Cluster* cluster = link.own < 0 ? &tree.clusters[tree.cluster_of[i]] : nullptr;
        for (int e = 0; cluster && i == cluster->body && e < cluster->nv; ++e) {
            sums[e] = {zero_vector<T>(), zero_vector<T>()};
        }
        for (int k = 0; k < link.nv; ++k) {
            const Force<T> force = me.composite * world.S[link.v + k];
            const Force<T> F{force.linear, cross_add(arm, force.linear, force.angular)};
            if (!cluster) store(link.own + k, F);
            for (int e = 0; cluster && e < cluster->nv; ++e) {
                const int row = link.v + k - cluster->w;
                const T& ratio = joints.G[cluster->matrix + row * cluster->nv + e];
                sums[e] = {mul_add(F.linear, ratio, sums[e].linear),
                           mul_add(F.angular, ratio, sums[e].angular)};
            }
        }
        const bool last = cluster && i == cluster->body + cluster->n_bodies - 1;
        for (int e = 0; last && e < cluster->nv; ++e) store(cluster->v + e, sums[e]);
    }
}

template <class T>
TARSUS_INLINE void store_column(int n, int k, const T (&rows)[6], T* out) {
    for (int r = 0; r < 6; ++r) out[r * n + k] = rows[r];
}

struct CentroidalMomentumMatrix {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + centroidal_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        centroidal(tree, joints, arguments.scratch, [&](int k, const Force<T>& F) {
            store_column<T>(
                tree.nv, k,
                {F.linear.x, F.linear.y, F.linear.z, F.angular.x, F.angular.y, F.angular.z},
                arguments.out);
        });
    }
};

struct CentroidalMomentumMatrixRate {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_joints_bytes<T>(tree) + centroidal_bytes<Dual<T>>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<Dual<T>> moving = moving_joints(tree, arguments, arguments.in[1]);
        centroidal(tree, moving, arguments.scratch, [&](int k, const Force<Dual<T>>& F) {
            store_column<T>(tree.nv, k,
                            {F.linear.x.rate, F.linear.y.rate, F.linear.z.rate, F.angular.x.rate,
                             F.angular.y.rate, F.angular.z.rate},
                            arguments.out);
        });
    }
};

struct CenterOfMassJacobian {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + centroidal_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T scale(1.0 / tree.total_mass);
        T* out = arguments.out;
        const int n = tree.nv;
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        centroidal(tree, joints, arguments.scratch, [&](int k, const Force<T>& F) {
            out[k] = F.linear.x * scale;
            out[n + k] = F.linear.y * scale;
            out[2 * n + k] = F.linear.z * scale;
        });
    }
};

TARSUS_KERNEL(centroidal_momentum_matrix, CentroidalMomentumMatrix);
TARSUS_KERNEL(centroidal_momentum_matrix_rate, CentroidalMomentumMatrixRate);
TARSUS_KERNEL(center_of_mass_jacobian, CenterOfMassJacobian);

}  // namespace tarsus::TARSUS_ISA
