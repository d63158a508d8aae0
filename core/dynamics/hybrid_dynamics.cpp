// Hybrid dynamics in O(n): each coordinate has its force or its acceleration prescribed, the other
// of the two is found (Featherstone 2008, section 9.2).
//
// The articulated-body recursion, where prescribed coordinates yield to nothing (D⁻¹ = 0) and move
// as they must (S a is part of c). After its last pass U and u tell the force of such a coordinate
// without another one: a joint transmits I a + p, of which Sᵀ takes Uᵀ a − u.
#include <limits>

#include "dynamics/articulated_constraints.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

// What the recursion takes of the coordinates: accelerations of the prescribed ones, and forces of
// the others.
template <class T>
struct Given {
    T *a, *tau;

    Given(const Tree& tree, const Arguments<T>& arguments)
        : a(arguments.scratch.template take<T>(tree.nv)),
          tau(arguments.scratch.template take<T>(tree.nv)) {
        for (int k = 0; k < tree.nv; ++k) {
            const bool held = arguments.prescribed[k];
            a[k] = held ? arguments.in[3][k] : T(0.0);
            tau[k] = held ? T(0.0) : arguments.in[2][k];
        }
    }
};

// c += S a; a cluster's members have it from the first pass
template <class T>
TARSUS_FLATTEN void add_prescribed(const ArticulatedPasses<T>& passes) {
    for (int i = 0; i < passes.tree.n_bodies; ++i) {
        const Link& link = passes.tree.links[i];
        if (link.own < 0 || !passes.loads.any_held(link.own, link.nv)) continue;
        visit(link.kind, [&](auto joint) {
            Motion<T>& c = passes.body[i + 1].c;
            c = decltype(joint)::subspace(passes.at(link)).add(c, passes.joints.a + link.v);
        });
    }
}

// The force of coordinate k after the last pass, which left zeros in `a` for those prescribed.
template <class T>
TARSUS_INLINE T joint_force(const ArticulatedPasses<T>& passes, int k, const T& prescribed,
                            const T* a) {
    const Tree& tree = passes.tree;
    const int w = tree.velocity_to.empty() ? k : tree.velocity_to[k];
    const Cluster& cluster = tree.clusters[tree.cluster_of[tree.body_of[w]]];
    const int e = k - cluster.v;
    const bool members = cluster.coupled && !cluster.geared;
    const int body = members ? cluster.parent : tree.body_of[w];
    const ArticulatedDof<T>& dof = passes.dof[cluster.w + e];
    T force = dot(passes.body[body + 1].v, dof.U) - dof.u;
    // a joint's armature is outside the bodies; that of members is in their bias already
    if (!members) return mul_add(T(tree.armature[w]), prescribed, force);
    // the other coordinates of the cluster move members in a way that its parent does not feel
    const T* D = passes.coupled.kept(cluster);
    for (int f = 0; f < cluster.nv; ++f) {
        const T& entry = f <= e ? D[e * cluster.nv + f] : D[f * cluster.nv + e];
        force = mul_add(entry, a[cluster.v + f], force);
    }
    return force;
}

// Loops whose accelerations are left so large contradict what is prescribed: there is no answer.
// Rounding leaves far less.
constexpr double kTorn = 1e-6;

struct HybridDynamics {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return 2 * bytes_of<T>(tree.nv) + spanning_bytes<T>(tree) +
               ArticulatedPasses<T>::bytes(tree) + bytes_of<T>(tree.n_inverse) +
               ArticulatedConstraints<T>::bytes(tree);
    }

    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        const bool* prescribed = arguments.prescribed;
        const Given<T> given(tree, arguments);
        const JointState<T> joints = span<T>(tree, arguments, in[1], given.a);
        ArticulatedPasses<T> passes(tree, joints, {.held = prescribed}, arguments.scratch);
        passes.velocities(in[4]);
        add_prescribed(passes);
        passes.template inertias<true>(given.tau);
        ArticulatedConstraints<T> constraints(passes, arguments.scratch);
        constraints.keep_velocities();
        const Motion<T> world = world_at_rest<T>(tree).a;
        T *a = arguments.out, *tau = arguments.out + tree.nv;
        passes.accelerations(world, a);
        if (tree.n_constraints > 0) {
            constraints.apply();
            passes.accelerations(world, a);
        }
        for (int k = 0; k < tree.nv; ++k) {
            tau[k] = prescribed[k] ? joint_force(passes, k, in[3][k], a) : in[2][k];
        }
        for (int k = 0; k < tree.nv; ++k) {
            if (prescribed[k]) a[k] = in[3][k];
        }
        if (tree.n_constraints == 0) return;
        const T nan(std::numeric_limits<double>::quiet_NaN());
        const T torn = constraints.torn();
        for (int k = 0; k < tree.nv; ++k) tau[k] = select(torn > T(kTorn), nan, tau[k]);
    }
};

TARSUS_KERNEL(hybrid_dynamics, HybridDynamics);

}  // namespace tarsus::TARSUS_ISA
