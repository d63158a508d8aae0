// The joint-space mass matrix H(q), dense and symmetric.
#include "dynamics/mass_matrix.hpp"

#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct MassMatrix {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return mass_matrix_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const int n = tree.nv;
        Rows<T>& H = arguments.rows;
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        mass_matrix(tree, joints, arguments.scratch, [&](int row, int column, const T& x) {
            H.set(row * n + column, x);
            H.set(column * n + row, x);
        });
    }
};

TARSUS_KERNEL(mass_matrix, MassMatrix);

}  // namespace tarsus::TARSUS_ISA
