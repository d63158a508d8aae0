// Steps on the configuration manifold, joint by joint; loops are closed again after each step.
#include "dynamics/configuration.hpp"

#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct Integrate {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + configuration_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        step_configuration(tree, arguments.in[kTable], joints, arguments.in[1], arguments.out,
                           arguments.scratch);
    }
};

struct Difference {
    template <class T>
    static size_t bytes(const Tree&) {
        return 0;
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        configuration_difference(tree, arguments.in[0], arguments.in[1], arguments.out);
    }
};

struct ConfigurationRate {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<Angle<T>>(tree.n_angles) +
               bytes_of<T>(tree.joint_nq);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const JointState<T> joints = span<T>(tree, arguments, arguments.in[1], nullptr);
        Angle<T>* angles = arguments.scratch.template take<Angle<T>>(tree.n_angles);
        T* rate = tree.coupled ? arguments.scratch.template take<T>(tree.joint_nq) : arguments.out;
        read_angles(tree, joints.q, angles);
        for (const Link& link : tree.links) {
            visit(link.kind, [&](auto joint) {
                decltype(joint)::rate(state_at(link, joints.q, angles), joints.v + link.v,
                                      rate + link.q);
            });
        }
        if (tree.coupled) store_positions(tree, rate, arguments.out);
    }
};

struct Close {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return spanning_bytes<T>(tree) + bytes_of<T>(tree.joint_nq);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* x = arguments.scratch.template take<T>(tree.joint_nq);
        stated_positions(tree, arguments.in[kTable], arguments.in[0], x);
        close_positions(tree, arguments.in[kTable], x, arguments.scratch);
        store_positions(tree, x, arguments.out);
    }
};

// Limits are doubles and branches are many: lanes are taken one after the other.
struct Sample {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return 2 * bytes_of<double>(tree.nq) + reach_bytes(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        double* u = arguments.scratch.template take<double>(tree.nq);
        double* q = arguments.scratch.template take<double>(tree.nq);
        constexpr int lanes = sizeof(T) / sizeof(double);
        for (int l = 0; l < lanes; ++l) {
            for (int k = 0; k < tree.nq; ++k) u[k] = lane_of(arguments.in[0][k], l);
            for (int i = 0; i < tree.n_bodies; ++i) {
                const Link& link = tree.links[i];
                const int at = tree.user_q[i];
                if (at < 0) continue;
                visit(link.kind, [&](auto joint) {
                    decltype(joint)::sample(u + at, &tree.lower[link.q], &tree.upper[link.q],
                                            q + at);
                });
            }
            if (!tree.cluster_loops.empty()) reach_loops(tree, q, arguments.scratch);
            for (int k = 0; k < tree.nq; ++k) set_lane(arguments.out[k], l, q[k]);
        }
    }
};

TARSUS_KERNEL(integrate, Integrate);
TARSUS_KERNEL(difference, Difference);
TARSUS_KERNEL(configuration_rate, ConfigurationRate);
TARSUS_KERNEL(close, Close);
TARSUS_KERNEL(sample, Sample);

}  // namespace tarsus::TARSUS_ISA
