// How accelerations of a mechanism change with its state and its parameters: for steps dq and
// changes dv, m of them at once as columns of nv × m,
//
//   H da = −∂ID/∂q dq − ∂ID/∂v dv + ∂τ + ∂(Jᵀλ),   J da + ∂(J̇ v + J a) = 0
//
// (forward_dynamics_derivatives.cpp). The last columns are those of the parameters, in which these
// change, too.
#pragma once

#include "dynamics/constraint_derivatives.hpp"
#include "flow/wide.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class Linearised {
   public:
    // all of them must outlive it; `loses`: forces are added with `lose`
    Linearised(const Tree& tree, const Wide& wide, bool loses, Scratch& scratch);
    static size_t bytes(const Tree& tree, const Wide& wide);

    // at a motion: positions, velocities and accelerations of the mechanism
    void look(const T* q, const T* v, const T* a);
    // the forces (nv) that this motion needs
    const T* needed();
    // … which these (nv) and those of its constraints are
    void hold(const T* tau);

    // force r depends on step and velocity k by more than is known here
    void lose(int r, int k, const T& of_q, const T& of_v) {
        by_q_(wide_.own[r], wide_.own[k]) -= of_q, by_v_(wide_.own[r], wide_.own[k]) -= of_v;
    }

    // X (nv × m) := what a motion needs more that changes like this
    void ask(const T* dq, const T* dv);
    // X := −H⁻¹ X
    void solve() { solve_columns(tree_, L_, X); }
    // X := the nearest that keeps the rows of constraints: steps, for `positions`; accelerations
    // for steps dq and changes dv
    enum class Of { positions, accelerations };
    void close(Of of, const T* dq, const T* dv);

    // velocities of all joints of the wide tree, and how a column of dq moves them
    const T& joint_velocity(int w) const { return d_.moving.joints.v[w]; }
    T joint_step(int w, const T* dq, int column) const;

    const LaneMatrix<T> X;

   private:
    void fill(const T* q, const T* v, const T* a);
    void weigh_parameters();
    template <int n>
    void ask_block(int r, int column, const T* dq, const T* dv);
    // function(parameter, number) for those that velocity k of the wide tree is a length of
    template <class Function>
    void for_each_length(int k, Function&& function) const {
        for (const ParameterTerm& term : wide_.terms) {
            if (term.kind == ParameterTerm::Kind::length && term.index == k)
                function(term.parameter, term.numbers[0]);
        }
    }

    const Tree& tree_;
    const Wide& wide_;
    const Tree& broad_;
    const int columns_, parameters_;
    const bool forces_, adds_;         // adds_: some of them depend on velocities of other branches
    const LaneMatrix<T> by_q_, by_v_;  // of what the motion needs, in the wide tree
    std::vector<std::vector<int>> related_;  // for each velocity those on which its force depends
    T *q_, *v_, *a_;                         // of the wide tree
    T *L_, *of_parameters_, *needed_;        // of_parameters_: nv × parameters
    MultiplierWork<T> work_;
    T *J_, *Y_;                 // rows × velocities of the wide tree; rows × nv
    Scratch scratch_, behind_;  // for what is known of a motion; and behind it
    MotionDerivatives<T> d_{};
    RowDerivatives<T> rows_{};
};

}  // namespace tarsus::TARSUS_ISA
