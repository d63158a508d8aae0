// ∂τ/∂q, ∂τ/∂v and ∂τ/∂a of inverse dynamics, one after the other.
#include "dynamics/inverse_dynamics_derivatives.hpp"

#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct StoreDerivatives {
    int n;
    T* out;

    TARSUS_INLINE void q(int row, int column, const T& x) { out[row * n + column] = x; }
    TARSUS_INLINE void v(int row, int column, const T& x) { out[(n + row) * n + column] = x; }
    TARSUS_INLINE void a(int row, int column, const T& x) {
        out[(2 * n + row) * n + column] = out[(2 * n + column) * n + row] = x;
    }
};

struct InverseDynamicsDerivatives {
    static constexpr bool kSparse = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return motion_derivatives_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        const auto d = differentiate_motion(tree, arguments, in[1], in[2], in[3]);
        inverse_dynamics_derivatives(tree, d, StoreDerivatives<T>{tree.nv, arguments.out});
    }
};

TARSUS_KERNEL(inverse_dynamics_derivatives, InverseDynamicsDerivatives);

}  // namespace tarsus::TARSUS_ISA
