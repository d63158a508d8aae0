#include "step/measure.hpp"

#include "dynamics/springs.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN Energies<T> measure(const Tree& tree, const T* q, const T* v, const T* mass_scale,
                                   Scratch scratch) {
    const JointState<T> joints = tree.coupled
                                     ? span_coupled<T>(tree, nullptr, q, v, nullptr, scratch)
                                     : JointState<T>{q, v, nullptr, nullptr};
    ArticulatedPasses<T> passes(tree, joints, {nullptr, mass_scale}, scratch);
    Pose<T>* pose = scratch.take<Pose<T>>(tree.n_bodies + 1);
    Motion<T>* unforced = scratch.take<Motion<T>>(tree.n_bodies + 1);
    passes.velocities(nullptr);
    place_bodies(passes, pose);
    unforced[0] = zero_motion<T>();
    Force<T>* carried =
        scratch.take<Force<T>>(tree.n_bodies + 1);  // momentum of all that hangs there
    const Vec3<double> g = vector_at(tree.gravity);
    T twice(0.0), gravity(0.0), elastic(0.0), power(0.0);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        if (link.spinning) continue;
        const Motion<T>& velocity = passes.body[i + 1].v;
        const Pose<T>& at = pose[i + 1];
        const Force<T> momentum =
            passes.loads.carried(tree, i, [&](const Inertia<double>& I) { return I * velocity; });
        carried[i + 1] = momentum;
        twice += dot(velocity, momentum);
        gravity -= passes.loads.carried(tree, i, [&](const Inertia<double>& I) {
            return dot(g, mul_add(at.position, T(I.mass), at.rotation * I.first));
        });
        power += dot(g, at.rotation * momentum.linear);
        // bodies accelerate by their velocities alone: V · I a
        visit(link.kind, [&](auto joint) {
            const auto X = decltype(joint)::transform(passes.at(link));
            unforced[i + 1] = X.to_child(unforced[link.parent + 1]) + passes.body[i + 1].c;
        });
        power = power - dot(unforced[i + 1], momentum);
    }
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        if (link.spinning) continue;
        if (link.own >= 0 && (link.kind == Kind::free || link.kind == Kind::planar)) {
            const T* x = v + link.own;
            const bool flat = link.kind == Kind::planar;
            const Vec3<T> linear{x[0], x[1], flat ? T(0.0) : x[2]};
            const Vec3<T> turning =
                flat ? Vec3<T>{T(0.0), T(0.0), x[2]} : Vec3<T>{x[3], x[4], x[5]};
            // armatures have a momentum, too
            const double* own = tree.armature.data() + link.v;
            const Vec3<T> momentum{
                mul_add(T(own[0]), linear.x, carried[i + 1].linear.x),
                mul_add(T(own[1]), linear.y, carried[i + 1].linear.y),
                mul_add(T(flat ? 0.0 : own[2]), linear.z, carried[i + 1].linear.z)};
            power += dot(momentum, cross(turning, linear));
        }
        if (link.parent < 0) continue;
        visit(link.kind, [&](auto joint) {
            const auto X = decltype(joint)::transform(passes.at(link));
            carried[link.parent + 1] = carried[link.parent + 1] + X.to_parent(carried[i + 1]);
        });
    }
    for (const Spin& spin : tree.spins) {
        const T& w = joints.v[spin.w];
        // beside the carrier's turning, which its carried inertia has
        const T along = spin.parent < 0
                            ? T(0.0)
                            : dot(vector_at(spin.axis), passes.body[spin.parent + 1].v.angular);
        twice = mul_add(w * passes.loads.spin_inertia(spin), mul_add(T(2.0), along, w), twice);
        if (spin.parent < 0) {
            const Link& link = tree.links[spin.body];
            const Vec3<double> first = matrix_at(link.rotation) * vector_at(link.first) +
                                       vector_at(link.position) * link.mass;
            const T weight(dot(g, first));
            gravity -= mass_scale ? weight * mass_scale[spin.body] : weight;
        }
    }
    T* step = scratch.take<T>(tree.joint_nv);
    stretch(tree, joints.q, scratch, step);
    for (int k = 0; k < tree.joint_nv; ++k) {
        const T& w = joints.v[k];
        const T spring = T(tree.stiffness[k]) * step[k];
        twice = mul_add(w * w, T(tree.armature[k]), twice);
        elastic = mul_add(spring, step[k], elastic);
        power = neg_mul_add(spring, w, power);
    }
    return {T(0.5) * twice, gravity, T(0.5) * elastic, power};
}

#define TARSUS_MEASURE(T) \
    template Energies<T> measure(const Tree&, const T*, const T*, const T*, Scratch);
TARSUS_MEASURE(double)
TARSUS_MEASURE(Lanes)

}  // namespace tarsus::TARSUS_ISA
