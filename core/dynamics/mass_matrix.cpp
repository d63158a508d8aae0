// The joint-space mass matrix H(q), dense and symmetric.
#include "dynamics/mass_matrix.hpp"

namespace tarsus::TARSUS_ISA {

struct MassMatrix {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return aligned_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const int n = tree.nv;
        T* H = arguments.out;
        for (int k = 0; k < n * n; ++k) H[k] = T(0.0);
        mass_matrix(tree, arguments.in[0], arguments.scratch, [&](int row, int column, const T& x) {
            H[row * n + column] = H[column * n + row] = x;
        });
    }
};

TARSUS_KERNEL(mass_matrix, MassMatrix);

}  // namespace tarsus::TARSUS_ISA
