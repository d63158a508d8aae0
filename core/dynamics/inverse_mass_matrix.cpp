// H(q)⁻¹ from the branch factorisation.
#include "dynamics/branch_cholesky.hpp"
#include "dynamics/mass_matrix.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct InverseMassMatrix {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return mass_matrix_bytes<T>(tree) + bytes_of<T>(tree.n_compact) +
               LaneMatrix<T>::bytes(tree.nv);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const int n = tree.nv;
        T* L = arguments.scratch.template take<T>(tree.n_compact);
        const JointState<T> joints = span<T>(tree, arguments, nullptr, nullptr);
        mass_matrix(tree, joints, arguments.scratch, [&](int row, int column, const T& x) {
            L[tree.row[row] + tree.depth[column]] = x;
        });
        factor_branches(tree, L);
        const LaneMatrix<T> inverse =
            inverse_of_branches(tree, L, arguments.out, arguments.scratch);
        inverse.copy_out();
        // symmetric but for rounding: users get one that is
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < i; ++j) arguments.out[j * n + i] = arguments.out[i * n + j];
        }
    }
};

TARSUS_KERNEL(inverse_mass_matrix, InverseMassMatrix);

}  // namespace tarsus::TARSUS_ISA
