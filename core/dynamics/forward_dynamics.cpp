// The articulated-body algorithm: accelerations in O(n).
#include "dynamics/articulated_constraints.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct ForwardDynamics {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + ArticulatedPasses<T>::bytes(tree) +
               ArticulatedConstraints<T>::bytes(tree);
    }

    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        ArticulatedPasses<T> passes(tree, joints, {}, arguments.scratch);
        passes.velocities(arguments.in[3]);
        passes.inertias(arguments.in[2]);
        ArticulatedConstraints<T> constraints(passes, arguments.scratch);
        constraints.keep_velocities();
        const Motion<T> world = world_at_rest<T>(tree).a;
        passes.accelerations(world, arguments.out);
        if (tree.n_constraints == 0) return;
        // loops outside the clusters need the accelerations without them first
        constraints.apply();
        passes.accelerations(world, arguments.out);
    }
};

TARSUS_KERNEL(forward_dynamics, ForwardDynamics);

}  // namespace tarsus::TARSUS_ISA
