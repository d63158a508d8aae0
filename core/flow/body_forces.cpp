#include "flow/body_forces.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void BodyForces<T>::outwards() {
    read_angles(tree, joints.q, angles);
    pose[0] = {identity_matrix<T>(), zero_vector<T>()};
    motion[0] = zero_motion<T>();
    for (int i = 0; i <= tree.n_bodies; ++i) force[i] = {zero_vector<T>(), zero_vector<T>()};
    for (int k = 0; k < tree.joint_nv; ++k) on_joints[k] = T(0.0);
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, joints.q, angles);
            const auto X = Joint::transform(at);
            pose[i + 1] = X.pose_from(pose[link.parent + 1]);
            motion[i + 1] =
                Joint::subspace(at).add(X.to_child(motion[link.parent + 1]), joints.v + link.v);
        });
    }
}

template <class T>
TARSUS_FLATTEN void BodyForces<T>::inwards(T* tau) {
    for (int i = tree.n_bodies - 1; i >= 0; --i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, joints.q, angles);
            T along[Joint::nv];
            Joint::subspace(at).project(force[i + 1], along);
            for (int k = 0; k < Joint::nv; ++k) on_joints[link.v + k] += along[k];
            Force<T>& parent = force[link.parent + 1];
            parent = parent + Joint::transform(at).to_parent(force[i + 1]);
        });
    }
    gather_forces(tree, joints.G, on_joints, tau);
}

#define TARSUS_BODY_FORCES(T)                \
    template void BodyForces<T>::outwards(); \
    template void BodyForces<T>::inwards(T*);
TARSUS_BODY_FORCES(double)
TARSUS_BODY_FORCES(Lanes)
TARSUS_BODY_FORCES(Dual<double>)
TARSUS_BODY_FORCES(Dual<Lanes>)

}  // namespace tarsus::TARSUS_ISA
