// The bodies from the root to one frame: all that a frame's motion depends on.
#pragma once

#include "dynamics/spanning.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
struct FramePath {
    const int* bodies;  // root first
    int length;
    const Angle<T>* angles;
};

template <class T>
size_t frame_path_bytes(const Tree& tree) {
    return spanning_bytes<Base<T>>(tree) + 2 * bytes_of<int>(tree.n_bodies + tree.n_angles) +
           bytes_of<Angle<T>>(tree.n_angles);
}

template <class T>
TARSUS_INLINE FramePath<T> path_to(const Tree& tree, int frame, const T* q, Scratch& scratch) {
    int* bodies = scratch.take<int>(tree.n_bodies);
    int* listed = scratch.take<int>(tree.n_angles);
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    int length = 0, count = 0;
    for (int i = tree.frames[frame].body; i >= 0; i = tree.links[i].parent) bodies[length++] = i;
    for (int k = 0; k < length / 2; ++k) {
        const int other = bodies[length - 1 - k];
        bodies[length - 1 - k] = bodies[k];
        bodies[k] = other;
    }
    for (int k = 0; k < length; ++k) {
        const Link& link = tree.links[bodies[k]];
        for (int a = 0; a < link.angles; ++a) listed[count++] = link.angle + a;
    }
    read_angles(tree, listed, count, q, angles);
    return {bodies, length, angles};
}

// f(joint, at) for each body of the path, from the root
template <class T, class F>
TARSUS_INLINE void along(const FramePath<T>& path, const Tree& tree, const T* q, F&& f) {
    for (int k = 0; k < path.length; ++k) {
        const Link& link = tree.links[path.bodies[k]];
        visit(link.kind, [&](auto joint) { f(joint, state_at(link, q, path.angles)); });
    }
}

template <class T>
TARSUS_INLINE Pose<T> world_pose() {
    return {identity_matrix<T>(), zero_vector<T>()};
}

template <class T>
TARSUS_INLINE Pose<T> frame_from_body(const Tree& tree, int frame, const Pose<T>& body) {
    const FrameOnBody& on = tree.frames[frame];
    return {body.rotation * matrix_at(on.rotation),
            body.rotation * vector_at(on.position) + body.position};
}

}  // namespace tarsus::TARSUS_ISA
