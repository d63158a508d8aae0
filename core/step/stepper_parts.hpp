// The parts of a step, in the order in which it takes them.
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
TARSUS_APART void Stepper<T>::push_by_penalty(ArticulatedPasses<T>& passes) {
    n_contacts = find_contacts<T>(world_, {pose_, start_, start_}, alive, contacts);
    refuse_crowds();
    T* slipped = kept;
    for (int k = 0; k < n_touched_; ++k) {  // those that do not touch any more start anew
        const int candidate = touched_[k];
        T on(0.0);
        for (int c = 0; c < n_contacts; ++c) {
            if (contacts[c].candidate == candidate) on = contacts[c].on;
        }
        for (int i = 0; i < 3; ++i) {
            T& way = slipped[3 * candidate + i];
            way = select(on > T(0.0), way, T(0.0));
        }
    }
    n_touched_ = 0;
    for (int c = 0; c < n_contacts; ++c) {
        const Contact<T>& contact = contacts[c];
        T* way = slipped + 3 * contact.candidate;
        Vec3<T> bristle{way[0], way[1], way[2]};
        T* f = impulse + 3 * c;
        penalty_force(world_, contact, parameters, bristle, f);
        for (int i = 0; i < 3; ++i) {
            way[i] = select(contact.on > T(0.0), part(bristle, i), T(0.0));
        }
        keep_candidate(contact.candidate);
        const Force<T> push{from_frame(contact, f), zero_vector<T>()};
        Force<T>& on_a = passes.body[contact.a + 1].p;
        on_a = on_a - force_on(pose_[contact.a + 1], contact.touch.point, push);
        if (contact.b >= 0) {
            Force<T>& on_b = passes.body[contact.b + 1].p;
            on_b = on_b + force_on(pose_[contact.b + 1], contact.touch.point, push);
        }
        for (int i = 0; i < 3; ++i) f[i] = f[i] * T(world_.dt);
    }
}

// impulses of contacts, joint friction, limits and loops; free_ and next_v_ become the velocities
// after them
template <class T>
TARSUS_APART void Stepper<T>::resolve(ArticulatedPasses<T>& passes, const T* w_free, T* delta,
                                      Scratch& scratch) {
    if (world_.law != Law::penalty) {
        n_contacts = find_contacts<T>(world_, {pose_, start_, free_}, alive, contacts);
        refuse_crowds();
    }
    const int rows = most_rows(world_), n_loop_rows = tree_.n_constraint_rows;
    const bool solved = world_.law != Law::penalty && n_contacts > 0;
    if (!solved && world_.n_rows() == 0 && n_loop_rows == 0) return keep_impulses(problem_);

    TestForces<T> test(passes, rows, most_blocks(world_), scratch);
    RowMap<T> map(rows, scratch);
    Problem<T>& problem = problem_;
    problem.n_blocks = problem.n_rows = 0;
    problem.block = scratch.take<Block<T>>(most_blocks(world_));
    problem.b = scratch.take<T>(rows), problem.p = scratch.take<T>(rows);
    T* lose = scratch.take<T>(n_loop_rows);
    loop_impulse_ = scratch.take<T>(n_loop_rows);
    test.clear();
    push_loops(test, map, lose, scratch);
    push_joints(passes.joints, test, map, problem, w_free);
    if (solved) push_contacts(test, map, problem);
    const int N = map.size(), m = problem.n_rows, tests = test.rows();
    T* whole = scratch.take<T>(size_t(tests) * tests);
    test.sum_operator(whole);
    if (map.shared()) {
        const T* of_tests = whole;
        whole = scratch.take<T>(size_t(N) * N);
        map.expand(of_tests, tests, whole);
    }
    LoopElimination<T> loops(tree_, rows, scratch);
    problem.A = whole;
    if (n_loop_rows > 0) {
        problem.A = scratch.take<T>(size_t(m) * m);
        loops.reduce(whole, N, lose, problem);
    }
    if (m > 0) {
        ExactSolver<T> exact(world_, problem.n_blocks, m, scratch);
        const SolverReport<T> report = world_.law == Law::lemke
                                           ? solve_by_lemke<T>(world_, problem)
                                           : exact.solve(problem);
        iterations = report.iterations, residual = report.residual;
        fail_where(report.failed, StepFault::unsolved);
    }
    T* p = problem.p;
    if (n_loop_rows > 0) {
        loops.impulses(problem.p, m, loop_impulse_);
        p = scratch.take<T>(N);
        for (int k = 0; k < n_loop_rows; ++k) p[k] = loop_impulse_[k];
        for (int k = 0; k < m; ++k) p[n_loop_rows + k] = problem.p[k];
    }
    if (map.shared()) {
        T* of_tests = scratch.take<T>(tests);
        map.collect(p, tests, of_tests);
        p = of_tests;
    }
    keep_impulses(problem);
    test.load(p);
    for (int i = 0; i <= tree_.n_bodies; ++i) passes.body[i].c = zero_motion<T>();
    passes.accelerations(zero_motion<T>(), delta);
    for (int k = 0; k < tree_.nv; ++k) next_v_[k] = next_v_[k] + delta[k];
    for (int i = 0; i <= tree_.n_bodies; ++i) free_[i] = free_[i] + passes.body[i].v;
}

// lanes with more contacts than there is room for give up
template <class T>
TARSUS_INLINE void Stepper<T>::refuse_crowds() {
    const T zero(0.0);
    T count(0.0);
    for (int c = 0; c < n_contacts; ++c) count += contacts[c].on;
    const T crowded = select(count > T(double(world_.max_contacts)), T(1.0), zero);
    if (!any(crowded > zero)) return;
    fail_where(crowded, StepFault::crowded);
    int left = 0;
    for (int c = 0; c < n_contacts; ++c) {
        contacts[c].on = select(crowded > zero, zero, contacts[c].on);
        if (any(contacts[c].on > zero)) contacts[left++] = contacts[c];
    }
    n_contacts = left;
}

template <class T>
TARSUS_INLINE void Stepper<T>::fail_where(const T& failed, StepFault reason) {
    for (int l = 0; l < kCount; ++l) {
        if (lane_of(failed, l) > 0 && fault[l] == StepFault::none) fault[l] = reason;
    }
    alive = select(failed > T(0.0), T(0.0), alive);
}

// rows of loops outside the clusters; `lose` receives by how much their rates must change
template <class T>
TARSUS_INLINE void Stepper<T>::push_loops(TestForces<T>& test, RowMap<T>& map, T* lose,
                                          Scratch& scratch) {
    loop_mean_ = scratch.take<T>(tree_.n_constraint_rows);
    for_each_constraint(tree_, [&](const Loop& loop, int first) {
        LoopAt<T> at;
        loop_at(tree_, loop, pose_[loop.a.body + 1], pose_[loop.b.body + 1], at);
        push_loop(test, loop, pose_, at);
        for (int r = 0; r < loop.n_rows; ++r) map.add(first + r);
        const auto rate = [&](const Motion<T>* motion, int r) {
            const Pose<T>&a = pose_[loop.a.body + 1], &b = pose_[loop.b.body + 1];
            const Motion<T>&va = motion[loop.a.body + 1], &vb = motion[loop.b.body + 1];
            const Vec3<T> apart =
                point_velocity(b, vb, at.point) - point_velocity(a, va, at.point);
            const Vec3<T> turn = b.rotation * vb.angular - a.rotation * va.angular;
            return dot(at.row[r].linear, apart) + dot(at.row[r].angular, turn);
        };
        for (int r = 0; r < loop.n_rows; ++r) {
            const T target = at.residual[r] * T(-kLoopFeedback / world_.dt);
            lose[first + r] = rate(free_, r) - target;
            loop_mean_[first + r] = T(0.5) * (rate(start_, r) + target);
        }
    });
}

// a block of the problem whose rows come next
template <class T>
TARSUS_INLINE Block<T>& Stepper<T>::add_block(Problem<T>& problem, BlockKind kind, int index,
                                              int rows) {
    Block<T>& block = problem.block[problem.n_blocks++];
    block = {kind, problem.n_rows, index, alive, T(0.0), T(0.0), T(0.0)};
    problem.n_rows += rows;
    return block;
}

// dry friction and limits of joints
template <class T>
TARSUS_INLINE void Stepper<T>::push_joints(const JointState<T>& joints, TestForces<T>& test,
                                           RowMap<T>& map, Problem<T>& problem, const T* w_free) {
    const T zero(0.0), dt(world_.dt);
    for (int k = 0; k < int(world_.friction.size()); ++k) {
        const DryFriction& dry = world_.friction[k];
        Block<T>& block = add_block(problem, BlockKind::friction, k, 1);
        const T resting = select(absolute(joints.v[dry.w]) < T(kJointAtRest), T(1.0), zero);
        block.bound = select(resting > zero, T(dry.stiction), T(dry.coulomb)) * dt;
        problem.b[block.row] = w_free[dry.w];
        problem.p[block.row] = kept_rows[k] * alive;
        map.add(test.rows());
        test.push_joint(dry.w);
    }
    for (int k = 0; k < int(world_.limits.size()); ++k) {
        const Limit& limit = world_.limits[k];
        const T sign(limit.sign), rate = sign * w_free[limit.w];
        const T gap = sign * (joints.q[limit.x] - T(limit.bound));
        const T coming = select(mul_add(dt, rate, gap) < zero, alive, zero);
        const T on = select(gap > zero, coming, alive);
        const int at = int(world_.friction.size()) + k;
        if (!any(on > zero)) {
            kept_rows[at] = zero;
            continue;
        }
        Block<T>& block = add_block(problem, BlockKind::limit, k, 1);
        block.on = on;
        block.target = ahead_target(gap, dt);
        problem.b[block.row] = rate;
        problem.p[block.row] = select(on > zero, kept_rows[at], zero);
        map.add(test.rows());
        test.push_joint(limit.w, limit.sign);
    }
}

template <class T>
TARSUS_INLINE void Stepper<T>::push_contacts(TestForces<T>& test, RowMap<T>& map,
                                             Problem<T>& problem) {
    int body = -1, first = -1;
    for (int k = 0; k < n_contacts; ++k) {
        // contacts with the ground come body by body
        const Contact<T>& contact = contacts[k];
        if (contact.b >= 0 || !world_.shares[contact.a]) {
            push_contact(k, -1, test, map, problem);
            continue;
        }
        if (contact.a != body) {
            body = contact.a, first = test.rows();
            push_unit_wrenches(test, body);
        }
        push_contact(k, first, test, map, problem);
    }
}

// `first`: where the unit wrenches of its body start, −1 if it has rows of its own
template <class T>
TARSUS_INLINE void Stepper<T>::push_contact(int k, int first, TestForces<T>& test, RowMap<T>& map,
                                            Problem<T>& problem) {
    const T zero(0.0);
    const Contact<T>& contact = contacts[k];
    Block<T>& block = add_block(problem, BlockKind::contact, k, 3);
    const Vec3<T> start = in_frame(contact, contact.start), free = in_frame(contact, contact.free);
    block.on = contact.on;
    block.target = normal_target(world_, contact.touch.gap, start.x, parameters);
    block.mu = parameters[kFriction];
    const T slip = square_root(mul_add(start.y, start.y, start.z * start.z));
    block.bound = T(world_.dt) * parameters[kViscous] * slip;
    const T row[3] = {free.x, free.y, free.z};
    const T* before = kept + 3 * contact.candidate;
    RowForces<T> on_a, on_b;
    const Vec3<T>* direction[3] = {&contact.touch.normal, &contact.across, &contact.along};
    for (int i = 0; i < 3; ++i) {
        problem.b[block.row + i] = row[i];
        problem.p[block.row + i] = select(contact.on > zero, before[i], zero);
        const Force<T> push{*direction[i], zero_vector<T>()};
        on_a.f[i] = force_on(pose_[contact.a + 1], contact.touch.point, push);
        if (first >= 0) {
            map.add(first, on_a.f[i]);
            continue;
        }
        map.add(test.rows() + i);
        if (contact.b < 0) continue;
        const Force<T> back = force_on(pose_[contact.b + 1], contact.touch.point, push);
        on_b.f[i] = {-back.linear, -back.angular};
    }
    if (first < 0) test.push_bodies(3, contact.a, on_a, contact.b, on_b);
}

// for the next step to start with
template <class T>
TARSUS_INLINE void Stepper<T>::keep_impulses(const Problem<T>& problem) {
    if (world_.law != Law::penalty) {
        for (int k = 0; k < n_touched_; ++k) {
            for (int i = 0; i < 3; ++i) kept[3 * touched_[k] + i] = T(0.0);
        }
        n_touched_ = 0;
    }
    if (n_contacts == 0 && world_.n_rows() == 0) return;
    const int n_friction = int(world_.friction.size());
    for (int k = 0; k < problem.n_blocks; ++k) {
        const Block<T>& block = problem.block[k];
        const T* p = problem.p + block.row;
        if (block.kind == BlockKind::friction) kept_rows[block.index] = p[0] + T(0.0);
        if (block.kind == BlockKind::limit) kept_rows[n_friction + block.index] = p[0] + T(0.0);
        if (block.kind != BlockKind::contact) continue;
        const int candidate = contacts[block.index].candidate;
        keep_candidate(candidate);
        for (int i = 0; i < 3; ++i) {
            kept[3 * candidate + i] = impulse[3 * block.index + i] = p[i] + T(0.0);
        }
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
        if (!(lane_of(bad, l) > 0) || !(lane_of(alive, l) > 0) || fault[l] != StepFault::none) continue;
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
