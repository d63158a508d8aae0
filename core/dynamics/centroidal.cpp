// The centroidal momentum matrix A(q): momentum about the centre of mass = A v (Orin & Goswami
// 2008), its rate, and the Jacobian of the centre of mass that its linear rows contain.
#include "dynamics/composite.hpp"
#include "dynamics/rate.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// store(k, column) receives the momentum of the mechanism for a unit velocity k
template <class T, class Store>
TARSUS_INLINE void centroidal(const Tree& tree, const T* q, Scratch& scratch, Store&& store) {
    const AlignedTree<T> world = align(tree, q, scratch);
    compose_inertias(tree, world);
    const Vec3<T> center = world.body[0].composite.first * T(1.0 / tree.total_mass);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        const AlignedBody<T>& me = world.body[i + 1];
        const Vec3<T> arm = me.pose.position - center;
        for (int k = link.v; k < link.v + link.nv; ++k) {
            const Force<T> F = me.composite * world.S[k];
            store(k, Force<T>{F.linear, cross_add(arm, F.linear, F.angular)});
        }
    }
}

template <class T>
TARSUS_INLINE void store_column(int n, int k, const T (&rows)[6], T* out) {
    for (int r = 0; r < 6; ++r) out[r * n + k] = rows[r];
}

struct CentroidalMomentumMatrix {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        centroidal(tree, arguments.in[0], arguments.scratch, [&](int k, const Force<T>& F) {
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
        return moving_configuration_bytes<T>(tree) + aligned_bytes<Dual<T>>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Dual<T>* moving =
            moving_configuration(tree, arguments.in[0], arguments.in[1], arguments.scratch);
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
        return aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T scale(1.0 / tree.total_mass);
        T* out = arguments.out;
        const int n = tree.nv;
        centroidal(tree, arguments.in[0], arguments.scratch, [&](int k, const Force<T>& F) {
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
