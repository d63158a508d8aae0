// The step itself, from a state to the next one.
#pragma once

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_INLINE void Stepper<T>::step(const double* const* command, bool controls, bool ledger) {
    const T dt(world_.dt), zero(0.0);
    Scratch scratch = scratch_;
    const JointState<T> joints = joint_state(scratch);
    if (controls) {
        Controller<T>{world_, q, v, parameters, command, tau, integral, diagonal_}.run(scratch);
    }
    T* force = scratch.take<T>(tree_.nv);
    T* diagonal = world_.implicit ? scratch.take<T>(tree_.joint_nv) : nullptr;
    joint_forces(joints, force, diagonal, scratch);

    ArticulatedPasses<T> passes(tree_, joints, {diagonal, mass_scale()}, scratch);
    passes.velocities(nullptr);
    for (int i = 0; i <= tree_.n_bodies; ++i) start_[i] = passes.body[i].v;
    place_bodies(passes, pose_);
    n_contacts = 0, iterations = zero, residual = zero;
    if (world_.law == Law::penalty) push_by_penalty(passes);
    passes.inertias(force);
    T* a = scratch.take<T>(tree_.nv);
    passes.accelerations(world_at_rest<T>(tree_).a, a);
    for (int k = 0; k < tree_.nv; ++k) next_v_[k] = mul_add(dt, a[k], v[k]);
    if (world_.turning) add_turning(tree_, v, dt, next_v_);

    T* w_next = tree_.coupled ? scratch.take<T>(tree_.joint_nv) : next_v_;
    if (tree_.coupled) spread_velocities(tree_, joints.G, next_v_, w_next);
    body_velocities(passes, w_next, free_);
    T* delta = scratch.take<T>(tree_.nv);
    resolve(passes, w_next, delta, scratch);
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
    for (int k = 0; k < tree_.nv; ++k) step[k] = dt * moving[k];
    if (tree_.coupled) spread_velocities(tree_, joints.G, step, joint_step);
    step_configuration<T>(tree_, nullptr, {joints.q, joint_step, nullptr, joints.G}, step, next_q_,
                          scratch);
    judge();
    if (ledger) {
        if (tree_.coupled) spread_velocities(tree_, joints.G, next_v_, w_next);
        write_works(joints.v, w_next);
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
    const T dt(world_.dt);
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
    for (int k = 0; k < tree_.joint_nv; ++k) diagonal[k] = dt * T(tree_.damping[k]);
    if (world_.control != ControlKind::implicit_pd) return;
    for (int k = 0; k < tree_.nv; ++k) {
        diagonal[tree_.velocity_to.empty() ? k : tree_.velocity_to[k]] += diagonal_[k];
    }
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
