// What contacts, joint friction, limits and loops do in a step.
#pragma once

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_APART void Stepper<T>::push_by_penalty(ArticulatedPasses<T>& passes) {
    n_contacts = find_contacts<T>(world_, {pose_, start_, start_}, parameters, alive, contacts);
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
                                      Scratch& usual) {
    if (world_.law != Law::penalty) {
        n_contacts = find_contacts<T>(world_, {pose_, start_, free_}, parameters, alive, contacts);
        refuse_crowds();
    }
    const int n_loop_rows = tree_.n_constraint_rows;
    const int pushed = world_.law == Law::penalty ? 0 : n_contacts;
    const bool solved = pushed > 0;
    if (!solved && world_.n_rows() == 0 && n_loop_rows == 0) return keep_impulses(problem_);

    const bool crowd = pushed > usual_contacts(world_);
    Scratch spare(crowd ? spare_memory(resolve_bytes(world_, pushed)) : nullptr);
    Scratch& scratch = crowd ? spare : usual;
    const int rows = rows_with(world_, pushed), blocks = blocks_with(world_, pushed);
    TestForces<T> test(passes, rows, blocks, scratch);
    RowMap<T> map(rows, scratch);
    Problem<T>& problem = problem_;
    problem.n_blocks = problem.n_rows = 0;
    problem.block = scratch.take<Block<T>>(blocks);
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
        const SolverReport<T> report =
            world_.law == Law::lemke ? solve_by_lemke<T>(world_, problem) : exact.solve(problem);
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

}  // namespace tarsus::TARSUS_ISA
