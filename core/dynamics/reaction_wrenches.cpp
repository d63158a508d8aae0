// The wrench that each joint transmits to its child: in the child's body frame, at its origin.
// Its projection on the joint's subspace is the generalised force (less the armature's part).
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct ReactionWrenches {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        const auto* body = newton_euler<T>(tree, arguments, in[1], in[2], in[3], nullptr);
        for (int i = 0; i < tree.n_bodies; ++i) {
            store_wrench(tree, i, body[i + 1].f, arguments.out);
        }
    }
};

TARSUS_KERNEL(reaction_wrenches, ReactionWrenches);

}  // namespace tarsus::TARSUS_ISA
