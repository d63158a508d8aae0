// The Coriolis matrix C(q, v), and the rate of the mass matrix, C + Cᵀ.
#include "dynamics/coriolis.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

template <class Factorisation, class T>
TARSUS_APART void store_coriolis(const Tree& tree, const MovingTree<T>& moving,
                                 const Arguments<T>& arguments) {
    T* C = arguments.out;
    const int n = tree.nv;
    coriolis<Factorisation>(tree, moving, arguments.scratch,
                            [&](int f, int e, const T& fe, const T& ef) {
                                C[f * n + e] = fe;
                                C[e * n + f] = ef;
                            });
}

struct CoriolisMatrix {
    static constexpr bool kSparse = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_tree_bytes<T>(tree) + coriolis_bytes<ForceFactorisation, T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const MovingTree<T> moving = move(tree, arguments, arguments.in[1]);
        visit_factorisation(arguments.choice, [&](auto factorisation) {
            store_coriolis<decltype(factorisation)>(tree, moving, arguments);
        });
    }
};

struct MassMatrixRate {
    static constexpr bool kSparse = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_tree_bytes<T>(tree) + coriolis_bytes<Christoffel, T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        T* H = arguments.out;
        const int n = tree.nv;
        const MovingTree<T> moving = move(tree, arguments, arguments.in[1]);
        coriolis<Christoffel>(
            tree, moving, arguments.scratch,
            [&](int f, int e, const T& fe, const T& ef) { H[f * n + e] = H[e * n + f] = fe + ef; });
    }
};

TARSUS_KERNEL(coriolis_matrix, CoriolisMatrix);
TARSUS_KERNEL(mass_matrix_rate, MassMatrixRate);

}  // namespace tarsus::TARSUS_ISA
