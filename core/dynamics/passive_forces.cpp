// Joint springs, viscous damping and dry friction; and the energy in the springs.
//
// A spring acts on the tangent step from its rest configuration. Dry friction opposes motion and
// is zero at rest, where only a contact solver can tell how much of it is needed.
#include "dynamics/run.hpp"
#include "dynamics/springs.hpp"

namespace tarsus::TARSUS_ISA {

struct PassiveForces {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<T>(tree.joint_nq) + bytes_of<T>(tree.joint_nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        const T* v = joints.v;
        T* out = arguments.scratch.template take<T>(tree.joint_nv);
        stretch(tree, joints.q, arguments.scratch, out);
        const T zero(0.0);
        for (int k = 0; k < tree.joint_nv; ++k) {
            const T friction(tree.friction[k]);
            const T dry = select(v[k] > zero, friction, select(v[k] < zero, -friction, zero));
            const T braking = neg_mul_add(T(tree.damping[k]), v[k], -dry);
            out[k] = neg_mul_add(T(tree.stiffness[k]), out[k], braking);
        }
        gather_forces(tree, joints.G, out, arguments.out);
    }
};

struct ElasticEnergy {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<T>(tree.joint_nq) + bytes_of<T>(tree.joint_nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        T* step = arguments.scratch.template take<T>(tree.joint_nv);
        stretch(tree, joints.q, arguments.scratch, step);
        T twice(0.0);
        for (int k = 0; k < tree.joint_nv; ++k) {
            twice = mul_add(step[k] * step[k], T(tree.stiffness[k]), twice);
        }
        arguments.out[0] = T(0.5) * twice;
    }
};

TARSUS_KERNEL(passive_forces, PassiveForces);
TARSUS_KERNEL(elastic_energy, ElasticEnergy);

}  // namespace tarsus::TARSUS_ISA
