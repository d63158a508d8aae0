#include "dynamics/test_forces.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
TARSUS_FLATTEN void TestForces<T>::push_bodies(int rows, int a, RowForces<T>& on_a, int b,
                                               RowForces<T>& on_b) {
    begin(rows);
    walk(a, on_a, b, on_b);
}

template <class T>
TARSUS_FLATTEN void TestForces<T>::push_joint(int w, double sign) {
    begin(1);
    const int body = tree_.body_of[w];
    const Cluster& cluster = enter(body);
    for (int e = 0; e < cluster.nv; ++e) {
        const int entry = cluster.matrix + (w - cluster.w) * cluster.nv + e;
        share(0, cluster.w + e) = cluster.coupled ? passes_.joints.G[entry] * T(sign)
                                                  : T(cluster.w + e == w ? sign : 0.0);
    }
    RowForces<T> felt, none;
    felt.f[0] = {zero_vector<T>(), zero_vector<T>()};
    yield(cluster, felt);
    // the force now acts on the cluster's carrier, in the carrier's frame
    const bool members = cluster.coupled && !cluster.geared;
    if (!members && cluster.parent >= 0) {
        const Link& link = tree_.links[cluster.coupled ? cluster.moving : body];
        visit(link.kind, [&](auto joint) {
            felt.f[0] = decltype(joint)::transform(passes_.at(link)).to_parent(felt.f[0]);
        });
    }
    walk(cluster.parent, felt, -1, none);
}

// Forces on several joints meet on their ways inwards: always the outermost cluster goes on, with
// its joints' own shares and all that it has felt so far.
template <class T>
TARSUS_FLATTEN void TestForces<T>::push_joints(std::span<const JointShare> joints) {
    if (joints.size() == 1) return push_joint(joints[0].w, joints[0].ratio);
    begin(1);
    constexpr int kMost = 64;
    int at[kMost];
    RowForces<T> felt[kMost];
    int n = 0;
    const auto outermost = [&] {
        int found = -1;
        for (int k = 0; k < n; ++k) found = std::max(found, tree_.cluster_of[at[k]]);
        return found;
    };
    int done = int(tree_.clusters.size());  // clusters from here on have been passed
    for (;;) {
        int next = outermost();
        for (const JointShare& joint : joints) {
            const int own = tree_.cluster_of[tree_.body_of[joint.w]];
            if (own < done) next = std::max(next, own);
        }
        if (next < 0) return;
        done = next;
        const Cluster& cluster = tree_.clusters[next];
        enter(cluster.body);
        for (int e = 0; e < cluster.nv; ++e) share(0, cluster.w + e) = T(0.0);
        RowForces<T> sum;
        sum.f[0] = {zero_vector<T>(), zero_vector<T>()};
        for (int k = 0; k < n;) {
            if (tree_.cluster_of[at[k]] != next) {
                ++k;
                continue;
            }
            meet(cluster, at[k], felt[k]);
            add(sum, felt[k], 1);
            --n, at[k] = at[n], felt[k] = felt[n];
        }
        walk_joints(cluster, joints, sum);
        if (cluster.parent < 0) continue;
        at[n] = cluster.parent, felt[n++] = sum;
    }
}
// a force on a body of the cluster adds to its shares, and is then seen from where it yields
template <class T>
TARSUS_APART void TestForces<T>::meet(const Cluster& cluster, int body, RowForces<T>& forces) {
    if (cluster.coupled && !cluster.geared) {
        for (; body != cluster.parent; body = tree_.links[body].parent) {
            pass_member(cluster, body, forces);
        }
        return;
    }
    visit(tree_.links[body].kind, [&](auto joint) {
        T s[decltype(joint)::nv];
        decltype(joint)::subspace(passes_.at(tree_.links[body])).project(forces.f[0], s);
        for (int k = 0; k < decltype(joint)::nv; ++k) {
            T& sum = share(0, cluster.w + k);
            sum = sum + s[k];
        }
    });
}
template <class T>
TARSUS_APART void TestForces<T>::walk_joints(const Cluster& cluster,
                                             std::span<const JointShare> joints,
                                             RowForces<T>& felt) {
    int body = cluster.coupled ? cluster.moving : cluster.body;
    for (const JointShare& joint : joints) {
        if (&tree_.clusters[tree_.cluster_of[tree_.body_of[joint.w]]] != &cluster) continue;
        for (int e = 0; e < cluster.nv; ++e) {
            const int entry = cluster.matrix + (joint.w - cluster.w) * cluster.nv + e;
            const T own =
                cluster.coupled ? passes_.joints.G[entry] : T(cluster.w + e == joint.w ? 1.0 : 0.0);
            T& sum = share(0, cluster.w + e);
            sum = mul_add(own, T(joint.ratio), sum);
        }
    }
    yield(cluster, felt);
    if ((cluster.coupled && !cluster.geared) || cluster.parent < 0) return;
    const Link& link = tree_.links[body];
    visit(link.kind, [&](auto joint) {
        felt.f[0] = decltype(joint)::transform(passes_.at(link)).to_parent(felt.f[0]);
    });
}

template <class T>
TARSUS_FLATTEN void TestForces<T>::sum_operator(T* A) const {
    const int n = n_rows_;
    for (long k = 0; k < long(n) * n; ++k) A[k] = T(0.0);
    for (size_t c = 0; c < tree_.clusters.size(); ++c) mark_[c] = -1;
    for (int a = 0; a < n_blocks_; ++a) {
        for (int c : way(a)) mark_[c] = a;
        for (int b = 0; b <= a; ++b) {
            for (int c : way(b)) {
                if (mark_[c] == a) add_products(tree_.clusters[c], block_[a], block_[b], A);
            }
        }
    }
    for (int r = 0; r < n; ++r) {
        for (int s = 0; s < r; ++s) A[long(s) * n + r] = A[long(r) * n + s];
    }
}

// A of the rows of two blocks: what a cluster on both ways adds
template <class T>
TARSUS_INLINE void TestForces<T>::add_products(const Cluster& cluster, const Block& a,
                                               const Block& b, T* A) const {
    for (int r = a.first; r < a.end; ++r) {
        for (int s = b.first; s < std::min(b.end, r + 1); ++s) {
            T& sum = A[long(r) * n_rows_ + s];
            for (int e = cluster.w; e < cluster.w + cluster.nv; ++e) {
                sum = mul_add(scaled_shares(e)[r], shares(e)[s], sum);
            }
        }
    }
}

// inwards from two bodies, the outer cluster first
template <class T>
TARSUS_INLINE void TestForces<T>::walk(int a, RowForces<T>& on_a, int b, RowForces<T>& on_b) {
    const int rows = last_rows();
    int body[2] = {a, b};
    RowForces<T>* forces[2] = {&on_a, &on_b};
    while (body[0] >= 0 || body[1] >= 0) {
        const int outer = body[0] > body[1] ? 0 : 1, inner = 1 - outer;
        if (body[0] == body[1]) {
            add(*forces[outer], *forces[inner], rows);
            body[inner] = -1;
        }
        const Cluster& cluster = enter(body[outer]);
        if (!cluster.coupled || cluster.geared) {
            pass_joint(cluster, body[outer], *forces[outer]);
            body[outer] = cluster.parent;
            continue;
        }
        pass_members(cluster, body[outer], *forces[outer]);
        if (body[inner] >= cluster.body) {  // in the same cluster, which yields once
            pass_members(cluster, body[inner], *forces[inner]);
            add(*forces[outer], *forces[inner], rows);
            body[inner] = -1;
        }
        yield(cluster, *forces[outer]);
        body[outer] = cluster.parent;
    }
}
// past a joint: s = Sᵀ f, and the parent feels f − U D⁻¹ s
template <class T>
TARSUS_INLINE void TestForces<T>::pass_joint(const Cluster& cluster, int body,
                                             RowForces<T>& forces) {
    const Link& link = tree_.links[body];
    const int rows = last_rows();
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        const At<T> at = passes_.at(link);
        const auto X = Joint::transform(at);
        const ArticulatedDof<T>* dof = passes_.dof + cluster.w;
        for (int r = 0; r < rows; ++r) {
            T s[Joint::nv];
            Joint::subspace(at).project(forces.f[r], s);
            Force<T> felt = forces.f[r];
            for (int k = 0; k < Joint::nv; ++k) {
                T push = dof[k].inverse[0] * s[0];
                for (int l = 1; l < Joint::nv; ++l) {
                    push = mul_add(dof[k].inverse[l], s[l], push);
                }
                share(r, cluster.w + k) = s[k];
                scaled(r, cluster.w + k) = push;
                if (link.parent >= 0) felt = add_scaled(dof[k].U, -push, felt);
            }
            if (link.parent >= 0) forces.f[r] = X.to_parent(felt);
        }
    });
}

template <class T>
TARSUS_APART void TestForces<T>::pass_members(const Cluster& cluster, int body,
                                              RowForces<T>& forces) {
    if (!entered(cluster)) {
        for (int r = 0; r < last_rows(); ++r) {
            for (int e = 0; e < cluster.nv; ++e) share(r, cluster.w + e) = T(0.0);
        }
    }
    for (; body != cluster.parent; body = tree_.links[body].parent) {
        pass_member(cluster, body, forces);
    }
}
// past a member of a coupled cluster: it leaves its share to the cluster's own coordinates
template <class T>
void TestForces<T>::pass_member(const Cluster& cluster, int body, RowForces<T>& forces) {
    const Link& link = tree_.links[body];
    const T* G = passes_.joints.G + cluster.matrix + (link.v - cluster.w) * cluster.nv;
    visit(link.kind, [&](auto joint) {
        using Joint = decltype(joint);
        const At<T> at = passes_.at(link);
        const auto X = Joint::transform(at);
        for (int r = 0; r < last_rows(); ++r) {
            T s[Joint::nv];
            Joint::subspace(at).project(forces.f[r], s);
            for (int k = 0; k < Joint::nv; ++k) {
                for (int e = 0; e < cluster.nv; ++e) {
                    T& sum = share(r, cluster.w + e);
                    sum = mul_add(G[k * cluster.nv + e], s[k], sum);
                }
            }
            forces.f[r] = X.to_parent(forces.f[r]);
        }
    });
}
// a cluster whose shares are known gives way
template <class T>
TARSUS_APART void TestForces<T>::yield(const Cluster& cluster, RowForces<T>& forces) {
    const bool members = cluster.coupled && !cluster.geared;
    const T* inverse = members ? passes_.coupled.inverse(cluster) : nullptr;
    const ArticulatedDof<T>* dof = passes_.dof + cluster.w;
    for (int r = 0; r < last_rows(); ++r) {
        for (int e = 0; e < cluster.nv; ++e) {
            T sum(0.0);
            for (int f = 0; f < cluster.nv; ++f) {
                const T& entry = members ? inverse[e * cluster.nv + f] : dof[e].inverse[f];
                sum = mul_add(entry, share(r, cluster.w + f), sum);
            }
            scaled(r, cluster.w + e) = sum;
            forces.f[r] = add_scaled(dof[e].U, -sum, forces.f[r]);
        }
    }
}

#define TARSUS_TEST_FORCES(T)                                                              \
    template void TestForces<T>::push_bodies(int, int, RowForces<T>&, int, RowForces<T>&); \
    template void TestForces<T>::push_joint(int, double);                                  \
    template void TestForces<T>::push_joints(std::span<const JointShare>);                 \
    template void TestForces<T>::sum_operator(T*) const;
TARSUS_TEST_FORCES(double)
TARSUS_TEST_FORCES(Lanes)

}  // namespace tarsus::TARSUS_ISA
