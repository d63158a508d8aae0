// Forces that hold a mechanism without acceleration: Coriolis, centrifugal and gravity terms; and
// gravity alone.
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct BiasForces {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        newton_euler<T>(tree, arguments, arguments.in[1], nullptr, nullptr, arguments.out);
    }
};

struct GravityForces {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        newton_euler<T>(tree, arguments, nullptr, nullptr, nullptr, arguments.out);
    }
};

TARSUS_KERNEL(bias_forces, BiasForces);
TARSUS_KERNEL(gravity_forces, GravityForces);

}  // namespace tarsus::TARSUS_ISA
