// What all joints do, also those that follow others: positions, velocities, accelerations, the
// matrix G with joint velocities = G v, and how far loops are open.
#include "dynamics/composite.hpp"
#include "dynamics/loop_rows.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct JointPositions {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T* x = span<T>(tree, arguments, nullptr, nullptr).q;
        for (int k = 0; k < tree.joint_nq; ++k) arguments.out[k] = x[k];
    }
};

struct JointVelocities {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T* w = span<T>(tree, arguments, arguments.in[1], nullptr).v;
        for (int k = 0; k < tree.joint_nv; ++k) arguments.out[k] = w[k];
    }
};

struct JointAccelerations {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T* a = span<T>(tree, arguments, arguments.in[1], arguments.in[2]).a;
        for (int k = 0; k < tree.joint_nv; ++k) arguments.out[k] = a[k];
    }
};

struct CouplingMatrix {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        for (const Cluster& cluster : tree.clusters) {
            for (int w = 0; w < cluster.nw; ++w) {
                for (int e = 0; e < cluster.nv; ++e) {
                    if (!cluster.coupled && e != w) continue;
                    const int at = (cluster.w + w) * tree.nv + cluster.v + e;
                    const T one(1.0);
                    arguments.rows.set(
                        at, cluster.coupled ? joints.G[cluster.matrix + w * cluster.nv + e] : one);
                }
            }
        }
    }
};

struct LoopGaps {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return bytes_of<T>(tree.joint_nq) + aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* x = arguments.scratch.template take<T>(tree.joint_nq);
        stated_positions(tree, arguments.in[kTable], arguments.in[0], x);
        const AlignedTree<T> world = align(tree, x, arguments.scratch);
        LoopAt<T> at;
        for (const Loop& loop : tree.loops) {
            loop_at(tree, loop, world.body[loop.a.body + 1].pose, world.body[loop.b.body + 1].pose,
                    at);
            for (int r = 0; r < loop.n_rows; ++r) arguments.out[loop.row + r] = at.residual[r];
        }
    }
};

TARSUS_KERNEL(joint_positions, JointPositions);
TARSUS_KERNEL(joint_velocities, JointVelocities);
TARSUS_KERNEL(joint_accelerations, JointAccelerations);
TARSUS_KERNEL(coupling_matrix, CouplingMatrix);
TARSUS_KERNEL(loop_gaps, LoopGaps);

}  // namespace tarsus::TARSUS_ISA
