#include "step/control.hpp"

#include "dynamics/configuration.hpp"
#include "dynamics/newton_euler.hpp"
#include "dynamics/passive_inverse_dynamics.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

template <class T>
TARSUS_INLINE T clipped(const T& x, double bound) {
    const T high(bound), low(-bound);
    return select(x > high, high, select(x < low, low, x));
}

// where results that nobody asks for would go
template <class T>
TARSUS_INLINE Rows<T> no_rows() {
    if constexpr (std::is_same_v<T, double>) return Rows<T>(nullptr);
    else return Rows<T>(nullptr, 0, 1, false);
}

}  // namespace

template <class T>
size_t Controller<T>::bytes(const World& world) {
    const Tree& tree = *world.tree;
    const size_t own = bytes_of<T>(tree.nq) + 4 * bytes_of<T>(tree.nv);
    switch (world.control) {
        case ControlKind::inverse_dynamics:
            return own + newton_euler_bytes<T>(tree);
        case ControlKind::passivity:
            return own + PassiveInverseDynamics::bytes<T>(tree);
        default:
            return own;
    }
}

template <class T>
TARSUS_FLATTEN void Controller<T>::run(Scratch scratch) const {
    const Tree& tree = *world.tree;
    if (world.control == ControlKind::torque) {
        for (int k = 0; k < tree.nv; ++k) tau[k] = clipped(wanted(k), world.effort[k]);
        return;
    }
    T* reference = scratch.take<T>(tree.nq);
    for (int k = 0; k < tree.nq; ++k) reference[k] = wanted(k);
    T* error = scratch.take<T>(tree.nv);
    configuration_difference(tree, q, reference, error);
    switch (world.control) {
        case ControlKind::inverse_dynamics:
            inverse_dynamics(error, scratch);
            break;
        case ControlKind::passivity:
            passivity(error, scratch);
            break;
        default:
            feedback(error);
    }
    for (int k = 0; k < tree.nv; ++k) tau[k] = clipped(tau[k], world.effort[k]);
}

template <class T>
T Controller<T>::wanted(int k) const {
    T x(0.0);
    for (int l = 0; l < int(sizeof(T) / sizeof(double)); ++l) set_lane(x, l, command[l][k]);
    return x;
}

template <class T>
void Controller<T>::feedback(const T* error) const {
    const T dt(world.dt), period(world.dt * world.control_steps), zero(0.0);
    const bool implicit = world.control == ControlKind::implicit_pd;
    for (int k = 0; k < world.tree->nv; ++k) {
        const T &kp = parameters[world.kp() + k], &kd = parameters[world.kd() + k];
        // an implicit controller sees where the step would end without acceleration
        const T e = implicit ? neg_mul_add(dt, v[k], error[k]) : error[k];
        T sum = mul_add(kp, e, mul_add(kd, wanted_velocity(k) - v[k], wanted_last(k)));
        if (world.control == ControlKind::pid) {
            const T& ki = parameters[world.ki() + k];
            const T next = mul_add(period, error[k], integral[k]);
            const T total = mul_add(ki, next, sum);
            // at the limit the integral may only fall
            const T over = select(absolute(total) > T(world.effort[k]), T(1.0), zero);
            const T grows = select(total * error[k] > zero, over, zero);
            integral[k] = select(grows > zero, integral[k], next);
            sum = mul_add(ki, integral[k], sum);
        }
        tau[k] = sum;
        if (!implicit) continue;
        const T limited = select(absolute(sum) < T(world.effort[k]), T(1.0), zero);
        diagonal[k] = dt * mul_add(dt, kp, kd) * limited;
    }
}

template <class T>
void Controller<T>::inverse_dynamics(const T* error, Scratch& scratch) const {
    const Tree& tree = *world.tree;
    T* a = scratch.take<T>(tree.nv);
    for (int k = 0; k < tree.nv; ++k) {
        const T &kp = parameters[world.kp() + k], &kd = parameters[world.kd() + k];
        a[k] = mul_add(kp, error[k], mul_add(kd, wanted_velocity(k) - v[k], wanted_last(k)));
    }
    newton_euler<T>(tree, arguments(a, nullptr, scratch), v, a, nullptr, tau);
}

template <class T>
void Controller<T>::passivity(const T* error, Scratch& scratch) const {
    const Tree& tree = *world.tree;
    T *v_r = scratch.take<T>(tree.nv), *a_r = scratch.take<T>(tree.nv);
    for (int k = 0; k < tree.nv; ++k) {
        const T& bandwidth = parameters[world.kp() + k];
        v_r[k] = mul_add(bandwidth, error[k], wanted_velocity(k));
        a_r[k] = mul_add(bandwidth, wanted_velocity(k) - v[k], wanted_last(k));
    }
    PassiveInverseDynamics::run<T>(tree, arguments(v_r, a_r, scratch));
    for (int k = 0; k < tree.nv; ++k) {
        tau[k] = mul_add(parameters[world.kd() + k], v_r[k] - v[k], tau[k]);
    }
}
template <class T>
Arguments<T> Controller<T>::arguments(const T* third, const T* fourth, Scratch& scratch) const {
    return {{q, v, third, fourth, nullptr}, tau, no_rows<T>(), 0, 0, scratch};
}

#define TARSUS_CONTROL(T)                               \
    template size_t Controller<T>::bytes(const World&); \
    template void Controller<T>::run(Scratch) const;
TARSUS_CONTROL(double)
TARSUS_CONTROL(Lanes)

}  // namespace tarsus::TARSUS_ISA
