// H(q)⁻¹ = L⁻¹ L⁻ᵀ from the branch factorisation: an entry is a product over the ancestors that
// its two coordinates share.
#include "dynamics/branch_cholesky.hpp"
#include "dynamics/mass_matrix.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

TARSUS_INLINE int shared_ancestors(const Tree& tree, int i, int j) {
    const int *a = &tree.branch[tree.row[i]], *b = &tree.branch[tree.row[j]];
    const int limit = 1 + (tree.depth[i] < tree.depth[j] ? tree.depth[i] : tree.depth[j]);
    int d = 0;
    while (d < limit && a[d] == b[d]) ++d;
    return d;
}

struct InverseMassMatrix {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return mass_matrix_bytes<T>(tree) + bytes_of<T>(tree.n_compact);
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
        invert_branches(tree, L);
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j <= i; ++j) {
                const T *a = L + tree.row[i], *b = L + tree.row[j];
                const int shared = shared_ancestors(tree, i, j);
                T sum(0.0);
                for (int d = 0; d < shared; ++d) sum = mul_add(a[d], b[d], sum);
                arguments.out[i * n + j] = arguments.out[j * n + i] = sum;
            }
        }
    }
};

TARSUS_KERNEL(inverse_mass_matrix, InverseMassMatrix);

}  // namespace tarsus::TARSUS_ISA
