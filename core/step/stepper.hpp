// One step of semi-implicit Euler with contacts, for one state or a state in each lane:
//
//   outwards   velocities, poses; what the controller wants
//   inwards    articulated inertias
//   outwards   accelerations, and with them v* = v + dt a, as if nothing touched
//   contacts   rows, the operator by test forces, impulses p that obey the laws
//   outwards   v⁺ = v* + H⁻¹ Jᵀ p
//   at last    q⁺ = q ⊕ dt v⁺
#pragma once

#include "constraints/exact.hpp"
#include "constraints/lemke.hpp"
#include "constraints/penalty.hpp"
#include "constraints/row_map.hpp"
#include "step/control.hpp"
#include "step/measure.hpp"
#include "step/spare_memory.hpp"
#include "step/turning_axes.hpp"
#include "world/run.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kFastest = 1e8;       // a run that is faster has diverged
constexpr double kLoopFeedback = 0.2;  // part of a loop's gap that is closed in a step
constexpr int kUsualContacts = 32;     // at once, in all lanes together
constexpr double kJointAtRest = 1e-3;  // [rad/s, m/s] stiction acts below

template <class T>
class Stepper {
   public:
    static constexpr int kCount = kLaneCount<T>;

    // of the state, as users see it
    T *q, *v, *parameters, *tau, *integral, *works;
    T *kept, *kept_rows;  // impulses (or ways slipped) of all candidates and rows
    T alive, iterations, residual;
    int n_contacts = 0;
    Contact<T>* contacts;
    T* impulse;  // three for each contact
    T* work;     // of each contact in this step
    StepFault fault[kCount];
    int fault_element[kCount];

    Stepper(const World& world, Scratch& scratch)
        : world_(world), tree_(*world.tree), scratch_(scratch) {
        q = scratch.take<T>(tree_.nq), v = scratch.take<T>(tree_.nv);
        parameters = scratch.take<T>(world.parameter_size());
        tau = scratch.take<T>(tree_.nv), integral = scratch.take<T>(tree_.nv);
        works = scratch.take<T>(world.n_works());
        kept = scratch.take<T>(3 * size_t(world.n_candidates()));
        kept_rows = scratch.take<T>(world.n_rows());
        touched_ = scratch.take<int>(world.n_candidates());
        const int most = most_contacts(world);
        contacts = scratch.take<Contact<T>>(most + 1);
        impulse = scratch.take<T>(3 * size_t(most));
        work = scratch.take<T>(most);
        next_q_ = scratch.take<T>(tree_.nq), next_v_ = scratch.take<T>(tree_.nv);
        diagonal_ = scratch.take<T>(tree_.nv);
        pose_ = scratch.take<Pose<T>>(tree_.n_bodies + 1);
        start_ = scratch.take<Motion<T>>(tree_.n_bodies + 1);
        free_ = scratch.take<Motion<T>>(tree_.n_bodies + 1);
        scratch_ = scratch;
    }

    static int most_contacts(const World& world) { return world.n_candidates(); }
    // rows of a step with so many contacts in all lanes together
    static int rows_with(const World& world, int contacts) {
        return world.tree->n_constraint_rows + world.n_rows() + 6 * contacts;
    }
    static int blocks_with(const World& world, int contacts) {
        return world.tree->n_constraints + rows_with(world, contacts);
    }
    // with more contacts, `resolve` takes memory of its own
    static int usual_contacts(const World& world) {
        return std::min(kUsualContacts, world.n_candidates());
    }

    // of `resolve`, with so many contacts
    static size_t resolve_bytes(const World& world, int contacts) {
        const Tree& tree = *world.tree;
        const size_t rows = rows_with(world, contacts), blocks = blocks_with(world, contacts);
        return TestForces<T>::bytes(tree, rows, blocks) + 3 * bytes_of<T>(rows * rows) +
               RowMap<T>::bytes(rows) + 3 * bytes_of<T>(rows) + bytes_of<Block<T>>(blocks) +
               LoopElimination<T>::bytes(tree, rows) + ExactSolver<T>::bytes(blocks, rows) +
               3 * bytes_of<T>(tree.n_constraint_rows) + 2 * bytes_of<T>(rows);
    }

    static size_t bytes(const World& world) {
        const Tree& tree = *world.tree;
        const size_t most = most_contacts(world), nv = tree.nv;
        size_t sum =
            bytes_of<T>(tree.nq) * 2 + bytes_of<T>(nv) * 5 + bytes_of<T>(world.parameter_size()) +
            bytes_of<T>(world.n_works()) + bytes_of<T>(3 * size_t(world.n_candidates())) +
            bytes_of<T>(world.n_rows()) + bytes_of<int>(world.n_candidates()) +
            bytes_of<Contact<T>>(most + 1) + bytes_of<T>(3 * most) + bytes_of<T>(most) +
            bytes_of<Pose<T>>(tree.n_bodies + 1) + 2 * bytes_of<Motion<T>>(tree.n_bodies + 1);
        const size_t step = spanning_bytes<T>(tree) + ArticulatedPasses<T>::bytes(tree) +
                            6 * bytes_of<T>(nv) + 6 * bytes_of<T>(tree.joint_nv) +
                            bytes_of<T>(tree.joint_nq) + configuration_bytes<T>(tree) +
                            resolve_bytes(world, usual_contacts(world));
        const size_t control = spanning_bytes<T>(tree) + Controller<T>::bytes(world);
        return sum + std::max({step, control, measure_bytes<T>(tree)}) + kAlign;
    }

    // `controls`: this step starts a period of the controller
    TARSUS_INLINE void step(const double* const* command, bool controls, bool ledger);

    TARSUS_INLINE Energies<T> energies() const {
        return measure<T>(tree_, q, v, mass_scale(), scratch_);
    }
    const T* mass_scale() const {
        const T* scale = parameters + world_.mass_scale();
        for (int i = 0; i < tree_.n_bodies; ++i) {
            if (any(absolute(scale[i] - T(1.0)) > T(0.0))) return scale;
        }
        return nullptr;
    }
    // velocity of a contact at the end of the step, along normal and tangents
    Vec3<T> after(const Contact<T>& contact) const {
        const Vec3<T>& point = contact.touch.point;
        Vec3<T> v = point_velocity(pose_[contact.a + 1], free_[contact.a + 1], point);
        if (contact.b >= 0) v -= point_velocity(pose_[contact.b + 1], free_[contact.b + 1], point);
        return in_frame(contact, v);
    }
    void keep_candidate(int candidate) { touched_[n_touched_++] = candidate; }
    void forget() {
        for (long k = 0; k < 3L * world_.n_candidates(); ++k) kept[k] = T(0.0);
        n_touched_ = 0;
    }
    int n_touched() const { return n_touched_; }
    int touched(int k) const { return touched_[k]; }

   private:
    JointState<T> joint_state(Scratch& scratch) const {
        if (!tree_.coupled) return {q, v, nullptr, nullptr};
        return span_coupled<T>(tree_, nullptr, q, v, nullptr, scratch);
    }
    TARSUS_INLINE void joint_forces(const JointState<T>& joints, T* force, T* diagonal,
                                    Scratch& scratch);
    TARSUS_APART void push_by_penalty(ArticulatedPasses<T>& passes);
    TARSUS_APART void resolve(ArticulatedPasses<T>& passes, const T* w_free, T* delta,
                              Scratch& usual);
    TARSUS_INLINE Block<T>& add_block(Problem<T>& problem, BlockKind kind, int index, int rows);
    TARSUS_INLINE void push_joints(const JointState<T>& joints, TestForces<T>& test, RowMap<T>& map,
                                   Problem<T>& problem, const T* w_free);
    TARSUS_INLINE void push_contacts(TestForces<T>& test, RowMap<T>& map, Problem<T>& problem);
    TARSUS_INLINE void push_contact(int k, int first, TestForces<T>& test, RowMap<T>& map,
                                    Problem<T>& problem);
    TARSUS_INLINE void keep_impulses(const Problem<T>& problem);
    TARSUS_INLINE void write_works(const T* w, const T* w_next);
    TARSUS_INLINE void contact_work(int c);
    TARSUS_INLINE void refuse_crowds();
    TARSUS_INLINE void fail_where(const T& failed, StepFault reason);
    TARSUS_INLINE void push_loops(TestForces<T>& test, RowMap<T>& map, T* lose, Scratch& scratch);
    TARSUS_INLINE void judge();
    TARSUS_APART void explain(const T& bad);

    const World& world_;
    const Tree& tree_;
    Scratch scratch_;
    int* touched_;
    int n_touched_ = 0;
    T *next_q_, *next_v_, *diagonal_;
    Pose<T>* pose_;
    Motion<T>*start_, *free_;  // velocities in body frames: at the start, and at the end so far
    Problem<T> problem_;
    T* loop_impulse_ = nullptr;
    T* loop_mean_ = nullptr;
};

}  // namespace tarsus::TARSUS_ISA

#include "step/contact_impulses.hpp"
#include "step/contact_rows.hpp"
#include "step/step.hpp"
#include "step/works.hpp"
