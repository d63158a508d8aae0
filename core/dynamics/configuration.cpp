// Steps on the configuration manifold, joint by joint.
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct Integrate {
    template <class T>
    static size_t bytes(const Tree&) {
        return 0;
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        for (const Link& link : tree.links) {
            visit(link.kind, [&](auto joint) {
                decltype(joint)::integrate(arguments.in[0] + link.q, arguments.in[1] + link.v,
                                           arguments.out + link.q);
            });
        }
    }
};

struct Difference {
    template <class T>
    static size_t bytes(const Tree&) {
        return 0;
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        for (const Link& link : tree.links) {
            visit(link.kind, [&](auto joint) {
                decltype(joint)::difference(arguments.in[0] + link.q, arguments.in[1] + link.q,
                                            arguments.out + link.v);
            });
        }
    }
};

struct ConfigurationRate {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return bytes_of<Angle<T>>(tree.n_angles);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        Angle<T>* angles = arguments.scratch.template take<Angle<T>>(tree.n_angles);
        read_angles(tree, arguments.in[0], angles);
        for (const Link& link : tree.links) {
            visit(link.kind, [&](auto joint) {
                decltype(joint)::rate(state_at(link, arguments.in[0], angles),
                                      arguments.in[1] + link.v, arguments.out + link.q);
            });
        }
    }
};

// Limits are doubles and branches are many: lanes are taken one after the other.
struct Sample {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return 2 * bytes_of<double>(tree.nq);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        double* u = arguments.scratch.template take<double>(tree.nq);
        double* q = arguments.scratch.template take<double>(tree.nq);
        constexpr int lanes = sizeof(T) / sizeof(double);
        for (int l = 0; l < lanes; ++l) {
            for (int k = 0; k < tree.nq; ++k) u[k] = lane(arguments.in[0][k], l);
            for (const Link& link : tree.links) {
                visit(link.kind, [&](auto joint) {
                    decltype(joint)::sample(u + link.q, &tree.lower[link.q], &tree.upper[link.q],
                                            q + link.q);
                });
            }
            for (int k = 0; k < tree.nq; ++k) set_lane(arguments.out[k], l, q[k]);
        }
    }

   private:
    static double lane(double a, int) { return a; }
    static double lane(const Lanes& a, int l) { return a.v[l]; }
    static void set_lane(double& a, int, double x) { a = x; }
    static void set_lane(Lanes& a, int l, double x) { a.v[l] = x; }
};

TARSUS_KERNEL(integrate, Integrate);
TARSUS_KERNEL(difference, Difference);
TARSUS_KERNEL(configuration_rate, ConfigurationRate);
TARSUS_KERNEL(sample, Sample);

}  // namespace tarsus::TARSUS_ISA
