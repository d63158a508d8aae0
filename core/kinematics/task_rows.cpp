// Errors of tasks and their jacobians; the rows are those of tarsus/ik/tasks.
#include "kinematics/task_rows.hpp"

#include <algorithm>

#include "kinematics/rotation_vector.hpp"

namespace tarsus::TARSUS_ISA {

constexpr double kSmallSine = 1e-4;    // below it γ / sin γ is its series
constexpr double kNearestLook = 1e-6;  // [m] a point in the eye has no direction

template <class T>
TaskRows<T>::TaskRows(const Tree& tree, const TaskSet& set, Scratch& scratch)
    : error(scratch.take<T>(set.rows)),
      feedforward(scratch.take<T>(set.rows)),
      jacobian(scratch.take<T>(size_t(set.rows) * tree.nv)),
      tree_(tree),
      set_(set),
      wide_(tree.coupled ? scratch.take<T>(size_t(set.rows) * tree.joint_nv) : jacobian),
      first_(scratch.take<Vec3<T>>(set.centres.size() * (tree.n_bodies + 1))),
      scratch_(scratch) {
    // what is never set is zero: velocities that do not move a point, targets that do not move
    std::fill_n(error, set.rows, T(0.0)), std::fill_n(feedforward, set.rows, T(0.0));
    std::fill_n(jacobian, size_t(set.rows) * tree.nv, T(0.0));
    std::fill_n(wide_, size_t(set.rows) * tree.joint_nv, T(0.0));
    for (const PostureRow& row : set.postures) jacobian[row.row * tree.nv + row.v] = T(1.0);
    scratch.take<std::byte>(moving_bytes(tree) + aligned_bytes<T>(tree));
}

template <class T>
size_t TaskRows<T>::bytes(const Tree& tree, const TaskSet& set) {
    const size_t rows = set.rows;
    return 2 * bytes_of<T>(rows) + bytes_of<T>(rows * tree.nv) +
           (tree.coupled ? bytes_of<T>(rows * tree.joint_nv) : 0) +
           bytes_of<Vec3<T>>(set.centres.size() * (tree.n_bodies + 1)) +
           bytes_of<std::byte>(moving_bytes(tree) + aligned_bytes<T>(tree));
}

// of joints, as at() takes them
template <class T>
size_t TaskRows<T>::moving_bytes(const Tree& tree) {
    if constexpr (kIsDual<T>) return moving_joints_bytes<Base<T>>(tree);
    else return spanning_bytes<T>(tree);
}

template <class T>
void TaskRows<T>::at(const T* q, const T* targets, const T* table)
    requires(!kIsDual<T>)
{
    Scratch scratch = scratch_;
    joints_ = {q, nullptr, nullptr, nullptr};
    if (set_.placed && tree_.coupled)
        joints_ = span_coupled<T>(tree_, table, q, nullptr, nullptr, scratch);
    rows(targets, scratch);
    for (const PostureRow& row : set_.postures) {
        error[row.row] = q[row.q] - targets[row.target];
        feedforward[row.row] = targets[row.target + 1];
    }
}

template <class T>
void TaskRows<T>::at(const Base<T>* q, const Base<T>* v, const T* targets, const Base<T>* table)
    requires kIsDual<T>
{
    Scratch scratch = scratch_;
    joints_ = moving_joints<Base<T>>(tree_, table, q, v, scratch);
    rows(targets, scratch);
    for (const PostureRow& row : set_.postures) {
        error[row.row] = T(q[row.q], v[row.v]) - targets[row.target];
        feedforward[row.row] = targets[row.target + 1];
    }
}

template <class T>
void TaskRows<T>::rows(const T* targets, Scratch& scratch) {
    if (set_.placed) world_ = align(tree_, joints_.q, scratch);
    for (int c = 0; c < int(set_.centres.size()); ++c) weigh(c);
    for (const PointRows& rows : set_.points) point(rows, targets);
    for (const TurnRows& rows : set_.turns) turn(rows, targets);
    for (const LookRows& rows : set_.looks) look(rows, targets);
    if (!set_.momenta.empty()) momenta(targets);
    for (const SumRow& row : set_.sums) sum(row, targets);
    for (const TwistRows& rows : set_.twists) twist(rows);
    for (const AcrossRows& rows : set_.across) across(rows, targets);
    for (const GivenRows& rows : set_.given) given(rows, targets);
    if (tree_.coupled && set_.placed) gather();
}

// Σ m c, inwards; the world first
template <class T>
TARSUS_FLATTEN void TaskRows<T>::weigh(int c) {
    const MassCentre& centre = set_.centres[c];
    Vec3<T>* first = first_ + long(c) * (tree_.n_bodies + 1);
    for (int i = 0; i <= tree_.n_bodies; ++i) first[i] = zero_vector<T>();
    for (int i = tree_.n_bodies - 1; i >= 0; --i) {
        if (centre.carried[i] == 0) continue;
        const Link& link = tree_.links[i];
        const AlignedBody<T>& me = world_.body[i + 1];
        if (centre.counts[i]) first[i + 1] += me.pose.rotation * vector_at(link.first);
        first[link.parent + 1] += mul_add(me.r, T(centre.carried[i]), first[i + 1]);
    }
}

template <class T>
TARSUS_INLINE Vec3<T> TaskRows<T>::place(const TaskPoint& point) const {
    if (point.centre >= 0) {
        return first_[long(point.centre) * (tree_.n_bodies + 1)] *
               T(1.0 / set_.centres[point.centre].mass);
    }
    if (point.body < 0) return constant_vector<T>(point.position);
    const Pose<T>& pose = world_.body[point.body + 1].pose;
    return pose.rotation * vector_at(point.position) + pose.position;
}
// of a point at a place, for a unit velocity of a joint that moves it
template <class T>
TARSUS_INLINE Vec3<T> TaskRows<T>::velocity(const TaskPoint& point, const Vec3<T>& at,
                                            const TaskColumn& column) const {
    const Motion<T>& S = world_.S[column.v];
    if (point.centre < 0) {
        return cross_add(S.angular, at - world_.body[column.body + 1].pose.position, S.linear);
    }
    const MassCentre& centre = set_.centres[point.centre];
    const Vec3<T>& first = first_[long(point.centre) * (tree_.n_bodies + 1) + column.body + 1];
    const T share(centre.carried[column.body] / centre.mass);
    return mul_add(S.linear, share, cross(S.angular, first) * T(1.0 / centre.mass));
}
template <class T>
TARSUS_INLINE Mat3<T> TaskRows<T>::axes(const TaskAxes& of) const {
    const Mat3<double> own = matrix_at(of.rotation);
    if (of.body >= 0) return world_.body[of.body + 1].pose.rotation * own;
    return {constant_vector<T>(of.rotation), constant_vector<T>(of.rotation + 3),
            constant_vector<T>(of.rotation + 6)};
}

template <class T>
TARSUS_INLINE Vec3<T> three(const T* a) {
    return {a[0], a[1], a[2]};
}
template <class T>
TARSUS_INLINE void put_three(const Vec3<T>& a, T* to, long stride = 1) {
    to[0] = a.x, to[stride] = a.y, to[2 * stride] = a.z;
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::point(const PointRows& rows, const T* targets) {
    const Vec3<T> at = place(rows.point), from = place(rows.origin), arm = at - from;
    const Mat3<T> seen = axes(rows.axes);
    const T* t = targets + rows.target;
    put_three((rows.turned ? transposed_times(seen, arm) : arm) - three(t), error + rows.row);
    put_three(three(t + 3), feedforward + rows.row);
    for (const TaskColumn& column : rows.columns) {
        Vec3<T> moved = zero_vector<T>();
        if (column.moves & kMovesPoint) moved = velocity(rows.point, at, column);
        if (column.moves & kMovesOrigin) moved -= velocity(rows.origin, from, column);
        if (column.moves & kMovesAxes) moved = cross_add(arm, world_.S[column.v].angular, moved);
        if (rows.turned) moved = transposed_times(seen, moved);
        put_three(moved, moved_by(rows.row, column.v), tree_.joint_nv);
    }
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::turn(const TurnRows& rows, const T* targets) {
    const T* t = targets + rows.target;
    const Mat3<T> here = axes(rows.frame), seen = transpose(axes(rows.other)) * here;
    const Mat3<T> target{three(t), three(t + 3), three(t + 6)};
    const Vec3<T> e = logarithm(quaternion_of(transpose(target) * seen));
    const Mat3<T> back = transpose(here);
    const Mat3<T> rate{step_rate(e, back.x), step_rate(e, back.y), step_rate(e, back.z)};
    put_three(e, error + rows.row);
    put_three(step_rate(e, transposed_times(seen, three(t + 9))), feedforward + rows.row);
    for (const TaskColumn& column : rows.columns) {
        const Vec3<T> moved = rate * world_.S[column.v].angular;
        put_three(column.moves & kMovesPoint ? moved : -moved, moved_by(rows.row, column.v),
                  tree_.joint_nv);
    }
}

// With the way d of unit length to the point, b = Rᵀ d and γ its angle to the third axis:
// e = −(γ / sin γ) (b_x, b_y), ḃ = b × Rᵀ ω − Rᵀ (1 − d dᵀ) ṗ / distance.
template <class T>
TARSUS_FLATTEN void TaskRows<T>::look(const LookRows& rows, const T* targets) {
    const T* t = targets + rows.target;
    const Vec3<T> at = place(rows.point), way = three(t) - at;
    const Mat3<T> eye = axes(rows.axes);
    const T length = square_root(dot(way, way)), nearest(kNearestLook);
    const T distance = select(length > nearest, length, nearest), near = T(1.0) / distance;
    const Vec3<T> d = way * near, b = transposed_times(eye, d);
    const T sine = square_root(mul_add(b.x, b.x, b.y * b.y)), angle = arctangent(sine, b.z);
    const T series = mul_add(angle * angle, T(1.0 / 6), T(1.0));
    const T some = select(sine > T(1e-9), sine, T(1e-9));
    const T large = select(sine < T(kSmallSine), select(b.z > T(0.0), T(0.0), T(1.0)), T(1.0));
    const T factor = select(large > T(0.0), angle / some, series);
    const T slope =
        select(large > T(0.0), neg_mul_add(angle, b.z, some) / (-some * some * some), T(-1.0 / 3));
    const auto change = [&](const Vec3<T>& rate, T* to, long stride) {
        const T along = slope * rate.z;
        to[0] = -mul_add(factor, rate.x, along * b.x);
        to[stride] = -mul_add(factor, rate.y, along * b.y);
    };
    const auto across = [&](const Vec3<T>& v) {
        return transposed_times(eye, neg_mul_add(d, dot(d, v), v)) * near;
    };
    error[rows.row] = -factor * b.x, error[rows.row + 1] = -factor * b.y;
    change(-across(three(t + 3)), feedforward + rows.row, 1);
    for (const TaskColumn& column : rows.columns) {
        const Vec3<T> turned = transposed_times(eye, world_.S[column.v].angular);
        change(cross_add(b, turned, -across(velocity(rows.point, at, column))),
               moved_by(rows.row, column.v), tree_.joint_nv);
    }
}

// momentum of each joint velocity about the centre of mass (Orin & Goswami 2008)
template <class T>
TARSUS_FLATTEN void TaskRows<T>::momenta(const T* targets) {
    compose_inertias(tree_, world_);
    const Vec3<T> centre = world_.body[0].composite.first * T(1.0 / tree_.total_mass);
    for (const MomentumRows& rows : set_.momenta) {
        for (size_t k = 0; k < rows.which.size(); ++k)
            feedforward[rows.row + k] = targets[rows.target + k];
    }
    for (int i = 0; i < tree_.n_bodies; ++i) {
        const Link& link = tree_.links[i];
        const AlignedBody<T>& me = world_.body[i + 1];
        const Vec3<T> arm = me.pose.position - centre;
        for (int v = link.v; v < link.v + link.nv; ++v) {
            const Force<T> own = me.composite * world_.S[v];
            T six[6];
            put_three(own.linear, six);
            put_three(cross_add(arm, own.linear, own.angular), six + 3);
            for (const MomentumRows& rows : set_.momenta) {
                for (size_t k = 0; k < rows.which.size(); ++k)
                    *moved_by(rows.row + int(k), v) = six[rows.which[k]];
            }
        }
    }
}

template <class T>
void TaskRows<T>::sum(const SumRow& row, const T* targets) {
    T total = -targets[row.target];
    for (int v : row.v) *moved_by(row.row, v) = T(0.0);
    for (size_t k = 0; k < row.q.size(); ++k) {
        total = mul_add(T(row.ratio[k]), joints_.q[row.q[k]], total);
        *moved_by(row.row, row.v[k]) += T(row.ratio[k]);
    }
    error[row.row] = total, feedforward[row.row] = targets[row.target + 1];
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::twist(const TwistRows& rows) {
    const Vec3<T> at = place(rows.point);
    for (const TaskColumn& column : rows.columns) {
        put_three(velocity(rows.point, at, column), moved_by(rows.row, column.v), tree_.joint_nv);
        put_three(world_.S[column.v].angular, moved_by(rows.row + 3, column.v), tree_.joint_nv);
    }
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::across(const AcrossRows& rows, const T* targets) {
    const T* along = targets + rows.target;
    const T* place_of = along + 3 * rows.count;
    const Vec3<T> at = place(rows.point), away = at - three(place_of);
    for (int k = 0; k < rows.count; ++k) {
        error[rows.row + k] = dot(three(along + 3 * k), away);
        feedforward[rows.row + k] = dot(three(along + 3 * k), three(place_of + 3));
    }
    for (const TaskColumn& column : rows.columns) {
        const Vec3<T> moved = velocity(rows.point, at, column);
        for (int k = 0; k < rows.count; ++k)
            *moved_by(rows.row + k, column.v) = dot(three(along + 3 * k), moved);
    }
}

template <class T>
void TaskRows<T>::given(const GivenRows& rows, const T* targets) {
    const T* t = targets + rows.target;
    std::copy_n(t, rows.count, error + rows.row);
    std::copy_n(t + rows.count, rows.count, feedforward + rows.row);
    std::copy_n(t + 2 * rows.count, long(rows.count) * tree_.nv,
                jacobian + long(rows.row) * tree_.nv);
}

// from all joints' velocities to the users'
template <class T>
TARSUS_FLATTEN void TaskRows<T>::gather() {
    for (int r = 0; r < set_.rows; ++r) {
        if (set_.by_users[r]) continue;
        gather_forces(tree_, joints_.G, moved_by(r, 0), jacobian + long(r) * tree_.nv);
    }
}

namespace {

template <class T>
void rows_of(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
             double* feedforward, double* jacobian) {
    WorkMemory lent;
    Scratch scratch(lent.get(for_each_group_bytes<T>(tree, set)));
    const long size = set.rows * tree.nv, count = set.rows;
    for_each_group<T>(tree, set, states, scratch, [&](long s, int n, const TaskRows<T>& rows) {
        store_states(rows.error, set.rows, n, error + s * count, count);
        store_states(rows.feedforward, set.rows, n, feedforward + s * count, count);
        store_states(rows.jacobian, int(size), n, jacobian + s * size, size);
    });
}

}  // namespace

void task_rows(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
               double* feedforward, double* jacobian) {
    if (states.count == 1) rows_of<double>(tree, set, states, error, feedforward, jacobian);
    else rows_of<Lanes>(tree, set, states, error, feedforward, jacobian);
}

template class TaskRows<double>;
template class TaskRows<Lanes>;
template class TaskRows<Dual<double>>;
template class TaskRows<Dual<Lanes>>;

}  // namespace tarsus::TARSUS_ISA
