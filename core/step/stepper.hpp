// One step of semi-implicit Euler with contacts, for one state or a state in each lane:
//
//   outwards   velocities, poses; what the controller wants
//   inwards    articulated inertias
//   outwards   accelerations, and with them v* = v + dt a, as if nothing touched
//   contacts   rows, the operator by test forces, impulses p that obey the laws
//   outwards   v⁺ = v* + H⁻¹ Jᵀ p
//   at last    q⁺ = q ⊕ (dt v⁺ + δ), δ moving out what has entered
#pragma once

#include "dynamics/springs.hpp"
#include "step/control.hpp"
#include "step/measure.hpp"
#include "step/part_energies.hpp"
#include "step/part_pushes.hpp"
#include "step/penalty_forces.hpp"
#include "step/turning_axes.hpp"
#include "step/whirling.hpp"
#include "step/works.hpp"
#include "world/run.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFastest = 1e8;  // a run that is faster has diverged
constexpr double kSolved = 1e-8;  // of the speeds: a larger residual is told

template <class T>
class Stepper {
   public:
    static constexpr int kCount = kLaneCount<T>;

    // of the state, as users see it
    T *q, *v, *parameters, *tau, *integral;
    T alive;
    T unsolved, worst;  // steps that the solver left with a residual, and the largest one
    Impulses<T> impulses;
    Works<T> works;
    Moment<T> at;
    StepFault fault[kCount];
    int fault_element[kCount];

    Stepper(const World& world, const Parts& parts, Scratch& scratch)
        : impulses(world, parts, scratch),
          works(world, scratch),
          at(world, scratch),
          world_(world),
          tree_(*world.tree),
          scratch_(scratch) {
        q = scratch.take<T>(tree_.nq), v = scratch.take<T>(tree_.nv);
        parameters = scratch.take<T>(world.parameter_size());
        tau = scratch.take<T>(tree_.nv), integral = scratch.take<T>(tree_.nv);
        next_q_ = scratch.take<T>(tree_.nq), next_v_ = scratch.take<T>(tree_.nv);
        diagonal_ = scratch.take<T>(tree_.nv);
        part_energy = scratch.take<T>(parts.list.size());
        scratch_ = scratch;
    }

    static size_t bytes(const World& world, const Parts& parts) {
        const Tree& tree = *world.tree;
        Scratch counter = Scratch::counter();
        Stepper own(world, parts, counter);
        const size_t nv = tree.nv;
        const size_t step = spanning_bytes<T>(tree) + ArticulatedPasses<T>::bytes(tree) +
                            8 * bytes_of<T>(nv) + 7 * bytes_of<T>(tree.joint_nv) +
                            bytes_of<T>(tree.joint_nq) + configuration_bytes<T>(tree) +
                            Whirling<T>::bytes(tree);
        const size_t control = spanning_bytes<T>(tree) + Controller<T>::bytes(world);
        return counter.counted() + std::max({step, control, measure_bytes<T>(tree)});
    }

    // `controls`: this step starts a period of the controller
    TARSUS_INLINE void step(const double* const* command, bool controls, bool ledger);

    TARSUS_INLINE Energies<T> energies() const {
        return measure<T>(tree_, q, v, mass_scale(), scratch_);
    }
    // values of the rows of parts, and their rates
    TARSUS_APART void look_at_parts(T* values, T* rates) {
        Scratch scratch = scratch_;
        const JointState<T> joints = joint_state(scratch);
        ArticulatedPasses<T> passes(tree_, joints, {nullptr, nullptr}, scratch);
        passes.velocities(nullptr);
        for (int i = 0; i <= tree_.n_bodies; ++i) at.start[i] = passes.body[i].v;
        place_bodies(passes, at.pose);
        impulses.parts.begin(at, joints);
        impulses.parts.look(values, rates);
    }
    // what each part stores; returns what of it belongs to the half step of staggering
    T* part_energy;
    TARSUS_APART T stored() {
        if (impulses.parts.parts.empty()) return T(0.0);
        Scratch scratch = scratch_;
        const JointState<T> joints = joint_state(scratch);
        ArticulatedPasses<T> passes(tree_, joints, {nullptr, mass_scale()}, scratch);
        passes.velocities(nullptr);
        Pose<T>* pose = scratch.take<Pose<T>>(tree_.n_bodies + 1);
        Motion<T>* motion = scratch.take<Motion<T>>(tree_.n_bodies + 1);
        for (int i = 0; i <= tree_.n_bodies; ++i) motion[i] = passes.body[i].v;
        place_bodies(passes, pose);
        return impulses.parts.stored(pose, motion, joints, passes.loads, at.dt, part_energy);
    }

   private:
    const T* mass_scale() const {
        const T* scale = parameters + world_.mass_scale();
        for (int i = 0; i < tree_.n_bodies; ++i) {
            if (any(absolute(scale[i] - T(1.0)) > T(0.0))) return scale;
        }
        return nullptr;
    }
    JointState<T> joint_state(Scratch& scratch) const {
        if (!tree_.coupled) return {q, v, nullptr, nullptr};
        return span_coupled<T>(tree_, nullptr, q, v, nullptr, scratch);
    }
    TARSUS_INLINE void joint_forces(const JointState<T>& joints, T* force, T* diagonal,
                                    Scratch& scratch);
    TARSUS_APART void push_motors(const JointState<T>& joints, T* force, T* diagonal,
                                  Scratch& scratch);
    TARSUS_INLINE void judge();
    TARSUS_INLINE void judge_solution();
    TARSUS_INLINE void fail_where(const T& failed, StepFault reason);
    TARSUS_APART void explain(const T& bad);

    const World& world_;
    const Tree& tree_;
    Scratch scratch_;
    T *next_q_, *next_v_, *diagonal_;
};

template <class T>
TARSUS_INLINE void Stepper<T>::step(const double* const* command, bool controls, bool ledger) {
    const T zero(0.0), dt = at.dt;
    Scratch scratch = scratch_;
    const JointState<T> joints = joint_state(scratch);
    if (controls) {
        Controller<T>{world_, q, v, parameters, command, tau, integral, diagonal_}.run(scratch);
    }
    T* force = scratch.take<T>(tree_.nv);
    const bool implicit = world_.implicit || impulses.parts.motors.any();
    T* diagonal = implicit ? scratch.take<T>(tree_.joint_nv) : nullptr;
    joint_forces(joints, force, diagonal, scratch);
    if (impulses.parts.motors.any()) push_motors(joints, force, diagonal, scratch);

    ArticulatedPasses<T> passes(tree_, joints, {diagonal, mass_scale()}, scratch);
    passes.velocities(nullptr);
    for (int i = 0; i <= tree_.n_bodies; ++i) at.start[i] = passes.body[i].v;
    place_bodies(passes, at.pose);
    const T fast = impulses.parts.hold() ? zero : whirls(tree_, at.start, dt);
    push_gyration(tree_, at.start, mass_scale(), dt, fast, force);
    impulses.begin();
    PartSteps<T>& parts = impulses.parts;
    if (!parts.parts.empty()) parts.begin(at, joints), parts.push(at, passes);
    if (world_.law == Law::penalty) {
        impulses.find(at, at.start, parameters, alive);
        push_by_penalty(world_, at, parameters, impulses, passes);
    }
    Whirling<T> whirling(passes, scratch);
    if (any(fast > zero)) whirling.keep(passes);
    passes.inertias(force);
    T *a = scratch.take<T>(tree_.nv), *later = scratch.take<T>(tree_.nv);
    passes.accelerations(world_at_rest<T>(tree_).a, a);
    for (int k = 0; k < tree_.nv; ++k) later[k] = v[k];
    if (any(fast > zero)) whirling.go_round(passes, at.start, force, dt, fast, later, a);
    for (int k = 0; k < tree_.nv; ++k) next_v_[k] = mul_add(dt, a[k], v[k]);
    if (world_.turning) add_turning(tree_, v, later, dt, next_v_);

    T* w = tree_.coupled ? scratch.take<T>(tree_.joint_nv) : next_v_;
    if (tree_.coupled) spread_velocities(tree_, joints.G, next_v_, w);
    body_velocities(passes, w, at.free);
    T* shift = scratch.take<T>(tree_.nv);
    for (int k = 0; k < tree_.nv; ++k) shift[k] = zero;
    impulses.resolve(at, parameters, alive, passes, w, next_v_, shift);
    judge_solution();
    // adding zero leaves no trace of contacts that only other lanes have
    for (int k = 0; k < tree_.nv; ++k) next_v_[k] = next_v_[k] + zero;

    if (world_.control == ControlKind::implicit_pd) {
        for (int k = 0; k < tree_.nv; ++k) {
            tau[k] = neg_mul_add(diagonal_[k] / dt, next_v_[k] - v[k], tau[k]);
        }
    }
    T* step = scratch.take<T>(tree_.nv);
    T* joint_step = tree_.coupled ? scratch.take<T>(tree_.joint_nv) : step;
    const T* moving = world_.explicit_euler ? v : next_v_;
    for (int k = 0; k < tree_.nv; ++k) step[k] = mul_add(dt, moving[k], shift[k]);
    if (tree_.coupled) spread_velocities(tree_, joints.G, step, joint_step);
    step_configuration<T>(tree_, nullptr, {joints.q, joint_step, nullptr, joints.G}, step, next_q_,
                          scratch);
    judge();
    const bool acted = !parts.parts.empty();
    if (tree_.coupled && (ledger || acted)) spread_velocities(tree_, joints.G, next_v_, w);
    if (acted) parts.finish(at, w, alive, ledger);
    if (parts.motors.any()) parts.motors.finish(parts.numbers, parts.memory, w, dt, alive);
    if (ledger) {
        works.add({v, next_v_, joints.v, w, tau, parameters, alive}, at, impulses);
    }
    if (world_.turning) turn_axes(tree_, q, step, next_q_, next_v_);
    // a state that came out wrong keeps the last good one
    for (int k = 0; k < tree_.nq; ++k) q[k] = select(alive > zero, next_q_[k], q[k]);
    for (int k = 0; k < tree_.nv; ++k) v[k] = select(alive > zero, next_v_[k], v[k]);
}

// what springs and dampers add to the torques, and what acts at the end of the step
template <class T>
TARSUS_INLINE void Stepper<T>::joint_forces(const JointState<T>& joints, T* force, T* diagonal,
                                            Scratch& scratch) {
    for (int k = 0; k < tree_.nv; ++k) force[k] = tau[k];
    if (world_.passive) {
        T* on_joint = scratch.take<T>(tree_.joint_nv);
        T* gathered = scratch.take<T>(tree_.nv);
        stretch(tree_, joints.q, scratch, on_joint);
        for (int k = 0; k < tree_.joint_nv; ++k) {
            on_joint[k] = -(T(tree_.stiffness[k]) * on_joint[k]);
            on_joint[k] = neg_mul_add(T(tree_.damping[k]), joints.v[k], on_joint[k]);
        }
        gather_forces(tree_, joints.G, on_joint, gathered);
        for (int k = 0; k < tree_.nv; ++k) force[k] += gathered[k];
    }
    if (!diagonal) return;
    for (int k = 0; k < tree_.joint_nv; ++k) diagonal[k] = at.dt * T(tree_.damping[k]);
    if (world_.control != ControlKind::implicit_pd) return;
    for (int k = 0; k < tree_.nv; ++k) {
        diagonal[tree_.velocity_to.empty() ? k : tree_.velocity_to[k]] += diagonal_[k];
    }
}

template <class T>
TARSUS_APART void Stepper<T>::push_motors(const JointState<T>& joints, T* force, T* diagonal,
                                          Scratch& scratch) {
    T* on_joint = tree_.coupled ? scratch.take<T>(tree_.joint_nv) : force;
    PartSteps<T>& parts = impulses.parts;
    for (int w = 0; tree_.coupled && w < tree_.joint_nv; ++w) on_joint[w] = T(0.0);
    parts.motors.push(parts.numbers, parts.memory, joints.v, at.dt, on_joint, diagonal);
    if (!tree_.coupled) return;
    T* gathered = scratch.take<T>(tree_.nv);
    gather_forces(tree_, joints.G, on_joint, gathered);
    for (int k = 0; k < tree_.nv; ++k) force[k] += gathered[k];
}

// counts what the solver left, and gives up where it did
template <class T>
TARSUS_INLINE void Stepper<T>::judge_solution() {
    const T zero(0.0), missed = impulses.residual / impulses.speed;
    const T told = select(missed > T(kSolved), alive, zero);
    unsolved += told;
    worst = select(told * missed > worst, missed, worst);
    fail_where(impulses.crowded, StepFault::crowded);
    fail_where(impulses.failed, StepFault::unsolved);
    if (world_.strict) fail_where(told, StepFault::unsolved);
}

template <class T>
TARSUS_INLINE void Stepper<T>::fail_where(const T& failed, StepFault reason) {
    if (!any(failed > T(0.0))) return;
    for (int l = 0; l < kCount; ++l) {
        if (lane_of(failed, l) > 0 && fault[l] == StepFault::none) fault[l] = reason;
    }
    alive = select(failed > T(0.0), T(0.0), alive);
}

template <class T>
TARSUS_INLINE void Stepper<T>::judge() {
    const T zero(0.0), one(1.0);
    T good(1.0);
    for (int k = 0; k < tree_.nv; ++k) {
        good = select(absolute(next_v_[k]) < T(kFastest), good, zero);
    }
    for (int k = 0; k < tree_.nq; ++k) good = select(absolute(next_q_[k]) < T(1e150), good, zero);
    if (any(one - good > zero)) explain(one - good);
    alive = alive * good;
}

// which number went wrong first
template <class T>
TARSUS_APART void Stepper<T>::explain(const T& bad) {
    for (int l = 0; l < kCount; ++l) {
        if (!(lane_of(bad, l) > 0) || !(lane_of(alive, l) > 0) || fault[l] != StepFault::none)
            continue;
        fault[l] = StepFault::loops_lost;  // where all velocities are good
        for (int k = tree_.nv - 1; k >= 0; --k) {
            const double x = lane_of(next_v_[k], l);
            if (std::abs(x) < kFastest) continue;
            fault[l] = std::isfinite(x) ? StepFault::diverged : StepFault::not_finite;
            fault_element[l] = k;
        }
        if (fault[l] == StepFault::loops_lost && !tree_.coupled) fault[l] = StepFault::diverged;
    }
}

}  // namespace tarsus::TARSUS_ISA
