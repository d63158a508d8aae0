#include "dynamics/constraint_derivatives.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// One end of a loop: the columns by which velocities move its body, −1 where they do not, and the
// body that those columns are of.
struct LoopEnd {
    int body;
    int *column, *carrier;
};

void list_columns(const Tree& tree, LoopEnd& end) {
    for (int k = 0; k < tree.nv; ++k) end.column[k] = end.carrier[k] = -1;
    for (int body = end.body; body >= 0; body = tree.steps[body].next) {
        const Step& step = tree.steps[body];
        for (int k = 0; k < step.nv; ++k) {
            end.column[step.v + k] = step.column + k, end.carrier[step.v + k] = body;
        }
    }
}

// numbers with their rates
template <class T>
TARSUS_INLINE Vec3<Dual<T>> dual(const Vec3<T>& a, const Vec3<T>& rate) {
    return {{a.x, rate.x}, {a.y, rate.y}, {a.z, rate.z}};
}
template <class T>
TARSUS_INLINE Motion<Dual<T>> dual(const Motion<T>& m, const Motion<T>& rate) {
    return {dual(m.linear, rate.linear), dual(m.angular, rate.angular)};
}

// a motion about the common point of a body, about the world's origin
template <class T>
TARSUS_INLINE Motion<T> about_world(const MovingTree<T>& moving, int body, const Motion<T>& m) {
    return {cross_add(moving.point[body + 1], m.angular, m.linear), m.angular};
}

// how a body moves, with the rates of that: `shift` displaces it, v and a change by dv and da
template <class T>
BodyMotion<Dual<T>> dual_motion(const MotionDerivatives<T>& d, int body, const Motion<T>& shift,
                                const Motion<T>& dv, const Motion<T>& da) {
    const MovingBody<T>& me = d.moving.body[body + 1];
    const auto turned = [&](const Vec3<T>& axis) { return dual(axis, cross(shift.angular, axis)); };
    const Vec3<Dual<T>> p = dual(me.p, cross_add(shift.angular, me.p, shift.linear));
    const Vec3<T>&point = d.moving.point[body + 1], none = zero_vector<T>();
    const Motion<Dual<T>> v = dual(me.v, dv), a = dual(d.body[body + 1].a, da);
    const Vec3<Dual<T>> velocity = cross_add(v.angular, p, v.linear);
    return {{{turned(me.axes.x), turned(me.axes.y), turned(me.axes.z)}, p + dual(point, none)},
            velocity,
            v.angular,
            cross_add(v.angular, velocity, cross_add(a.angular, p, a.linear)),
            a.angular};
}

// along a step of the velocity with this column, or −1
template <class T>
BodyMotion<Dual<T>> motion_by_q(const MotionDerivatives<T>& d, int body, int column) {
    const Motion<T> still = zero_motion<T>();
    if (column < 0) return dual_motion(d, body, still, still, still);
    const Motion<T>&S = d.moving.S[column], &v = d.moving.body[body + 1].v;
    const Motion<T> dv = cross(S, v) + d.first[column];
    const Motion<T> da =
        cross(S, d.body[body + 1].a) + cross(d.first[column], v) + d.second[column];
    return dual_motion(d, body, S, dv, da);
}

// with the velocity itself
template <class T>
BodyMotion<Dual<T>> motion_by_v(const MotionDerivatives<T>& d, int body, int column) {
    const Motion<T> still = zero_motion<T>();
    if (column < 0) return dual_motion(d, body, still, still, still);
    const Motion<T>& S = d.moving.S[column];
    return dual_motion(d, body, still, S, cross(S, d.moving.body[body + 1].v) + d.mixed[column]);
}

// the wrench Σ λ row of a loop about the world's origin, with its rate
template <class T>
Force<Dual<T>> loop_wrench(const Tree& tree, const Loop& loop, const T* lambda,
                           const BodyMotion<Dual<T>>& a, const BodyMotion<Dual<T>>& b) {
    using D = Dual<T>;
    LoopAt<D> at;
    loop_at(tree, loop, a.pose, b.pose, at);
    Force<D> sum{zero_vector<D>(), zero_vector<D>()};
    for (int r = 0; r < loop.n_rows; ++r) {
        const D weight(lambda[r], T(0.0));
        sum = mul_add(at.row[r], weight, sum);
    }
    return {sum.linear, cross_add(at.point, sum.linear, sum.angular)};
}

// how a column of a loop's end changes along g, about the world's origin
template <class T>
Motion<T> column_rate(const Tree& tree, const MotionDerivatives<T>& d, const LoopEnd& end, int e,
                      int g) {
    const MovingTree<T>& moving = d.moving;
    if (end.column[e] < 0 || end.column[g] < 0) return zero_motion<T>();
    const int of_e = tree.cluster_of[end.carrier[e]], of_g = tree.cluster_of[end.carrier[g]];
    if (of_g > of_e) return zero_motion<T>();  // g is carried by e, as outer clusters come later
    const Step& step = tree.steps[end.carrier[e]];
    const Motion<T> rate = of_g < of_e ? cross(moving.S[end.column[g]], moving.S[end.column[e]])
                                       : bend_of(step, moving, d.bends, e - step.v, g - step.v);
    return about_world(moving, end.body, rate);
}

}  // namespace

template <class T>
TARSUS_FLATTEN RowDerivatives<T> differentiate_rows(const Tree& tree, const MotionDerivatives<T>& d,
                                                    const T* lambda, const LaneMatrix<T>& forces,
                                                    Scratch& scratch) {
    const int n = tree.nv;
    const size_t size = size_t(tree.n_constraint_rows) * n;
    RowDerivatives<T> out{scratch.take<T>(size), scratch.take<T>(size)};
    LoopEnd a{-1, scratch.take<int>(n), scratch.take<int>(n)};
    LoopEnd b{-1, scratch.take<int>(n), scratch.take<int>(n)};
    for (size_t k = 0; k < size; ++k) out.by_q[k] = out.by_v[k] = T(0.0);
    const auto store = [&](const Dual<T>* rows, int count, int first, int g, T* to) {
        for (int r = 0; r < count; ++r) to[(first + r) * n + g] = rows[r].rate;
    };
    const auto column = [&](const LoopEnd& end, int e) {
        if (end.column[e] < 0) return zero_motion<T>();
        return about_world(d.moving, end.body, d.moving.S[end.column[e]]);
    };
    for_each_constraint(tree, [&](const Loop& loop, int first) {
        Dual<T> rows[kMostLoopRows];
        a.body = loop.a.body, b.body = loop.b.body;
        list_columns(tree, a), list_columns(tree, b);
        for (int g = 0; g < n; ++g) {
            if (a.column[g] < 0 && b.column[g] < 0) continue;
            const auto at_a = motion_by_q(d, a.body, a.column[g]);
            const auto at_b = motion_by_q(d, b.body, b.column[g]);
            loop_accelerations(tree, loop, at_a, at_b, rows);
            store(rows, loop.n_rows, first, g, out.by_q);
            loop_accelerations(tree, loop, motion_by_v(d, a.body, a.column[g]),
                               motion_by_v(d, b.body, b.column[g]), rows);
            store(rows, loop.n_rows, first, g, out.by_v);
            const Force<Dual<T>> W = loop_wrench(tree, loop, lambda + first, at_a, at_b);
            const Force<T> wrench{values_of(W.linear), values_of(W.angular)};
            const Force<T> rate{rates_of(W.linear), rates_of(W.angular)};
            for (int e = 0; e < n; ++e) {
                if (a.column[e] < 0 && b.column[e] < 0) continue;
                const Motion<T> S = column(b, e) - column(a, e);
                const Motion<T> dS = column_rate(tree, d, b, e, g) - column_rate(tree, d, a, e, g);
                T& force = forces(e, g);
                force = force - (dot(S, rate) + dot(dS, wrench));
            }
        }
    });
    return out;
}

#define TARSUS_DIFFERENTIATE_ROWS(T)                                                        \
    template RowDerivatives<T> differentiate_rows(const Tree&, const MotionDerivatives<T>&, \
                                                  const T*, const LaneMatrix<T>&, Scratch&);
TARSUS_DIFFERENTIATE_ROWS(double)
TARSUS_DIFFERENTIATE_ROWS(Lanes)

}  // namespace tarsus::TARSUS_ISA
