#include "flow/event_derivatives.hpp"

#include "flow/bare_arguments.hpp"
#include "flow/brackets.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

using Numbers = std::vector<double>;

// out (rows × m) := matrix (rows × n) x (n × m)
Numbers times(const double* matrix, int rows, int stride, int n, const double* x, int m) {
    Numbers out(size_t(rows) * m, 0.0);
    for (int r = 0; r < rows; ++r) {
        for (int k = 0; k < n; ++k) {
            const double by = matrix[r * stride + k];
            for (int c = 0; c < m; ++c) out[r * m + c] = mul_add(by, x[k * m + c], out[r * m + c]);
        }
    }
    return out;
}

// whether steps of q are simply added to it
bool adds_up(const Tree* tree) {
    return !tree || (!tree->coupled && tree->nq == tree->nv && brackets_of(*tree).empty());
}

// The matrix R (nq × nv) with q̇ = R v.
Numbers rates_matrix(const Tree* tree, const Numbers& q, int nv, WorkMemory& memory) {
    const int nq = int(q.size());
    Numbers out(size_t(nq) * nv, 0.0);
    Scratch scratch(memory.get(spanning_bytes<double>(*tree) +
                               bytes_of<Angle<double>>(tree->n_angles) +
                               bytes_of<double>(tree->joint_nq)));
    Numbers unit(nv, 0.0), user(nq);
    for (int c = 0; c < nv; ++c) {
        Scratch own = scratch;
        unit[c] = 1.0;
        const double* none = nullptr;
        const JointState<double> joints =
            tree->coupled ? span_coupled(*tree, none, q.data(), unit.data(), none, own)
                          : JointState<double>{q.data(), unit.data(), nullptr, nullptr};
        Angle<double>* angles = own.take<Angle<double>>(tree->n_angles);
        double* rate = own.take<double>(tree->joint_nq);
        read_angles(*tree, joints.q, angles);
        for (const Link& link : tree->links) {
            visit(link.kind, [&](auto joint) {
                decltype(joint)::rate(state_at(link, joints.q, angles), joints.v + link.v,
                                      rate + link.q);
            });
        }
        store_positions(*tree, rate, user.data());
        for (int k = 0; k < nq; ++k) out[k * nv + c] = user[k];
        unit[c] = 0.0;
    }
    return out;
}

// Steps (nv × m) whose rates of positions these are. What users state of joints that depend on
// others tells nothing new, so the rates of own joints decide; their columns are at right angles.
Numbers steps_of(const Tree* tree, const Numbers& R, int nv, const Numbers& rates, int m) {
    Numbers out(size_t(nv) * m, 0.0);
    for (int i = 0; i < tree->n_bodies; ++i) {
        const Link& link = tree->links[i];
        const int first = tree->user_q[i], nq = kKindInfo[int(link.kind)].nq;
        for (int w = link.v; first >= 0 && w < link.v + link.nv; ++w) {
            const int v = tree->user_v[w];
            if (v < 0) continue;
            double square = 0;
            for (int k = first; k < first + nq; ++k) square += R[k * nv + v] * R[k * nv + v];
            for (int c = 0; c < m; ++c) {
                double sum = 0;
                for (int k = first; k < first + nq; ++k)
                    sum = mul_add(R[k * nv + v], rates[k * m + c], sum);
                out[v * m + c] = sum / square;
            }
        }
    }
    return out;
}

// the tree of states before and after step number `at` of an exit, null where nothing says
const Tree* tree_before(const Phase& phase, const Exit& exit, int at) {
    if (at == 0) return phase.tree;
    return exit.reset[at - 1].tree ? exit.reset[at - 1].tree : exit.reset[at].tree;
}
const Tree* tree_after(const HybridStatement& statement, const Phase& phase, const Exit& exit,
                       int at) {
    if (at + 1 < int(exit.reset.size())) return exit.reset[at + 1].tree;
    if (exit.to >= 0) return statement.phases[exit.to].tree;
    const bool fits = exit.reset[at].nq == phase.tree->nq && exit.reset[at].nv == phase.tree->nv;
    return fits ? phase.tree : nullptr;
}

}  // namespace

Linearised<double>& EventDerivatives::linearised(const Tree& tree, const Wide& wide) {
    for (auto& each : known_) {
        if (each->wide == &wide) return *each->linear;
    }
    auto made = std::make_unique<Known>();
    made->wide = &wide;
    Scratch scratch(made->memory.get(Linearised<double>::bytes(tree, wide)));
    made->linear = std::make_unique<Linearised<double>>(tree, wide, false, scratch);
    known_.push_back(std::move(made));
    return *known_.back()->linear;
}

void EventDerivatives::begin(HybridMotion& motion) {
    const Phase& phase = statement_.phases[motion.phase];
    const Tree& tree = *phase.tree;
    const int n = tree.nv, m = phase.wide.columns;
    motion.columns.assign(size_t(2 * n) * m, 0.0);
    motion.time.assign(m, 0.0), motion.a.assign(n, 0.0);
    for (int k = 0; k < 2 * n; ++k) motion.columns[k * m + k] = 1.0;
    if (tree.n_constraint_rows == 0) return;
    // rows of constraints and how they bend along v: the motion with accelerations v from rest
    Linearised<double>& linear = linearised(tree, phase.wide);
    const Numbers rest(n, 0.0);
    linear.look(motion.q.data(), rest.data(), motion.v.data());
    linear.hold(Numbers(linear.needed(), linear.needed() + n).data());
    using Of = Linearised<double>::Of;
    double *dq = motion.columns.data(), *dv = dq + n * m;
    for (const auto& [of, at] : {std::pair{Of::positions, dq}, std::pair{Of::accelerations, dv}}) {
        for (int k = 0; k < n * m; ++k) linear.X(k / m, k % m) = at[k];
        linear.close(of, dq, Numbers(size_t(n) * m, 0.0).data());
        for (int k = 0; k < n * m; ++k) at[k] = linear.X(k / m, k % m);
    }
}

// How a guard changes with steps in the wide tree.
struct EventDerivatives::Steps {
    const Tree& tree;
    const Numbers& q;
    Numbers change;
    Arguments<double> arguments;
    MovingTree<double> moving;
    bool moved = false;

    Steps(const Tree& t, const Numbers& at, WorkMemory& memory)
        : tree(t),
          q(at),
          change(t.nv, 0.0),
          arguments(bare_arguments<double>(
              at.data(), nullptr,
              Scratch(memory.get(spanning_bytes<double>(t) + moving_tree_bytes<double>(t) +
                                 aligned_bytes<double>(t))))) {}

    const MovingTree<double>& bodies() {
        if (!moved) moving = move(tree, arguments, static_cast<const double*>(nullptr));
        moved = true;
        return moving;
    }
    // a body's point, from the common one
    Vec3<double> point(int body, const double* on) {
        const MovingBody<double>& me = bodies().body[body + 1];
        return me.axes * vector_at(on) + me.p;
    }
    // what unit velocities do to it along a direction
    void add(int body, const Vec3<double>& p, const Vec3<double>& along) {
        for (; body >= 0; body = tree.steps[body].next) {
            const Step& step = tree.steps[body];
            for (int e = 0; e < step.nv; ++e) {
                const Motion<double>& S = bodies().S[step.column + e];
                change[step.v + e] += dot(along, cross_add(S.angular, p, S.linear));
            }
        }
    }
    void add_joint(int w, double by) {
        const Cluster& cluster = tree.clusters[tree.cluster_of[tree.body_of[w]]];
        if (!cluster.coupled) {
            change[cluster.v + w - cluster.w] += by;
            return;
        }
        const double* row = bodies().joints.G + cluster.matrix + (w - cluster.w) * cluster.nv;
        for (int e = 0; e < cluster.nv; ++e)
            change[cluster.v + e] = mul_add(by, row[e], change[cluster.v + e]);
    }
    void add_height(const GuardTerm& term) {
        add(term.a, point(term.a, term.on_a), vector_at(term.direction) * term.coefficient);
    }
    void add_distance(const GuardTerm& term) {
        const Vec3<double> on_a = point(term.a, term.on_a), on_b = point(term.b, term.on_b);
        Scratch scratch = arguments.scratch;
        const AlignedTree<double> world = align(tree, moving.joints.q, scratch);
        const auto place = [&](int body, const double* on) {
            const Pose<double>& pose = world.body[body + 1].pose;
            return pose.rotation * vector_at(on) + pose.position;
        };
        const Vec3<double> apart = place(term.a, term.on_a) - place(term.b, term.on_b);
        const Vec3<double> along = apart * (term.coefficient / square_root(dot(apart, apart)));
        add(term.a, on_a, along), add(term.b, on_b, -along);
    }
};

EventDerivatives::Gradient EventDerivatives::gradient(const Phase& phase, const GuardSum& guard,
                                                      const HybridMotion& motion) {
    const Wide& wide = phase.wide;
    const Tree& tree = *wide.tree;
    const int n = phase.tree->nv;
    Gradient found{Numbers(n, 0.0), Numbers(n, 0.0), Numbers(wide.parameters, 0.0), 0.0};
    Numbers q(tree.nq);
    for (int k = 0; k < tree.nq; ++k) q[k] = wide.q[k] < 0 ? 0.0 : motion.q[wide.q[k]];
    Steps steps(tree, q, memory_);
    for (const GuardTerm& term : guard.terms) {
        const double by = term.coefficient;
        switch (term.kind) {
            case TermKind::position:
                steps.add_joint(term.other, by);
                break;
            case TermKind::velocity:
                found.by_v[wide.v[term.index]] += by;
                break;
            case TermKind::height:
                steps.add_height(term);
                break;
            case TermKind::distance:
                steps.add_distance(term);
                break;
            case TermKind::function: {
                const Numbers row =
                    outside_->derivative(term.index, motion.t, motion.q.data(),
                                         long(motion.q.size()), motion.v.data(), n, 1);
                for (int k = 0; k < n; ++k) {
                    found.by_q[k] = mul_add(by, row[k], found.by_q[k]);
                    found.by_v[k] = mul_add(by, row[n + k], found.by_v[k]);
                }
                found.by_time = mul_add(by, row[2 * n], found.by_time);
            }
        }
    }
    for (int k = 0; k < tree.nv; ++k) {
        if (wide.v[k] >= 0) found.by_q[wide.v[k]] += steps.change[k];
    }
    for (const ParameterTerm& term : wide.terms) {
        if (term.kind == ParameterTerm::Kind::length)
            found.by_parameter[term.parameter] += steps.change[term.index] * term.numbers[0];
    }
    return found;
}

void EventDerivatives::arrive(const Phase& phase, const GuardSum& guard, HybridMotion& motion) {
    const Gradient of = gradient(phase, guard, motion);
    const int n = phase.tree->nv, m = phase.wide.columns, last = m - phase.wide.parameters;
    double rate = of.by_time;
    for (int k = 0; k < n; ++k)
        rate = mul_add(of.by_q[k], motion.v[k], mul_add(of.by_v[k], motion.a[k], rate));
    for (int c = 0; c < m; ++c) {
        double change = of.by_time * motion.time[c];
        if (c >= last) change += of.by_parameter[c - last];
        for (int k = 0; k < n; ++k) {
            change = mul_add(of.by_q[k], motion.columns[k * m + c], change);
            change = mul_add(of.by_v[k], motion.columns[(n + k) * m + c], change);
        }
        const double shift = -change / rate;
        for (int k = 0; k < n; ++k) {
            double &dq = motion.columns[k * m + c], &dv = motion.columns[(n + k) * m + c];
            dq = mul_add(motion.v[k], shift, dq), dv = mul_add(motion.a[k], shift, dv);
        }
        motion.time[c] += shift;
    }
}

void EventDerivatives::reset(const Phase& phase, const Exit& exit, int at, const Numbers& q,
                             const Numbers& v, HybridMotion& motion) {
    const ResetStep& step = exit.reset[at];
    switch (step.kind) {
        case ResetStep::Kind::linear:
            return linear(tree_before(phase, exit, at), tree_after(statement_, phase, exit, at),
                          step, q, motion);
        case ResetStep::Kind::project:
            return project(step, v, motion);
        case ResetStep::Kind::function:
            return function(step, q, v, motion);
    }
}

void EventDerivatives::linear(const Tree* before, const Tree* after, const ResetStep& step,
                              const Numbers& q, HybridMotion& motion) {
    const int m = int(motion.time.size()), nq = int(q.size());
    const int nv = int(motion.columns.size()) / (2 * m);
    const double *dq = motion.columns.data(), *dv = dq + nv * m;
    Numbers rates(dq, dv);
    if (!adds_up(before)) {
        const Numbers R = rates_matrix(before, q, nv, memory_);
        rates = times(R.data(), nq, nv, nv, dq, m);
    }
    Numbers columns = times(step.matrix.data(), step.nq, nq, nq, rates.data(), m);
    if (!adds_up(after)) {
        const Numbers R = rates_matrix(after, motion.q, step.nv, memory_);
        columns = steps_of(after, R, step.nv, columns, m);
    }
    const Numbers changes = times(step.rates.data(), step.nv, nv, nv, dv, m);
    columns.insert(columns.end(), changes.begin(), changes.end());
    motion.columns = std::move(columns);
}

// An impact is the motion from rest that forces H v⁻ begin: its accelerations are v⁺.
void EventDerivatives::project(const ResetStep& step, const Numbers& v, HybridMotion& motion) {
    const int n = step.tree->nv, m = step.wide.columns;
    Linearised<double>& linear = linearised(*step.tree, step.wide);
    const double *dq = motion.columns.data(), *dv = dq + n * m;
    const Numbers still(size_t(n) * m, 0.0);
    linear.look(motion.q.data(), still.data(), v.data());
    const Numbers tau(linear.needed(), linear.needed() + n);
    linear.ask(dq, still.data());
    Numbers before(size_t(n) * m);
    for (int k = 0; k < n * m; ++k) before[k] = linear.X(k / m, k % m);
    linear.look(motion.q.data(), still.data(), motion.v.data());
    linear.hold(tau.data());
    linear.ask(dq, still.data());
    for (int k = 0; k < n * m; ++k) linear.X(k / m, k % m) -= before[k];
    linear.solve();
    for (int k = 0; k < n * m; ++k) linear.X(k / m, k % m) += dv[k];
    linear.close(Linearised<double>::Of::accelerations, dq, still.data());
    for (int k = 0; k < n * m; ++k) motion.columns[n * m + k] = linear.X(k / m, k % m);
}

void EventDerivatives::function(const ResetStep& step, const Numbers& q, const Numbers& v,
                                HybridMotion& motion) {
    const int n = int(v.size()), m = int(motion.time.size()), width = 2 * n + 1;
    const Numbers D = outside_->derivative(step.function, motion.t, q.data(), long(q.size()),
                                           v.data(), n, 2 * step.nv);
    Numbers columns = times(D.data(), 2 * step.nv, width, 2 * n, motion.columns.data(), m);
    for (int r = 0; r < 2 * step.nv; ++r) {
        for (int c = 0; c < m; ++c)
            columns[r * m + c] = mul_add(D[r * width + 2 * n], motion.time[c], columns[r * m + c]);
    }
    motion.columns = std::move(columns);
}

void EventDerivatives::finish(HybridMotion& motion) {
    const int m = int(motion.time.size()), n = int(motion.v.size());
    if (motion.ended == HybridEnd::exit || motion.ended == HybridEnd::events) return;
    for (int k = 0; k < n; ++k) {
        for (int c = 0; c < m; ++c) {
            double &dq = motion.columns[k * m + c], &dv = motion.columns[(n + k) * m + c];
            dq = neg_mul_add(motion.v[k], motion.time[c], dq);
            dv = neg_mul_add(motion.a[k], motion.time[c], dv);
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
