// Pose, velocity and acceleration of one frame.
//
// The acceleration is the time derivative of the velocity's numbers in the same reference: the
// spatial acceleration for "local" and "world", the classical one for "local_world_aligned".
#include "dynamics/frame_path.hpp"
#include "dynamics/run.hpp"

namespace tarsus::TARSUS_ISA {

struct FramePose {
    static constexpr bool kWritesRows = true;

    template <class T>
    static size_t bytes(const Tree& tree) {
        return frame_path_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const T* q = span<T>(tree, arguments, nullptr, nullptr).q;
        const FramePath<T> path = path_to(tree, arguments.frame, q, arguments.scratch);
        Pose<T> pose = world_pose<T>();
        along(path, tree, q, [&](auto joint, const At<T>& at) {
            pose = decltype(joint)::transform(at).pose_from(pose);
        });
        store_pose(frame_from_body(tree, arguments.frame, pose), 0, arguments.rows);
    }
};

template <class T>
struct FrameMotion {
    Pose<T> pose;
    Motion<T> v, a;  // in the frame's own axes, at its origin
};

// the accelerations may be null: velocities only
template <class T>
TARSUS_INLINE FrameMotion<T> frame_motion(const Tree& tree, const Arguments<T>& arguments,
                                          const T* own_v, const T* own_a) {
    const JointState<T> joints = span(tree, arguments, own_v, own_a);
    const T *q = joints.q, *v = joints.v, *a = own_a ? joints.a : nullptr;
    const FramePath<T> path = path_to(tree, arguments.frame, q, arguments.scratch);
    FrameMotion<T> body{world_pose<T>(), zero_motion<T>(), zero_motion<T>()};
    along(path, tree, q, [&](auto joint, const At<T>& at) {
        using Joint = decltype(joint);
        const auto X = Joint::transform(at);
        const auto S = Joint::subspace(at);
        const T* joint_velocity = v + at.link.v;
        body.pose = X.pose_from(body.pose);
        body.v = S.add(X.to_child(body.v), joint_velocity);
        if (!a) return;
        body.a = S.add(X.to_child(body.a), a + at.link.v) + S.cross(body.v, joint_velocity);
        if constexpr (!Joint::kConstantSubspace) {
            body.a = body.a + Joint::bias(at, joint_velocity);
        }
    });
    const FrameOnBody& on = tree.frames[arguments.frame];
    const Transform<T, NoRotation, Vec3<double>> X{
        {Turn::general, on.rotation}, NoRotation{}, vector_at(on.position)};
    return {frame_from_body(tree, arguments.frame, body.pose), X.to_child(body.v),
            X.to_child(body.a)};
}

template <class T>
TARSUS_INLINE Motion<T> seen_from(Reference reference, const Pose<T>& pose, const Motion<T>& m) {
    if (reference == Reference::local) return m;
    const Motion<T> turned{pose.rotation * m.linear, pose.rotation * m.angular};
    if (reference == Reference::local_world_aligned) return turned;
    return {cross_add(pose.position, turned.angular, turned.linear), turned.angular};
}

template <class T>
TARSUS_INLINE void store_motion(const Motion<T>& m, T* out) {
    out[0] = m.linear.x, out[1] = m.linear.y, out[2] = m.linear.z;
    out[3] = m.angular.x, out[4] = m.angular.y, out[5] = m.angular.z;
}

struct FrameVelocity {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return frame_path_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        const FrameMotion<T> frame = frame_motion<T>(tree, arguments, arguments.in[1], nullptr);
        store_motion(seen_from(Reference(arguments.choice), frame.pose, frame.v), arguments.out);
    }
};

struct FrameAcceleration {
    template <class T>
    static size_t bytes(const Tree& tree) {
        return frame_path_bytes<T>(tree);
    }
    template <class T>
    static void run(const Tree& tree, const Arguments<T>& arguments) {
        FrameMotion<T> frame = frame_motion(tree, arguments, arguments.in[1], arguments.in[2]);
        if (Reference(arguments.choice) == Reference::local_world_aligned) {
            frame.a.linear = cross_add(frame.v.angular, frame.v.linear, frame.a.linear);
        }
        store_motion(seen_from(Reference(arguments.choice), frame.pose, frame.a), arguments.out);
    }
};

TARSUS_KERNEL(frame_pose, FramePose);
TARSUS_KERNEL(frame_velocity, FrameVelocity);
TARSUS_KERNEL(frame_acceleration, FrameAcceleration);

}  // namespace tarsus::TARSUS_ISA
