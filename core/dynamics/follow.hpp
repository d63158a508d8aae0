// Joints that follow others: their positions, slopes and curvatures along a motion.
#pragma once

#include "couplings/visit.hpp"
#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// Functions of the users are tabulated for each state: values, slopes, curvatures and, for
// derivatives of the dynamics, rates of the curvatures.
template <class T>
struct FunctionTable {
    const T *value, *slope, *curvature, *third;
};
template <class T>
TARSUS_INLINE FunctionTable<T> function_table(const Coupling& c, const T* table) {
    const T* value = table + c.table;
    const T* slope = value + c.n_followers;
    const T* curvature = slope + c.n_followers * c.n_leaders;
    return {value, slope, curvature, table + c.thirds};
}

TARSUS_INLINE int joint_of(const Tree& tree, int listed) { return tree.coupling_joints[listed]; }

template <class T>
TARSUS_INLINE const T& leader_position(const Tree& tree, const Coupling& c, const T* x, int l) {
    return x[tree.links[joint_of(tree, c.leader + l)].q];
}

// positions of the followers, from those of the leaders
template <class T>
TARSUS_INLINE void follow(const Tree& tree, const Coupling& c, const T* table, T* x) {
    const double* numbers = tree.coupling_numbers.data() + c.number;
    const auto position = [&](int f) -> T& {
        return x[tree.links[joint_of(tree, c.follower + f)].q];
    };
    if (c.kind == CouplingKind::linear) {
        const double* offset = numbers + c.n_followers * c.n_leaders;
        for (int f = 0; f < c.n_followers; ++f) {
            T sum(offset[f]);
            for (int l = 0; l < c.n_leaders; ++l) {
                sum = mul_add(T(numbers[f * c.n_leaders + l]), leader_position(tree, c, x, l), sum);
            }
            position(f) = sum;
        }
    } else if (c.kind == CouplingKind::function) {
        const FunctionTable<T> at = function_table(c, table);
        for (int f = 0; f < c.n_followers; ++f) position(f) = at.value[f];
    }
    visit_closed_form(c.kind, [&](auto form) {
        using Form = decltype(form);
        T y[Form::leaders], out[Form::followers];
        for (int l = 0; l < Form::leaders; ++l) y[l] = leader_position(tree, c, x, l);
        Form::value(numbers, y, out);
        for (int f = 0; f < Form::followers; ++f) position(f) = out[f];
    });
}

// slopes (followers × leaders)
template <class T>
TARSUS_INLINE void slopes(const Tree& tree, const Coupling& c, const Base<T>* table, const T* x,
                          T* out) {
    const double* numbers = tree.coupling_numbers.data() + c.number;
    const int count = c.n_followers * c.n_leaders;
    if (c.kind == CouplingKind::linear) {
        for (int k = 0; k < count; ++k) out[k] = T(numbers[k]);
    } else if (c.kind == CouplingKind::function) {
        const FunctionTable<Base<T>> at = function_table(c, table);
        for (int k = 0; k < count; ++k) {
            if constexpr (kIsDual<T>) {
                Base<T> rate(0.0);
                for (int l = 0; l < c.n_leaders; ++l) {
                    const Base<T>& curvature = at.curvature[k * c.n_leaders + l];
                    rate = mul_add(curvature, leader_position(tree, c, x, l).rate, rate);
                }
                out[k] = {at.slope[k], rate};
            } else {
                out[k] = at.slope[k];
            }
        }
    }
    visit_closed_form(c.kind, [&](auto form) {
        using Form = decltype(form);
        Dual<T> y[Form::leaders], value[Form::followers];
        for (int l = 0; l < Form::leaders; ++l) {
            for (int k = 0; k < Form::leaders; ++k) {
                y[k] = {leader_position(tree, c, x, k), T(k == l ? 1.0 : 0.0)};
            }
            Form::value(numbers, y, value);
            for (int f = 0; f < Form::followers; ++f) out[f * Form::leaders + l] = value[f].rate;
        }
    });
}

// a curvature of a function; on dual numbers with its rate
template <class T>
TARSUS_INLINE T curvature_at(const Tree& tree, const Coupling& c, const FunctionTable<Base<T>>& at,
                             const T* x, int entry) {
    if constexpr (kIsDual<T>) {
        Base<T> rate(0.0);
        for (int l = 0; l < c.n_leaders; ++l) {
            const Base<T>& third = at.third[entry * c.n_leaders + l];
            rate = mul_add(third, leader_position(tree, c, x, l).rate, rate);
        }
        return {at.curvature[entry], rate};
    } else {
        return at.curvature[entry];
    }
}

// second derivative of each follower's position along constant velocities of the leaders
template <class T>
TARSUS_INLINE void curvatures(const Tree& tree, const Coupling& c, const Base<T>* table, const T* x,
                              const T* w, T* out) {
    const double* numbers = tree.coupling_numbers.data() + c.number;
    const auto velocity = [&](int l) { return w[tree.links[joint_of(tree, c.leader + l)].v]; };
    for (int f = 0; f < c.n_followers; ++f) out[f] = T(0.0);
    if (c.kind == CouplingKind::function) {
        const FunctionTable<Base<T>> at = function_table(c, table);
        const int n = c.n_leaders;
        for (int f = 0; f < c.n_followers; ++f) {
            for (int k = 0; k < n * n; ++k) {
                const T product = velocity(k / n) * velocity(k % n);
                out[f] = mul_add(curvature_at(tree, c, at, x, f * n * n + k), product, out[f]);
            }
        }
    }
    visit_closed_form(c.kind, [&](auto form) {
        using Form = decltype(form);
        Dual<Dual<T>> y[Form::leaders], value[Form::followers];
        for (int l = 0; l < Form::leaders; ++l) {
            const T rate = velocity(l);
            y[l] = {{leader_position(tree, c, x, l), rate}, {rate, T(0.0)}};
        }
        Form::value(numbers, y, value);
        for (int f = 0; f < Form::followers; ++f) out[f] = value[f].rate.rate;
    });
}

}  // namespace tarsus::TARSUS_ISA
