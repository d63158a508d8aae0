// Generalised forces for a motion: τ = H(q) a + bias(q, v) − Jᵀ f_external.
#include "dynamics/newton_euler.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct InverseDynamics {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return newton_euler_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        newton_euler(tree, arguments, in[1], in[2], in[3], arguments.out);
    }
};

TARSUS_KERNEL(inverse_dynamics, InverseDynamics);

}  // namespace tarsus::TARSUS_ISA
