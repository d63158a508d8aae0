// What the step sees, for users who look: all candidates of a state, and the operator of some.
#include <numeric>

#include "constraints/lane_operator.hpp"
#include "dynamics/configuration.hpp"
#include "step/room.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

struct Inspected {
    const Tree& tree;
    JointState<double> joints;
    ArticulatedPasses<double> passes;
    Pose<double>* pose;

    Inspected(const World& world, const double* q, const double* v, const double* mass_scale,
              Scratch& scratch)
        : tree(*world.tree),
          joints(tree.coupled ? span_coupled<double>(tree, nullptr, q, v, nullptr, scratch)
                              : JointState<double>{q, v, nullptr, nullptr}),
          passes(tree, joints, {nullptr, mass_scale}, scratch),
          pose(scratch.take<Pose<double>>(tree.n_bodies + 1)) {
        passes.velocities(nullptr);
        place_bodies(passes, pose);
    }
};

const auto kAll = [](const Touching&, const Pose<double>&) { return true; };

}  // namespace

void find_all_contacts(const World& world, const double* q, double* out, std::byte* memory) {
    Scratch scratch(memory);
    double* v = scratch.take<double>(world.tree->nv);
    std::fill(v, v + world.tree->nv, 0.0);
    const Inspected at(world, q, v, nullptr, scratch);
    for_each_candidate(world.shapes, at.pose, kAll,
                       [&](int candidate, int, int, const Touch<double>& t) {
                           double* to = out + 7L * candidate;
                           to[0] = t.gap, to[1] = t.point.x, to[2] = t.point.y, to[3] = t.point.z;
                           to[4] = t.normal.x, to[5] = t.normal.y, to[6] = t.normal.z;
                       });
}

void contact_operator(const World& world, const double* q, const double* mass_scale,
                      const std::vector<int>& candidates, double* A, double* J, std::byte* memory) {
    Scratch scratch(memory);
    const Tree& tree = *world.tree;
    double* v = scratch.take<double>(tree.nv);
    double* w = scratch.take<double>(tree.joint_nv);
    std::fill(v, v + tree.nv, 0.0);
    Inspected at(world, q, v, mass_scale, scratch);
    const int m = int(candidates.size());
    std::vector<Contact<double>> contacts(m);
    for_each_candidate(world.shapes, at.pose, kAll,
                       [&](int candidate, int a, int b, const Touch<double>& t) {
                           for (int k = 0; k < m; ++k) {
                               if (candidates[k] != candidate) continue;
                               contacts[k].a = a, contacts[k].b = b, contacts[k].touch = t;
                               tangents(t.normal, contacts[k].across, contacts[k].along);
                           }
                       });
    at.passes.inertias(v);
    Room room;
    struct Work {
        TestForces<double> test;
        RowMap<double> map;
        LaneOperator sums;
        double* A;
    };
    Work work = room.take([&](Scratch& own) {
        return Work{{at.passes, 6 * m, 2 * m, own},
                    {6 * m, own},
                    {tree, 3 * m, own},
                    own.take<double>(3 * size_t(m) * padded(3 * m))};
    });
    TestForces<double>& test = work.test;
    RowMap<double>& map = work.map;
    test.clear();
    std::vector<UnitWrenches> units(tree.n_bodies);
    for (const Contact<double>& contact : contacts) {
        const bool share = contact.b < 0 && world.shares[contact.a];
        if (share && units[contact.a].block < 0) {
            units[contact.a] = push_unit_wrenches(test, contact.a);
        }
        push_contact_rows(contact, 3, at.pose, share ? units[contact.a] : UnitWrenches{}, test,
                          map);
    }
    std::vector<int> all(3 * size_t(m));
    std::iota(all.begin(), all.end(), 0);
    work.sums.sum(test, map, 0, all.data(), 3 * m, work.A);
    for (int r = 0; r < 3 * m; ++r) {
        std::copy_n(work.A + long(r) * padded(3 * m), 3 * m, A + 3L * m * r);
    }
    if (!J) return;
    std::vector<Motion<double>> motion(tree.n_bodies + 1);
    for (int e = 0; e < tree.nv; ++e) {
        v[e] = 1.0;
        spread_velocities<double>(tree, at.joints.G, v, w);
        v[e] = 0.0;
        body_velocities<double>(at.passes, w, motion.data());
        for (int k = 0; k < m; ++k) {
            const Contact<double>& c = contacts[k];
            const Vec3<double>& point = c.touch.point;
            const Vec3<double> row =
                in_frame(c, point_velocity(at.pose[c.a + 1], motion[c.a + 1], point) -
                                point_velocity(at.pose[c.b + 1], motion[c.b + 1], point));
            J[(3 * k) * tree.nv + e] = row.x, J[(3 * k + 1) * tree.nv + e] = row.y;
            J[(3 * k + 2) * tree.nv + e] = row.z;
        }
    }
}

}  // namespace tarsus::TARSUS_ISA
