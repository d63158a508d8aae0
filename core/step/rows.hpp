// The rows of a step's problem: loops, joints and contacts, as test forces on the mechanism.
#pragma once

#include "constraints/problem.hpp"
#include "parts/part.hpp"
#include "step/moment.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kLoopFeedback = 0.2;  // part of a loop's gap that is closed in a step
constexpr double kJointAtRest = 1e-3;  // [rad/s, m/s] stiction acts below
constexpr double kUnbounded = 1e300;

// what joints did in the last step, and which limits belong to this one whatever they seem to do
template <class T>
struct JointRows {
    T* kept;    // impulses of dry frictions, then of limits
    T* wanted;  // for each limit
};

template <class T>
class StepRows {
   public:
    Problem<T> problem;
    TestForces<T> test;
    RowMap<T> map;
    T *lose, *loop_mean;  // by how much loops' rates must change; their mean velocities in the step

    StepRows(const World& world, const Parts& parts, const ArticulatedPasses<T>& passes,
             int n_contacts, Scratch& scratch)
        : test(passes, most(world, parts, n_contacts), most_blocks(world, parts, n_contacts),
               scratch),
          map(most(world, parts, n_contacts), scratch),
          lose(scratch.take<T>(world.tree->n_constraint_rows)),
          loop_mean(scratch.take<T>(world.tree->n_constraint_rows)),
          world_(world),
          tree_(*world.tree) {
        const int rows = most(world, parts, n_contacts);
        problem.block = scratch.take<Block<T>>(world.n_rows() + parts.n_rows + n_contacts);
        problem.b = scratch.take<T>(rows);
        problem.p = scratch.take<T>(rows);
    }
    static int most(const World& world, const Parts& parts, int n_contacts) {
        return world.tree->n_constraint_rows + world.n_rows() + parts.n_rows + 6 * n_contacts;
    }
    static int most_blocks(const World& world, const Parts& parts, int n_contacts) {
        return world.tree->n_constraints + world.n_rows() + parts.n_blocks + 2 * n_contacts;
    }
    // how many hold
    static int most_held(const World& world, const Parts& parts) {
        return world.tree->n_constraint_rows + parts.n_rows;
    }

    // rows of loops outside the clusters
    TARSUS_INLINE void push_loops(const Moment<T>& at) {
        for_each_constraint(tree_, [&](const Loop& loop, int first) {
            LoopAt<T> place;
            const Pose<T>&a = at.pose[loop.a.body + 1], &b = at.pose[loop.b.body + 1];
            loop_at(tree_, loop, a, b, place);
            push_loop(test, loop, at.pose, place);
            for (int r = 0; r < loop.n_rows; ++r) map.add(test.blocks() - 1, first + r);
            const auto rate = [&](const Motion<T>* motion, int r) {
                const Motion<T>&va = motion[loop.a.body + 1], &vb = motion[loop.b.body + 1];
                const Vec3<T> apart =
                    point_velocity(b, vb, place.point) - point_velocity(a, va, place.point);
                const Vec3<T> turn = b.rotation * vb.angular - a.rotation * va.angular;
                return dot(place.row[r].linear, apart) + dot(place.row[r].angular, turn);
            };
            for (int r = 0; r < loop.n_rows; ++r) {
                const T target = place.residual[r] * T(-kLoopFeedback) / at.dt;
                lose[first + r] = rate(at.free, r) - target;
                loop_mean[first + r] = T(0.5) * (rate(at.start, r) + target);
            }
        });
    }

    // dry friction and limits of joints; w: velocities of all joints without impulses
    TARSUS_INLINE void push_joints(const JointState<T>& joints, const T& dt, const T* w,
                                   const T& alive, const JointRows<T>& rows) {
        const T zero(0.0);
        const int n_friction = int(world_.friction.size());
        for (int k = 0; k < n_friction; ++k) {
            const DryFriction& dry = world_.friction[k];
            Block<T>& block = add_block(Source::joint_friction, k, 1, alive);
            const T resting = select(absolute(joints.v[dry.w]) < T(kJointAtRest), T(1.0), zero);
            block.high = select(resting > zero, T(dry.stiction), T(dry.coulomb)) * dt;
            block.low = -block.high;
            problem.b[block.row] = w[dry.w];
            problem.p[block.row] = rows.kept[k] * alive;
            map.add(test.blocks(), test.rows());
            test.push_joint(dry.w);
        }
        for (int k = 0; k < int(world_.limits.size()); ++k) {
            const Limit& limit = world_.limits[k];
            const T sign(limit.sign), rate = sign * w[limit.w];
            const T gap = sign * (joints.q[limit.x] - T(limit.bound));
            const T on = limit_on(gap, rate, dt, alive, rows.wanted[k]);
            rows.wanted[k] = on;
            if (!any(on > zero)) {
                rows.kept[n_friction + k] = zero;
                continue;
            }
            Block<T>& block = add_block(Source::joint_limit, k, 1, on);
            const T approach = sign * joints.v[limit.w];
            block.gap = gap;
            block.target = ahead_target(gap, dt);
            block.bounce = bounce(approach, T(world_.limit_restitution), T(kJointAtRest), block);
            problem.b[block.row] = rate;
            problem.p[block.row] = select(on > zero, rows.kept[n_friction + k], zero);
            map.add(test.blocks(), test.rows());
            test.push_joint(limit.w, limit.sign);
        }
    }
    // whether a limit is reached within the step at this rate
    static TARSUS_INLINE T limit_on(const T& gap, const T& rate, const T& dt, const T& alive,
                                    const T& wanted) {
        const T zero(0.0);
        const T coming = select(mul_add(dt, rate, gap) < T(-kTouching), alive, wanted);
        return select(gap > zero, coming, alive);
    }

    // contacts come in the order of candidates, those with the ground body by body
    TARSUS_INLINE void push_contacts(const Contact<T>* contacts, int n_contacts,
                                     const Moment<T>& at, const T* parameters, const T* kept,
                                     const T* turned) {
        int body = -1;
        UnitWrenches units;
        for (int k = 0; k < n_contacts; ++k) {
            const Contact<T>& contact = contacts[k];
            const bool shares = contact.b < 0 && world_.shares[contact.a];
            if (shares && contact.a != body) {
                body = contact.a, units = push_unit_wrenches(test, body);
            }
            const int own = 3 * contact.candidate;
            add_contact(contact, k, at, parameters, kept + own, turned + own);
            push_contact_rows(contact, world_.extras.rows(), at.pose,
                              shares ? units : UnitWrenches{}, test, map);
        }
    }

    // a block whose rows come next
    TARSUS_INLINE Block<T>& add_block(Source source, int index, int rows, const T& on) {
        const T zero(0.0);
        Block<T>& block = problem.block[problem.n_blocks++];
        block = {source, problem.n_rows, rows, index, {},   on,   zero, zero, zero, T(kUnbounded),
                 zero,   zero,           zero, zero,  zero, zero, zero, zero, zero, zero};
        problem.n_rows += rows;
        return block;
    }

   private:
    // what a bounce adds to the target of a first row that comes at this velocity
    static TARSUS_INLINE T bounce(const T& approach, const T& restitution, const T& rest,
                                  const Block<T>& block) {
        const T zero(0.0), back = select(approach < -rest, restitution, zero);
        return select(back > zero, -(back * approach) - block.target, zero);
    }
    TARSUS_INLINE void add_contact(const Contact<T>& contact, int k, const Moment<T>& at,
                                   const T* parameters, const T* before, const T* turned) {
        const T zero(0.0);
        const int rows = world_.extras.rows();
        Block<T>& block = add_block(Source::contact, k, rows, contact.on);
        const Vec3<T> start = in_frame(contact, contact.start), free = at.slide(contact, at.free);
        block.gap = contact.touch.gap;
        // what lies ahead may be closed but not entered
        block.target = world_.numbers.ahead ? ahead_target(block.gap, at.dt) : zero;
        block.bounce = bounce(start.x, restitution_of(world_, contact.candidate, parameters),
                              parameters[kRestSpeed], block);
        block.mu = friction_of(world_, contact.candidate, parameters);
        block.extras = extras_of(world_, contact.candidate);
        const T slip = square_root(mul_add(start.y, start.y, start.z * start.z));
        block.viscous = at.dt * parameters[kViscous] * slip;
        const Vec3<T> turn = rows > 3 ? at.turn(contact, at.free) : zero_vector<T>();
        const T b[6] = {free.x, free.y, free.z, turn.x, turn.y, turn.z};
        for (int i = 0; i < rows; ++i) {
            problem.b[block.row + i] = b[i];
            const T& last = i < 3 ? before[i] : turned[i - 3];
            problem.p[block.row + i] = select(contact.on > zero, last, zero);
        }
    }

    const World& world_;
    const Tree& tree_;
};

}  // namespace tarsus::TARSUS_ISA
