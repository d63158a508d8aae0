#include "dynamics/composite.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN AlignedTree<T> align(const Tree& tree, const T* q, Scratch& scratch) {
    Angle<T>* angles = scratch.take<Angle<T>>(tree.n_angles);
    const AlignedTree<T> world{scratch.take<AlignedBody<T>>(tree.n_bodies + 1),
                               scratch.take<Motion<T>>(tree.joint_nv)};
    read_angles(tree, q, angles);
    world.body[0].pose = {identity_matrix<T>(), zero_vector<T>()};
    for (int i = 0; i < tree.n_bodies; ++i) {
        const Link& link = tree.links[i];
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at = state_at(link, q, angles);
            const auto X = Joint::transform(at);
            const Pose<T>& parent = world.body[link.parent + 1].pose;
            AlignedBody<T>& me = world.body[i + 1];
            me.r = parent.rotation * X.p;
            me.pose = {X.axes_from(parent.rotation), parent.position + me.r};
            Joint::subspace(at).columns_in(me.pose.rotation, world.S + link.v);
        });
    }
    return world;
}

#define TARSUS_ALIGN(T) template AlignedTree<T> align(const Tree&, const T*, Scratch&);
TARSUS_ALIGN(double)
TARSUS_ALIGN(Lanes)
TARSUS_ALIGN(Dual<double>)
TARSUS_ALIGN(Dual<Lanes>)

}  // namespace tarsus::TARSUS_ISA
