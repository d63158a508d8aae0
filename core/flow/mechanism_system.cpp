#include "flow/mechanism_system.hpp"

#include "dynamics/configuration.hpp"
#include "dynamics/springs.hpp"
#include "flow/part_forces.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

const Parts kNothing;

bool has_springs(const Tree& tree) {
    for (int k = 0; k < tree.joint_nv; ++k) {
        if (tree.stiffness[k] != 0 || tree.damping[k] != 0 || tree.friction[k] != 0) return true;
    }
    return false;
}

bool looks_at_bodies(const GuardSum& sum) {
    for (const GuardTerm& term : sum.terms) {
        if (term.kind == TermKind::height || term.kind == TermKind::distance) return true;
    }
    return false;
}

bool looks_at_bodies(const Phase& phase) {
    for (const Exit& exit : phase.exits) {
        if (looks_at_bodies(exit.guard)) return true;
        for (const GuardSum& condition : exit.conditions) {
            if (looks_at_bodies(condition)) return true;
        }
    }
    return false;
}

template <class T>
size_t rates_bytes(const Phase& phase) {
    const Tree& tree = *phase.tree;
    return spanning_bytes<T>(tree) + bytes_of<T>(tree.nv) + bytes_of<T>(tree.joint_nv) +
           bytes_of<T>(tree.nq + tree.nv) + bytes_of<T>(tree.joint_nq) +
           part_forces_bytes<T>(tree, phase.parts) + bytes_of<T>(phase.parts.record_size()) +
           ArticulatedPasses<T>::bytes(tree) + ArticulatedConstraints<T>::bytes(tree) +
           bytes_of<Pose<T>>(tree.n_bodies + 1) + bytes_of<Motion<T>>(tree.n_bodies + 1) +
           bytes_of<T>(tree.joint_nq);
}

template <class T>
size_t limb_bytes(const Phase& phase) {
    return phase.limbs ? HeldLimbs<T>::bytes(*phase.limbs) : 0;
}

template <class T>
size_t settle_bytes(const Tree& tree) {
    return spanning_bytes<T>(tree) + configuration_bytes<T>(tree) + 2 * bytes_of<T>(tree.nv) +
           2 * bytes_of<T>(tree.nq);
}

}  // namespace

template <class T>
MechanismSystem<T>::MechanismSystem(const Phase& phase, int index, double sample_every,
                                    HybridOutside* outside, Scratch& scratch)
    : tau(scratch.take<T>(phase.tree->nv)),
      phase_(phase),
      index_(index),
      sample_every_(sample_every),
      tree_(*phase.tree),
      outside_(outside),
      n_guards_(phase.n_guards()),
      passive_(has_springs(*phase.tree)),
      geometric_(looks_at_bodies(phase)),
      force_(scratch.take<T>(phase.tree->nv)),
      table_(scratch.take<T>(phase.tree->table_size)),
      scratch_(scratch),
      held_(*phase.tree, kNothing, nullptr, HeldRows::Which::all),
      q_(phase.tree->nq),
      v_(phase.tree->nv),
      step_(phase.tree->nv) {
    for (int k = 0; k < tree_.nv; ++k) tau[k] = T(0.0);
    if (phase.limbs) limbs_.emplace(*phase.limbs, scratch);
    scratch_ = scratch;
    scratch.take<std::byte>(std::max(rates_bytes<T>(phase), settle_bytes<T>(tree_)));
}

template <class T>
size_t MechanismSystem<T>::bytes(const Phase& phase) {
    return 2 * bytes_of<T>(phase.tree->nv) + bytes_of<T>(phase.tree->table_size) +
           limb_bytes<T>(phase) +
           bytes_of<std::byte>(std::max(rates_bytes<T>(phase), settle_bytes<T>(*phase.tree)));
}

// values of users' coupling functions; one state at a time
template <class T>
const T* MechanismSystem<T>::table(const T* q) {
    if (tree_.table_size == 0) return nullptr;
    if constexpr (std::is_same_v<T, double>) {
        std::copy_n(outside_->table(index_, q), tree_.table_size, table_);
    }
    return table_;
}

// what acts beside gravity
template <class T>
void MechanismSystem<T>::push(const JointState<T>& joints, const T& t, const T* y, T* force,
                              Scratch& scratch) {
    const T *q = y, *v = y + tree_.nq;
    for (int k = 0; k < tree_.nv; ++k) force[k] = tau[k];
    if constexpr (std::is_same_v<T, double>) {
        if (phase_.efforts) outside_->efforts(index_, t, q, v, force);
    }
    T* gathered = scratch.take<T>(tree_.nv);
    if (passive_) {
        T* on_joint = scratch.take<T>(tree_.joint_nv);
        stretch(tree_, joints.q, scratch, on_joint);
        const T zero(0.0);
        for (int k = 0; k < tree_.joint_nv; ++k) {
            const T friction(tree_.friction[k]), &w = joints.v[k];
            const int way = phase_.way(k);
            const T dry = way != kAsItTurns
                              ? friction * T(double(way))
                              : select(w > zero, friction, select(w < zero, -friction, zero));
            const T braking = neg_mul_add(T(tree_.damping[k]), w, -dry);
            on_joint[k] = neg_mul_add(T(tree_.stiffness[k]), on_joint[k], braking);
        }
        gather_forces(tree_, joints.G, on_joint, gathered);
        for (int k = 0; k < tree_.nv; ++k) force[k] += gathered[k];
    }
    if (phase_.parts.list.empty()) return;
    T* records = scratch.take<T>(phase_.parts.record_size());
    part_forces(tree_, phase_.parts, phase_.part_numbers.data(), static_cast<const T*>(table_), q,
                v, gathered, records, scratch);
    for (int k = 0; k < tree_.nv; ++k) force[k] += gathered[k];
}

template <class T>
TARSUS_FLATTEN void MechanismSystem<T>::rates(const T& t, const T* y, T* dy, T* values, T* slopes) {
    Scratch scratch = scratch_;
    const T *q = y, *v = y + tree_.nq;
    const JointState<T> joints =
        tree_.coupled ? span_coupled(tree_, table(q), q, v, static_cast<const T*>(nullptr), scratch)
                      : JointState<T>{q, v, nullptr, nullptr};
    {
        Scratch passing = scratch;
        push(joints, t, y, force_, passing);
    }
    Places at{nullptr, nullptr};
    if (values && geometric_) {
        at.pose = scratch.take<Pose<T>>(tree_.n_bodies + 1);
        at.motion = scratch.take<Motion<T>>(tree_.n_bodies + 1);
    }
    if (limbs_) by_limbs(joints, at, y, dy, scratch);
    else by_passes(joints, at, dy, scratch);
    if (values) look(joints, at, t, y, dy, values, slopes);
}

// where bodies are and how they move, if somebody wants to know
template <class T>
void MechanismSystem<T>::notice(const ArticulatedPasses<T>& passes, const Places& at) const {
    if (!at.pose) return;
    place_bodies(passes, at.pose);
    for (int i = 0; i <= tree_.n_bodies; ++i) at.motion[i] = passes.body[i].v;
}

template <class T>
TARSUS_FLATTEN void MechanismSystem<T>::by_passes(const JointState<T>& joints, const Places& at,
                                                  T* dy, Scratch scratch) {
    T* a = dy + tree_.nq;
    ArticulatedPasses<T> passes(tree_, joints, {}, scratch);
    passes.velocities(nullptr);
    T* rate = tree_.coupled ? scratch.take<T>(tree_.joint_nq) : dy;
    for (const Link& link : tree_.links) {
        visit(link.kind, [&](auto joint) {
            decltype(joint)::rate(passes.at(link), joints.v + link.v, rate + link.q);
        });
    }
    if (tree_.coupled) store_positions(tree_, rate, dy);
    notice(passes, at);
    passes.inertias(force_);
    const Motion<T> world = world_at_rest<T>(tree_).a;
    if (tree_.n_constraints > 0) {
        ArticulatedConstraints<T> constraints(passes, scratch);
        constraints.keep_velocities();
        passes.accelerations(world, a);
        constraints.apply();
    }
    passes.accelerations(world, a);
}

// lanes in which a limb is stretched, or nearly, are left to the passes
template <class T>
TARSUS_APART void MechanismSystem<T>::by_limbs(const JointState<T>& joints, const Places& at,
                                               const T* y, T* dy, Scratch scratch) {
    const Vec3<T> world = world_at_rest<T>(tree_).a.linear;
    limbs_->look(y, y + tree_.nq);
    limbs_->rate(dy);
    limbs_->follow(world);
    const T regular = limbs_->respond(force_, world, dy + tree_.nq);
    if (any(regular < T(1.0))) {
        T* general = scratch.take<T>(size());
        by_passes(joints, at, general, scratch);
        for (int k = 0; k < size(); ++k) dy[k] = select(regular < T(1.0), general[k], dy[k]);
    } else if (at.pose) {
        ArticulatedPasses<T> passes(tree_, joints, {}, scratch);
        passes.velocities(nullptr);
        notice(passes, at);
    }
}

template <class T>
TARSUS_INLINE void MechanismSystem<T>::add(const GuardTerm& term, const JointState<T>& joints,
                                           const Places& at, const T& t, const T* y, const T* dy,
                                           T& value, T& slope) {
    const T by(term.coefficient);
    switch (term.kind) {
        case TermKind::position:
            value = mul_add(by, joints.q[term.index], value);
            slope = mul_add(by, joints.v[term.other], slope);
            return;
        case TermKind::velocity:
            value = mul_add(by, y[tree_.nq + term.index], value);
            slope = mul_add(by, dy[tree_.nq + term.index], slope);
            return;
        case TermKind::height: {
            const Pose<T>& pose = at.pose[term.a + 1];
            const Vec3<T> p = pose.rotation * vector_at(term.on_a) + pose.position;
            const Vec3<T> direction = constant_vector<T>(term.direction);
            value = mul_add(by, dot(direction, p), value);
            slope =
                mul_add(by, dot(direction, point_velocity(pose, at.motion[term.a + 1], p)), slope);
            return;
        }
        case TermKind::distance: {
            const Pose<T>&a = at.pose[term.a + 1], &b = at.pose[term.b + 1];
            const Vec3<T> p = a.rotation * vector_at(term.on_a) + a.position;
            const Vec3<T> r = b.rotation * vector_at(term.on_b) + b.position;
            const Vec3<T> apart = p - r;
            const Vec3<T> rate = point_velocity(a, at.motion[term.a + 1], p) -
                                 point_velocity(b, at.motion[term.b + 1], r);
            const T size = square_root(dot(apart, apart));
            value = mul_add(by, size, value);
            slope = mul_add(by, dot(apart, rate) / size, slope);
            return;
        }
        case TermKind::function:
            if constexpr (std::is_same_v<T, double>) {
                value += by * outside_->guard(term.index, index_, t, y, y + tree_.nq);
            }
            slope = T(__builtin_nan(""));  // nobody knows
    }
}

template <class T>
void MechanismSystem<T>::look(const JointState<T>& joints, const Places& at, const T& t, const T* y,
                              const T* dy, T* values, T* slopes) {
    int k = 0;
    const auto sum = [&](const GuardSum& guard) {
        T value(guard.constant), slope(0.0);
        for (const GuardTerm& term : guard.terms) add(term, joints, at, t, y, dy, value, slope);
        values[k] = value, slopes[k] = slope;
        ++k;
    };
    for (const Exit& exit : phase_.exits) sum(exit.guard);
    for (const Exit& exit : phase_.exits) {
        for (const GuardSum& condition : exit.conditions) sum(condition);
    }
}

template class MechanismSystem<double>;
template class MechanismSystem<Lanes>;

}  // namespace tarsus::TARSUS_ISA
