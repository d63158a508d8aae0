// Where the members of a cluster are, on numbers that may move, and on those that move twice.
#include "dynamics/cluster_closure.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void place_members(const Tree& tree, const Cluster& cluster, const T* x,
                                  ClosureWork<T>& work) {
    const Pose<T> fixed{identity_matrix<T>(), zero_vector<T>()};
    for (int m = 0; m < cluster.n_bodies; ++m) {
        const Link& link = tree.links[cluster.body + m];
        for (int k = 0; k < link.angles; ++k) {
            work.angle[k] = sincos_of(x[tree.angle_coordinate[link.angle + k]]);
        }
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            const At<T> at{link, x + link.q, work.angle};
            const Pose<T>& parent =
                link.parent == cluster.parent ? fixed : work.pose[link.parent - cluster.body];
            work.pose[m] = Joint::transform(at).pose_from(parent);
            Joint::subspace(at).columns_in(work.pose[m].rotation, work.S + (link.v - cluster.w));
        });
    }
}

#define TARSUS_CLUSTER_MEMBERS(T) \
    template void place_members(const Tree&, const Cluster&, const T*, ClosureWork<T>&);
TARSUS_CLUSTER_MEMBERS(double)
TARSUS_CLUSTER_MEMBERS(Lanes)
TARSUS_CLUSTER_MEMBERS(Dual<double>)
TARSUS_CLUSTER_MEMBERS(Dual<Lanes>)
TARSUS_CLUSTER_MEMBERS(Dual<Dual<double>>)
TARSUS_CLUSTER_MEMBERS(Dual<Dual<Lanes>>)

}  // namespace tarsus::TARSUS_ISA
