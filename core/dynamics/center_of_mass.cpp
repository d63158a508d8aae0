// The centre of mass of the whole mechanism in the world, and its velocity.
#include "dynamics/momentum.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void store_vector(const Vec3<T>& a, T* out) {
    out[0] = a.x, out[1] = a.y, out[2] = a.z;
}

struct CenterOfMass {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        const AlignedTree<T> world = align(tree, joints.q, arguments.scratch);
        store_vector(first_moment(tree, world) * T(1.0 / tree.total_mass), arguments.out);
    }
};

struct PotentialEnergy {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        const AlignedTree<T> world = align(tree, joints.q, arguments.scratch);
        arguments.out[0] = dot(-vector_at(tree.gravity), first_moment(tree, world));
    }
};

struct CenterOfMassVelocity {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return momentum_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Force<T> momentum = total_momentum(tree, arguments);
        store_vector(momentum.linear * T(1.0 / tree.total_mass), arguments.out);
    }
};

struct CentroidalMomentum {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return momentum_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Force<T> momentum = total_momentum(tree, arguments);
        store_vector(momentum.linear, arguments.out);
        store_vector(momentum.angular, arguments.out + 3);
    }
};

TARSUS_KERNEL(center_of_mass, CenterOfMass);
TARSUS_KERNEL(potential_energy, PotentialEnergy);
TARSUS_KERNEL(center_of_mass_velocity, CenterOfMassVelocity);
TARSUS_KERNEL(centroidal_momentum, CentroidalMomentum);

}  // namespace tarsus::TARSUS_ISA
