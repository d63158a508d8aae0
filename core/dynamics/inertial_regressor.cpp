// The matrix Y with τ = Y π: forces are linear in the bodies' mass, first and second moments
// (Atkeson, An & Hollerbach 1986), also where C(q, v) acts on a second velocity (Slotine & Li
// 1987).
//
// On a body that moves with (u, ω), and by reference with angular velocity ν and acceleration
// (a, α), a mass m, first moment h and second moment J ask for
//
//   force   m a' + α × h + ν × (ω × h)                      a' = a + ν × u
//   moment  h × a' + J α + ω × J ν − ½ tr(J) ω × ν
#include "dynamics/reference_motion.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

constexpr int kInertialParameters = 10;

// a body's axes as users see them, and its motion in these axes at its origin
template <class T>
struct RegressorBody {
    Mat3<T> axes;
    Vec3<T> p, acceleration, turning, reference, turning_rate;  // acceleration: a'
};

template <class T>
TARSUS_INLINE RegressorBody<T> regressor_body(const Tree& tree, int i, const MovingTree<T>& moving,
                                              const ReferenceBody<T>& reference) {
    const MovingBody<T>& body = moving.body[i + 1];
    const Mat3<T> axes = body.axes * matrix_at(tree.body_axes[i].rotation);
    const auto at_origin = [&](const Motion<T>& m) {
        return cross_add(m.angular, body.p, m.linear);
    };
    const Vec3<T> a = cross_add(reference.v.angular, at_origin(body.v), at_origin(reference.a));
    const auto seen = [&](const Vec3<T>& x) { return transposed_times(axes, x); };
    return {axes,
            body.p,
            seen(a),
            seen(body.v.angular),
            seen(reference.v.angular),
            seen(reference.a.angular)};
}

// the moment that a second moment with a unit at (k, l) and (l, k) asks for
template <class T>
TARSUS_INLINE Vec3<T> unit_moment(const RegressorBody<T>& at, int k, int l) {
    const auto part = [](const Vec3<T>& x, int j) { return j == 0 ? x.x : j == 1 ? x.y : x.z; };
    const auto times = [&](const Vec3<T>& x) {
        T out[3] = {T(0.0), T(0.0), T(0.0)};
        out[k] = part(x, l), out[l] = part(x, k);
        return Vec3<T>{out[0], out[1], out[2]};
    };
    const Vec3<T> moment = cross_add(at.turning, times(at.reference), times(at.turning_rate));
    if (k != l) return moment;
    return mul_add(cross(at.turning, at.reference), T(-0.5), moment);
}

// what each parameter asks for, in the axes that users see at the body's origin
template <class T>
TARSUS_INLINE void unit_forces(const RegressorBody<T>& at, Force<T> (&out)[kInertialParameters]) {
    const Mat3<T> one = identity_matrix<T>();
    const Vec3<T> none = zero_vector<T>(), unit[3] = {one.x, one.y, one.z};
    out[0] = {at.acceleration, none};
    for (int k = 0; k < 3; ++k) {
        const Vec3<T> swing = cross(at.reference, cross(at.turning, unit[k]));
        out[1 + k] = {cross_add(at.turning_rate, unit[k], swing), cross(unit[k], at.acceleration)};
    }
    int parameter = 4;  // xx xy yy xz yz zz
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; l <= k; ++l) out[parameter++] = {none, unit_moment(at, k, l)};
    }
}

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
                    const Motion<T>& S = moving.S[step.column + e];
                    const Motion<T> seen{
                        transposed_times(at.axes, cross_add(S.angular, at.p, S.linear)),
                        transposed_times(at.axes, S.angular)};
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
