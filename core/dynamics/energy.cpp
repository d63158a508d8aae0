// Kinetic energy, armature included: T = ½ vᵀ H v.
#include "dynamics/momentum.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct KineticEnergy {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return momentum_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        const T* v = joints.v;
        const AlignedTree<T> world = align(tree, joints.q, arguments.scratch);
        const Motion<T>* velocity = aligned_velocities(tree, world, v, arguments.scratch);
        T twice(0.0);
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Mat3<T>& axes = world.body[i + 1].pose.rotation;
            twice += dot(velocity[i + 1], body_momentum(tree.links[i], axes, velocity[i + 1]));
        }
        for (int k = 0; k < tree.joint_nv; ++k) {
            twice = mul_add(v[k] * v[k], T(tree.armature[k]), twice);
        }
        arguments.out[0] = T(0.5) * twice;
    }
};

TARSUS_KERNEL(kinetic_energy, KineticEnergy);

}  // namespace tarsus::TARSUS_ISA
