#include "dynamics/constraint_jacobian.hpp"

#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct ConstraintJacobian {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + constraint_jacobian_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        const AlignedTree<T> world = align(tree, joints.q, arguments.scratch);
        const T* J = constraint_jacobian(tree, joints, world, arguments.scratch);
        for (int k = 0; k < tree.n_constraint_rows * tree.nv; ++k) arguments.out[k] = J[k];
    }
};

TARSUS_KERNEL(constraint_jacobian, ConstraintJacobian);

}  // namespace tarsus::TARSUS_ISA
