// The wrench that each joint transmits to its child: in the child's body frame, at its origin.
// Its projection on the joint's subspace is the generalised force (less the armature's part).
// And the wrenches of the joints that close loops.
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t reaction_bytes(const Tree& tree) {
    return newton_euler_bytes<T>(tree) + loop_forces_bytes<T>(tree);
}

// body forces with the loops' share; what loops exert is null where there are none
template <class T>
struct Reactions {
    const NewtonEulerBody<T>* body;
    const Force<T>* on_frame;
};

template <class T>
TARSUS_INLINE Reactions<T> reactions(const Tree& tree, const Arguments<T>& arguments) {
    const auto& in = arguments.in;
    Scratch& scratch = arguments.scratch;
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    auto* body = scratch.take<NewtonEulerBody<T>>(tree.n_bodies + 1);
    const JointState<T> joints = span(tree, arguments, in[1], in[2]);
    read_angles(tree, joints.q, angles);
    const bool loops = int(tree.loops.size()) > tree.n_constraints;
    T* forces = loops ? scratch.take<T>(tree.joint_nv) : nullptr;
    newton_euler(tree, joints, in[3], angles, body, forces);
    if (!loops) return {body, nullptr};
    const LoopForces<T> of_loops = loop_forces(tree, in[kTable], joints.q, forces, scratch);
    T* unused = nullptr;
    newton_euler(tree, joints, in[3], angles, body, unused, of_loops.on_body);
    return {body, of_loops.on_frame};
}

struct ReactionWrenches {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return reaction_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Reactions<T> found = reactions(tree, arguments);
        for (int i = 0; i < tree.n_bodies; ++i) {
            store_wrench(tree, i, found.body[i + 1].f, arguments.out);
        }
    }
};

struct LoopWrenches {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return reaction_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const Force<T>* on_frame = reactions(tree, arguments).on_frame;
        const Force<T> none{zero_vector<T>(), zero_vector<T>()};
        for (size_t l = 0; l < tree.loops.size(); ++l) {
            const Force<T>& f = on_frame ? on_frame[l] : none;
            T* out = arguments.out + 6 * l;
            out[0] = f.linear.x, out[1] = f.linear.y, out[2] = f.linear.z;
            out[3] = f.angular.x, out[4] = f.angular.y, out[5] = f.angular.z;
        }
    }
};

TARSUS_KERNEL(reaction_wrenches, ReactionWrenches);
TARSUS_KERNEL(loop_wrenches, LoopWrenches);

}  // namespace tarsus::TARSUS_ISA
