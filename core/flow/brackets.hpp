// Brackets of joints: along a motion with velocities v, a step η to a neighbouring motion changes
// with η̇ = δv + [η, v], where [η, v]_k = Σ c_kij v_i η_j. Joints whose coordinates are angles and
// lengths have none; those on groups have the structure constants of the group.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

struct StructureConstant {
    int k, i, j;  // among the velocities of all joints
    double c;
};

// q̇ for the velocity that is 1 at i, with its rate along the one that is 1 at j
template <class Joint>
void rate_along(const Link& link, const double* q, int i, int j, Dual<double>* out) {
    using D = Dual<double>;
    const KindInfo& kind = kKindInfo[int(link.kind)];
    const auto angles = [&](const auto* x, auto* to) {
        for (int k = 0; k < kind.angles; ++k) to[k] = sincos_of(x[kind.first_angle + k]);
    };
    double unit[Joint::nv] = {}, step[Joint::nq];
    unit[j] = 1;
    Angle<double> at[kMostAngles];
    angles(q, at);
    Joint::rate(At<double>{link, q, at}, unit, step);
    D x[Joint::nq], along[Joint::nv];
    for (int k = 0; k < Joint::nq; ++k) x[k] = {q[k], step[k]};
    for (int k = 0; k < Joint::nv; ++k) along[k] = D(k == i ? 1.0 : 0.0);
    Angle<D> moving[kMostAngles];
    angles(x, moving);
    Joint::rate(At<D>{link, x, moving}, along, out);
}

// Groups look the same from everywhere: constants are those at the identity, where the rates of
// unit velocities are at right angles.
inline std::vector<StructureConstant> brackets_of(const Tree& tree) {
    std::vector<StructureConstant> found;
    for (const Link& link : tree.links) {
        visit(link.kind, [&](auto joint) {
            using Joint = decltype(joint);
            double q[kMostPositions] = {};
            const int quaternion = kKindInfo[int(link.kind)].quaternion;
            if (quaternion >= 0) q[quaternion + 3] = 1;
            Dual<double> one[Joint::nq], other[Joint::nq], unit[Joint::nq];
            for (int i = 0; i < Joint::nv; ++i) {
                for (int j = 0; j < Joint::nv; ++j) {
                    rate_along<Joint>(link, q, i, j, one);
                    rate_along<Joint>(link, q, j, i, other);
                    for (int k = 0; k < Joint::nv; ++k) {
                        rate_along<Joint>(link, q, k, k, unit);
                        double c = 0, square = 0;
                        for (int n = 0; n < Joint::nq; ++n) {
                            c += unit[n].value * (one[n].rate - other[n].rate);
                            square += unit[n].value * unit[n].value;
                        }
                        if (c != 0)
                            found.push_back({link.v + k, link.v + i, link.v + j, c / square});
                    }
                }
            }
        });
    }
    return found;
}

}  // namespace tarsus::TARSUS_ISA
