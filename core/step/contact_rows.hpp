// The rows of a step's problem: loops, joints and contacts, as test forces on the mechanism.
#pragma once

namespace tarsus::TARSUS_ISA {

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
            const Vec3<T> apart = point_velocity(b, vb, at.point) - point_velocity(a, va, at.point);
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
    for (int i = 0; i < 3; ++i) {
        problem.b[block.row + i] = row[i];
        problem.p[block.row + i] = select(contact.on > zero, before[i], zero);
    }
    push_contact_rows(contact, pose_, first, test, map);
}

}  // namespace tarsus::TARSUS_ISA
