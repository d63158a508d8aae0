// H v and C(q, v)ᵀ v in one pass: the momentum that each branch carries, projected on the motions
// of its velocities and on their rates. With B v = v ×* I v and B + Bᵀ = dI/dt every factor B drops
// out of Cᵀ v, so that it is the same for all of them.
#include "dynamics/moving_tree.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE size_t momentum_forces_bytes(const Tree& tree) {
    return moving_tree_bytes<T>(tree) + bytes_of<Force<T>>(tree.n_bodies);
}

// out := Σ column·momentum, and for armatures Σ ratio·(armature w)
template <class T, class Ratio>
TARSUS_INLINE void project_momenta(const Tree& tree, const MovingTree<T>& moving,
                                   const Motion<T>* columns, Ratio&& ratio, Scratch& scratch,
                                   T* out) {
    Force<T>* momentum = scratch.take<Force<T>>(tree.n_bodies);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const MovingBody<T>& body = moving.body[i + 1];
        momentum[i] = inertia_about_point(body, tree.links[i]) * body.v;
    }
    for (int k = 0; k < tree.nv; ++k) out[k] = T(0.0);
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Step& step = tree.steps[i];
        if (step.next >= 0) momentum[step.next] = momentum[step.next] + momentum[i];
        for (int e = 0; e < step.nv; ++e) {
            out[step.v + e] += dot(columns[step.column + e], momentum[i]);
        }
    }
    for (const Cluster& cluster : tree.clusters) {
        for (int w = 0; w < cluster.nw; ++w) {
            const T spin = moving.joints.v[cluster.w + w] * T(tree.armature[cluster.w + w]);
            for (int e = 0; e < cluster.nv; ++e) {
                T& sum = out[cluster.v + e];
                sum = mul_add(ratio(cluster, w, e), spin, sum);
            }
        }
    }
}

struct GeneralizedMomentum {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return momentum_forces_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const MovingTree<T> moving = move(tree, arguments, arguments.in[1]);
        const auto ratio = [&](const Cluster& cluster, int w, int e) {
            if (!cluster.coupled) return T(w == e ? 1.0 : 0.0);
            return moving.joints.G[cluster.matrix + w * cluster.nv + e];
        };
        project_momenta(tree, moving, moving.S, ratio, arguments.scratch, arguments.out);
    }
};

struct CoriolisTransposeForces {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return momentum_forces_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const MovingTree<T> moving = move(tree, arguments, arguments.in[1]);
        const auto ratio = [&](const Cluster& cluster, int w, int e) {
            if (!cluster.coupled) return T(0.0);
            return moving.matrix[cluster.matrix + w * cluster.nv + e].rate;
        };
        project_momenta(tree, moving, moving.dS, ratio, arguments.scratch, arguments.out);
    }
};

TARSUS_KERNEL(generalized_momentum, GeneralizedMomentum);
TARSUS_KERNEL(coriolis_transpose_forces, CoriolisTransposeForces);

}  // namespace tarsus::TARSUS_ISA
