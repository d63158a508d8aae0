// H a_r + C(q, v) v_r + gravity in one pass: what passivity-based control asks for.
#pragma once

#include "dynamics/reference_motion.hpp"
#include "spatial/factorisation.hpp"

namespace tarsus::TARSUS_ISA {

struct PassiveInverseDynamics {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_tree_bytes<T>(tree) + reference_bytes<T>(tree) +
               bytes_of<Force<T>>(tree.n_bodies) + bytes_of<T>(tree.joint_nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        const MovingTree<T> moving = move(tree, arguments, in[1]);
        const ReferenceMotion<T> reference =
            move_by_reference(tree, moving, in[2], in[3], arguments.scratch);
        Force<T>* F = arguments.scratch.template take<Force<T>>(tree.n_bodies);
        T* forces = arguments.scratch.template take<T>(tree.joint_nv);
        visit_factorisation(arguments.choice, [&](auto factorisation) {
            for (int i = 0; i < tree.n_bodies; ++i) {
                const Inertia<T> I = inertia_about_point(moving.body[i + 1], tree.links[i]);
                const ReferenceBody<T>& me = reference.body[i + 1];
                F[i] = I * me.a + factorisation.force(moving.body[i + 1].v, I, me.v);
            }
        });
        for (int i = tree.n_bodies - 1; i >= 0; --i) {
            const Link& link = tree.links[i];
            if (link.parent >= 0) F[link.parent] = F[link.parent] + F[i];
            for (int k = link.v; k < link.v + link.nv; ++k) {
                const T armature = reference.joint_a[k] * T(tree.armature[k]);
                forces[k] = dot(moving.S[k], F[i]) + armature;
            }
        }
        gather_forces(tree, moving.joints.G, forces, arguments.out);
    }
};

}  // namespace tarsus::TARSUS_ISA
