#include "dynamics/cluster_newton.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr int kMostNewtonSteps = 30;
constexpr double kClosed = 1e-13;  // residual [m, 1] or step [m, rad] at which a loop is closed
constexpr double kNearlyClosed = 1e-9;  // step that round-off may leave in a badly conditioned one
constexpr double kTolerated = 1e-7;     // gap that redundant rows of rounded numbers may leave
constexpr double kDigits = 1e-15;       // of positions, relative
constexpr double kLongestNewtonStep = 0.5;
constexpr double kLongestStep = 0.25;  // [rad or m] of any joint between two closures
constexpr double kMostParts = 4096;

// x ⊕ −step for the joints that loops give, in lanes that still move
template <class T, class Mask>
TARSUS_INLINE void move_dependents(const Tree& tree, const Cluster& cluster, const Mask& moving,
                                   const T* step, T* x) {
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        T dv[kMostVelocities], to[kMostPositions];
        bool moves = false;
        for (int k = 0; k < link.nv; ++k) {
            const bool dependent = tree.roles[link.v + k] == Role::dependent;
            dv[k] = dependent ? -step[tree.column[link.v + k] - cluster.nv] : T(0.0);
            moves = moves || dependent;
        }
        if (!moves) continue;
        visit(link.kind, [&](auto joint) {
            decltype(joint)::integrate(link, x + link.q, dv, to);
            for (int k = 0; k < decltype(joint)::nq; ++k) {
                x[link.q + k] = select(moving, to[k], x[link.q + k]);
            }
        });
    }
}

}  // namespace

template <class T>
TARSUS_FLATTEN void follow_all(const Tree& tree, const Cluster& cluster, const T* table, T* x) {
    for (int k = 0; k < cluster.n_couplings; ++k) {
        follow(tree, tree.couplings[cluster.coupling + k], table, x);
    }
}

template <class T>
TARSUS_FLATTEN void close_cluster(const Tree& tree, const Cluster& cluster, const T* table, T* x,
                                  ClosureWork<T>& work) {
    follow_all(tree, cluster, table, x);
    free_motions(tree, cluster, table, x, work);
    if (cluster.n_loops == 0) return;
    // positions of many turns have no more digits than this
    T turns(0.0);
    for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
        if (tree.roles[w] != Role::dependent) continue;
        turns += absolute(x[tree.links[tree.body_of[w]].q]);
    }
    const T closing = mul_add(turns, T(kDigits), T(kClosed));
    T size(0.0), gap(0.0);
    for (int step = 0; step < kMostNewtonSteps; ++step) {
        loop_matrices(tree, cluster, x, work);
        gap = total_of(work.residual, cluster.n_rows);
        factor(dependents(cluster, work));
        solve(dependents(cluster, work), work.residual, 1);
        const T move = total_of(work.residual, cluster.n_dependent);
        size = select(gap < closing, T(0.0), move);
        const auto moving = size > closing;
        if (!any(moving)) break;
        const T most(kLongestNewtonStep);
        const T share = select(size > most, most / size, T(1.0));
        for (int k = 0; k < cluster.n_dependent; ++k) work.residual[k] = work.residual[k] * share;
        move_dependents(tree, cluster, moving, work.residual, x);
        follow_all(tree, cluster, table, x);
        free_motions(tree, cluster, table, x, work);
    }
    const T nan(std::numeric_limits<double>::quiet_NaN());
    // a gap that no step makes smaller: rows that contradict each other
    const auto closed = select(gap < T(kTolerated), size, T(1.0)) < closing + T(kNearlyClosed);
    for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) {
        if (tree.roles[w] != Role::dependent) continue;
        T& first = x[tree.links[tree.body_of[w]].q];
        first = select(closed, first, nan);
    }
}

template <class T>
TARSUS_FLATTEN void step_cluster(const Tree& tree, const Cluster& cluster, const T* table,
                                 const T* dv, const T* start, T* x, ClosureWork<T>& work,
                                 const StepRoom<T>& room) {
    T parts(1.0), fraction(1.0), length(0.0);
    close_cluster(tree, cluster, table, x, work);
    for (int part = 0;; ++part) {
        const auto moving = parts > T(double(part));
        if (!any(moving)) break;
        solve_matrix(cluster, work, room.G + cluster.matrix);
        spread(cluster, room.G, dv, room.w);
        if (part == 0) {
            length = total_of(room.w + cluster.w, cluster.nw);
            const T wanted = length * T(1 / kLongestStep) + T(1.0);
            const T whole = lanewise([](double a) { return std::floor(a); }, wanted);
            parts = select(wanted < T(kMostParts), whole, T(1.0));
            fraction = T(1.0) / parts;
        }
        for (int w = cluster.w; w < cluster.w + cluster.nw; ++w) room.w[w] = room.w[w] * fraction;
        for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
            const Link& link = tree.links[i];
            visit(link.kind, [&](auto joint) {
                using Joint = decltype(joint);
                Joint::integrate(link, x + link.q, room.w + link.v, room.to + link.q);
                for (int k = link.q; k < link.q + Joint::nq; ++k) {
                    x[k] = select(moving, room.to[k], x[k]);
                }
            });
        }
        close_cluster(tree, cluster, table, x, work);  // which leaves closed lanes as they are
    }
    const T nan(std::numeric_limits<double>::quiet_NaN());
    for (int i = cluster.body; i < cluster.body + cluster.n_bodies; ++i) {
        const Link& link = tree.links[i];
        bool own = true;
        for (int w = link.v; w < link.v + link.nv; ++w) own = own && tree.roles[w] == Role::own;
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            if (own) Joint::integrate(link, start + link.q, dv + tree.user_v[link.v], x + link.q);
            // steps of no length or of too many parts have no answer
            else x[link.q] = select(length < T(kMostParts * kLongestStep), x[link.q], nan);
        });
    }
    close_cluster(tree, cluster, table, x, work);
}

#define TARSUS_CLUSTER_NEWTON(T)                                                              \
    template void follow_all(const Tree&, const Cluster&, const T*, T*);                      \
    template void close_cluster(const Tree&, const Cluster&, const T*, T*, ClosureWork<T>&);  \
    template void step_cluster(const Tree&, const Cluster&, const T*, const T*, const T*, T*, \
                               ClosureWork<T>&, const StepRoom<T>&);
TARSUS_CLUSTER_NEWTON(double)
TARSUS_CLUSTER_NEWTON(Lanes)

}  // namespace tarsus::TARSUS_ISA
