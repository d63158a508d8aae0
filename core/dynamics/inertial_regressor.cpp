// The matrix Y with τ = Y π: forces are linear in the bodies' mass, first and second moments
// (inertial_forces.hpp), also where C(q, v) acts on a second velocity (Slotine & Li 1987).
#include "dynamics/inertial_forces.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct InertialRegressor {
    static constexpr bool kSparse = true, kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return moving_tree_bytes<T>(tree) + reference_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const auto& in = arguments.in;
        Rows<T>& Y = arguments.rows;
        const int columns = kInertialParameters * tree.n_bodies;
        const MovingTree<T> moving = move(tree, arguments, in[1]);
        const ReferenceMotion<T> reference =
            move_by_reference(tree, moving, in[3] ? in[3] : in[1], in[2], arguments.scratch);
        Force<T> unit[kInertialParameters];
        for (int i = 0; i < tree.n_bodies; ++i) {
            const RegressorBody<T> at = regressor_body(tree, i, moving, reference.body[i + 1]);
            unit_forces(at, unit);
            for (int body = i; body >= 0; body = tree.steps[body].next) {
                const Step& step = tree.steps[body];
                for (int e = 0; e < step.nv; ++e) {
                    const Motion<T> seen = seen_by(at, moving.S[step.column + e]);
                    for (int k = 0; k < kInertialParameters; ++k) {
                        Y.set((step.v + e) * columns + kInertialParameters * i + k,
                              dot(seen, unit[k]));
                    }
                }
            }
        }
    }
};

TARSUS_KERNEL(inertial_regressor, InertialRegressor);

}  // namespace tarsus::TARSUS_ISA
