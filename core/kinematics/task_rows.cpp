// Errors of tasks and their jacobians; the rows are those of tarsus/ik/tasks.
#include "kinematics/task_rows.hpp"

#include "dynamics/frame_path.hpp"
#include "kinematics/rotation_vector.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TaskRows<T>::TaskRows(const Tree& tree, const TaskSet& set, Scratch& scratch)
    : error(scratch.take<T>(set.rows)),
      jacobian(scratch.take<T>(size_t(set.rows) * tree.nv)),
      tree_(tree),
      set_(set),
      pose_(scratch.take<Pose<T>>(tree.n_bodies)),
      columns_(scratch.take<Motion<T>>(tree.joint_nv)),
      sums_(scratch.take<Motion<T>>(tree.nv)),
      angles_(scratch.take<Angle<T>>(tree.n_angles)),
      scratch_(scratch) {
    // what is never set is zero: velocities that do not move a frame
    for (int k = 0; k < set.rows * tree.nv; ++k) jacobian[k] = T(0.0);
    for (const PostureRow& row : set.postures) jacobian[row.row * tree.nv + row.v] = T(1.0);
    scratch.take<std::byte>(spanning_bytes<T>(tree));
}

template <class T>
size_t TaskRows<T>::bytes(const Tree& tree, const TaskSet& set) {
    return bytes_of<T>(set.rows) + bytes_of<T>(size_t(set.rows) * tree.nv) +
           bytes_of<Pose<T>>(tree.n_bodies) + bytes_of<Motion<T>>(tree.joint_nv) +
           bytes_of<Motion<T>>(tree.nv) + bytes_of<Angle<T>>(tree.n_angles) +
           bytes_of<std::byte>(spanning_bytes<T>(tree));
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::place(const T* q, const Angle<T>* angles) {
    for (int i : set_.bodies) {
        const Link& link = tree_.links[i];
        const Pose<T> parent = link.parent < 0 ? world_pose<T>() : pose_[link.parent];
        visit(link.kind, [&](auto joint) {
            const At<T> at = state_at(link, q, angles);
            pose_[i] = decltype(joint)::transform(at).pose_from(parent);
            decltype(joint)::subspace(at).columns_in(pose_[i].rotation, columns_ + link.v);
        });
    }
}

template <class T>
TARSUS_FLATTEN void TaskRows<T>::frame(const FrameRows& rows, const T* G, const T* targets) {
    const int body = tree_.frames[rows.frame].body, nv = tree_.nv;
    const Pose<T> here =
        frame_from_body(tree_, rows.frame, body < 0 ? world_pose<T>() : pose_[body]);
    const T* t = targets + rows.target;
    int row = rows.row;
    if (rows.linear) {
        error[row] = here.position.x - t[9];
        error[row + 1] = here.position.y - t[10];
        error[row + 2] = here.position.z - t[11];
        row += 3;
    }
    Mat3<T> turn = identity_matrix<T>();
    if (rows.angular) {
        const Mat3<T> target{{t[0], t[1], t[2]}, {t[3], t[4], t[5]}, {t[6], t[7], t[8]}};
        const Vec3<T> e = logarithm(quaternion_of(transpose(target) * here.rotation));
        error[row] = e.x, error[row + 1] = e.y, error[row + 2] = e.z;
        const Mat3<T> back = transpose(here.rotation);
        turn = {step_rate(e, back.x), step_rate(e, back.y), step_rate(e, back.z)};
    }
    const auto put = [&](int v, const Motion<T>& column) {
        T* to = jacobian + rows.row * nv + v;
        if (rows.linear) {
            to[0] = column.linear.x, to[nv] = column.linear.y, to[2 * nv] = column.linear.z;
            to += 3 * nv;
        }
        if (rows.angular) {
            const Vec3<T> moved = turn * column.angular;
            to[0] = moved.x, to[nv] = moved.y, to[2 * nv] = moved.z;
        }
    };
    for (int v : rows.coupled) sums_[v] = zero_motion<T>();
    for (int i : rows.path) {
        const Link& link = tree_.links[i];
        const Vec3<T> arm = here.position - pose_[i].position;
        const Cluster& cluster = tree_.clusters[tree_.cluster_of[i]];
        for (int k = 0; k < link.nv; ++k) {
            const Motion<T>& own = columns_[link.v + k];
            const Motion<T> column{cross_add(own.angular, arm, own.linear), own.angular};
            if (link.own >= 0) put(link.own + k, column);
            for (int e = 0; link.own < 0 && e < cluster.nv; ++e) {
                const T& ratio = G[cluster.matrix + (link.v + k - cluster.w) * cluster.nv + e];
                Motion<T>& sum = sums_[cluster.v + e];
                sum = {mul_add(column.linear, ratio, sum.linear),
                       mul_add(column.angular, ratio, sum.angular)};
            }
        }
    }
    for (int v : rows.coupled) put(v, sums_[v]);
}

template <class T>
void TaskRows<T>::at(const T* q, const T* targets) {
    Scratch scratch = scratch_;
    JointState<T> joints{q, nullptr, nullptr, nullptr};
    if (tree_.coupled && !set_.frames.empty())
        joints = span_coupled<T>(tree_, nullptr, q, nullptr, nullptr, scratch);
    read_angles(tree_, set_.angles.data(), int(set_.angles.size()), joints.q, angles_);
    place(joints.q, angles_);
    for (const FrameRows& rows : set_.frames) frame(rows, joints.G, targets);
    for (const PostureRow& row : set_.postures) error[row.row] = q[row.q] - targets[row.target];
}

namespace {

template <class T>
void rows_of(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
             double* jacobian) {
    constexpr int count = kLaneCount<T>;
    WorkMemory lent;
    Scratch scratch(
        lent.get(TaskRows<T>::bytes(tree, set) + bytes_of<T>(tree.nq) + bytes_of<T>(set.targets)));
    TaskRows<T> rows(tree, set, scratch);
    T *q = scratch.take<T>(tree.nq), *targets = scratch.take<T>(set.targets);
    const int size = set.rows * tree.nv;
    for (long s = 0; s < states.count; s += count) {
        const auto state = [&](int l) { return s + l < states.count ? s + l : states.count - 1; };
        for (int l = 0; l < count; ++l) {
            const double* at = states.q + state(l) * tree.nq;
            const double* to = states.targets + state(l) * states.stride;
            for (int k = 0; k < tree.nq; ++k) set_lane(q[k], l, at[k]);
            for (int k = 0; k < set.targets; ++k) set_lane(targets[k], l, to[k]);
        }
        rows.at(q, targets);
        for (int l = 0; l < count && s + l < states.count; ++l) {
            for (int k = 0; k < set.rows; ++k)
                error[(s + l) * set.rows + k] = lane_of(rows.error[k], l);
            for (int k = 0; k < size; ++k)
                jacobian[(s + l) * size + k] = lane_of(rows.jacobian[k], l);
        }
    }
}

}  // namespace

void task_rows(const Tree& tree, const TaskSet& set, const TaskStates& states, double* error,
               double* jacobian) {
    if (states.count == 1) rows_of<double>(tree, set, states, error, jacobian);
    else rows_of<Lanes>(tree, set, states, error, jacobian);
}

template class TaskRows<double>;
template class TaskRows<Lanes>;

}  // namespace tarsus::TARSUS_ISA
