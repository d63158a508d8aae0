#include "flow/force_derivatives.hpp"

#include "dynamics/rate.hpp"
#include "dynamics/springs.hpp"
#include "flow/bare_arguments.hpp"
#include "flow/part_forces.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

bool has_springs(const Tree& tree) {
    for (int k = 0; k < tree.joint_nv; ++k) {
        if (tree.stiffness[k] != 0 || tree.damping[k] != 0 || tree.friction[k] != 0) return true;
    }
    return false;
}

// springs of joints that are their own: each depends on nothing but itself
template <class T>
void single_springs(const Tree& tree, const T* q, const LaneMatrix<T>& by_q,
                    const LaneMatrix<T>& by_v, Scratch scratch) {
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    read_angles(tree, q, angles);
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            using D = Dual<T>;
            constexpr int nq = Joint::nq, nv = Joint::nv;
            D rest[nq], x[nq], stretch[nv];
            for (int k = 0; k < nq; ++k) rest[k] = D(tree.rest[link.q + k]);
            for (int g = 0; g < nv; ++g) {
                T unit[nv], rate[nq];
                for (int k = 0; k < nv; ++k) unit[k] = T(k == g ? 1.0 : 0.0);
                Joint::rate(state_at(link, q, angles), unit, rate);
                for (int k = 0; k < nq; ++k) x[k] = {q[link.q + k], rate[k]};
                Joint::difference(link, rest, x, stretch);
                for (int k = 0; k < nv; ++k) {
                    const double stiffness = tree.stiffness[link.v + k];
                    if (stiffness == 0) continue;  // not all joints have steps that add up
                    T& entry = by_q(link.own + k, link.own + g);
                    entry = mul_add(T(stiffness), stretch[k].rate, entry);
                }
                T& entry = by_v(link.own + g, link.own + g);
                entry += T(tree.damping[link.v + g]);
            }
        });
    }
}

// One state whose joints move along a velocity.
template <class T>
struct Along {
    using D = Dual<T>;
    const Tree& tree;
    const Parts& parts;
    const double* numbers;
    const T *table, *q, *v;
    const int* ways;
    T* unit;
    D *w, *on_joints, *tau, *gathered, *records;
    bool springs;

    Along(const Tree& t, const Parts& p, const double* n, const T* s, const T* at, const T* rate,
          const int* way, Scratch& scratch)
        : tree(t),
          parts(p),
          numbers(n),
          table(s),
          q(at),
          v(rate),
          ways(way),
          unit(scratch.take<T>(t.nv)),
          w(scratch.take<D>(t.joint_nv)),
          on_joints(scratch.take<D>(t.joint_nv)),
          tau(scratch.take<D>(t.nv)),
          gathered(scratch.take<D>(t.nv)),
          records(scratch.take<D>(p.record_size())),
          springs(t.coupled && has_springs(t)) {
        for (int k = 0; k < t.nv; ++k) unit[k] = T(0.0);
    }
    static size_t bytes(const Tree& t, const Parts& p) {
        return bytes_of<T>(t.nv) + 2 * bytes_of<D>(t.joint_nv) + 2 * bytes_of<D>(t.nv) +
               bytes_of<D>(p.record_size()) + moving_joints_bytes<T>(t) + bytes_of<D>(t.joint_nq) +
               bytes_of<D>(t.n_matrix) +
               std::max(forces_of_joints_bytes<D>(t, p), bytes_of<D>(t.joint_nq));
    }

    // tau := the forces with their rates, for a step along unit, or for a change of v by it
    void operator()(bool step, Scratch scratch) {
        const Arguments<T> arguments = bare_arguments(q, table, scratch);
        JointState<D> joints = moving_joints(tree, arguments, unit);
        if (!step) joints = standing(joints, arguments.scratch);
        for (const Cluster& cluster : tree.clusters) {
            for (int k = 0; k < cluster.nw; ++k) {
                const auto given = [&](int e) {
                    return D(v[cluster.v + e], step ? T(0.0) : unit[cluster.v + e]);
                };
                D& out = w[cluster.w + k];
                out = cluster.coupled ? D(0.0) : given(k);
                const D* row = joints.G + cluster.matrix + k * cluster.nv;
                for (int e = 0; cluster.coupled && e < cluster.nv; ++e)
                    out = mul_add(row[e], given(e), out);
            }
        }
        joints.v = w;
        push(joints, arguments.scratch);
    }

   private:
    // positions that do not move
    JointState<D> standing(const JointState<D>& joints, Scratch& scratch) const {
        D* x = scratch.take<D>(tree.joint_nq);
        for (int k = 0; k < tree.joint_nq; ++k) x[k] = {joints.q[k].value, T(0.0)};
        D* G = scratch.take<D>(tree.n_matrix);
        for (int k = 0; k < tree.n_matrix; ++k) G[k] = {joints.G[k].value, T(0.0)};
        return {x, nullptr, nullptr, G};
    }
    void push(const JointState<D>& joints, Scratch scratch) {
        for (int k = 0; k < tree.nv; ++k) tau[k] = D(0.0);
        if (springs) {
            Scratch own = scratch;
            stretch(tree, joints.q, own, on_joints);
            for (int k = 0; k < tree.joint_nv; ++k) {
                // where nothing is stretched, steps need not add up
                const double stiffness = tree.stiffness[k];
                const D spring = stiffness == 0 ? D(0.0) : D(-stiffness) * on_joints[k];
                const D braked = mul_add(-tree.damping[k], w[k], spring);
                on_joints[k] = braked - D(tree.friction[k] * ways[k]);
            }
            gather_forces(tree, joints.G, on_joints, tau);
        }
        if (parts.list.empty()) return;
        forces_of_joints(tree, parts, numbers, joints, gathered, records, scratch);
        for (int k = 0; k < tree.nv; ++k) tau[k] += gathered[k];
    }
};

}  // namespace

bool has_forces(const Tree& tree, const Parts& parts) {
    return has_springs(tree) || !parts.list.empty();
}

template <class T>
size_t force_derivatives_bytes(const Tree& tree, const Parts& parts) {
    return std::max(Along<T>::bytes(tree, parts), bytes_of<Angle<T>>(tree.n_angles));
}

template <class T>
void force_derivatives(const Tree& tree, const Parts& parts, const double* numbers, const T* table,
                       const T* q, const T* v, const int* ways, const LaneMatrix<T>& by_q,
                       const LaneMatrix<T>& by_v, Scratch scratch) {
    const bool springs = has_springs(tree);
    if (springs && !tree.coupled) single_springs(tree, q, by_q, by_v, scratch);
    if (parts.list.empty() && !(springs && tree.coupled)) return;
    Along<T> along(tree, parts, numbers, table, q, v, ways, scratch);
    for (int g = 0; g < tree.nv; ++g) {
        along.unit[g] = T(1.0);
        along(true, scratch);
        for (int k = 0; k < tree.nv; ++k) by_q(k, g) -= along.tau[k].rate;
        along(false, scratch);
        for (int k = 0; k < tree.nv; ++k) by_v(k, g) -= along.tau[k].rate;
        along.unit[g] = T(0.0);
    }
}

#define TARSUS_FORCE_DERIVATIVES(T)                                                               \
    template size_t force_derivatives_bytes<T>(const Tree&, const Parts&);                        \
    template void force_derivatives(const Tree&, const Parts&, const double*, const T*, const T*, \
                                    const T*, const int*, const LaneMatrix<T>&,                   \
                                    const LaneMatrix<T>&, Scratch);
TARSUS_FORCE_DERIVATIVES(double)
TARSUS_FORCE_DERIVATIVES(Lanes)

}  // namespace tarsus::TARSUS_ISA
