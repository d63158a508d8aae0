// Loops outside the clusters in the articulated-body algorithm: their rows are test forces, and
// their multipliers change only what the last pass reads.
#pragma once

#include "dynamics/multipliers.hpp"
#include "dynamics/test_forces.hpp"

namespace tarsus::TARSUS_ISA {

// poses of all bodies, the world first; where a rotor about its axis points is left out
template <class T>
void place_bodies(const ArticulatedPasses<T>& passes, Pose<T>* pose);
// velocities of all bodies in their frames, the world first, for the joint velocities w
template <class T>
void body_velocities(const ArticulatedPasses<T>& passes, const T* w, Motion<T>* out);

// a force through a point of the world with a moment about it, on a body
template <class T>
TARSUS_INLINE Force<T> force_on(const Pose<T>& body, const Vec3<T>& point, const Force<T>& f) {
    const Vec3<T> moment = cross_add(point - body.position, f.linear, f.angular);
    return {transposed_times(body.rotation, f.linear), transposed_times(body.rotation, moment)};
}

// the rows of a loop between two bodies, pushed as a block
template <class T>
TARSUS_INLINE void push_loop(TestForces<T>& test, const Loop& loop, const Pose<T>* pose,
                             const LoopAt<T>& at) {
    RowForces<T> on_a, on_b;
    for (int r = 0; r < loop.n_rows; ++r) {
        const Force<T> f = force_on(pose[loop.a.body + 1], at.point, at.row[r]);
        on_a.f[r] = {-f.linear, -f.angular};
        on_b.f[r] = force_on(pose[loop.b.body + 1], at.point, at.row[r]);
    }
    test.push_bodies(loop.n_rows, loop.a.body, on_a, loop.b.body, on_b);
}

template <class T>
class ArticulatedConstraints {
   public:
    ArticulatedConstraints(const ArticulatedPasses<T>& passes, Scratch& scratch)
        : passes_(passes),
          tree_(passes.tree),
          pose_(scratch.take<Pose<T>>(tree_.n_constraints ? tree_.n_bodies + 1 : 0)),
          velocity_(scratch.take<Motion<T>>(2 * tree_.n_constraints)),
          test_(passes, tree_.n_constraint_rows, tree_.n_constraints, scratch),
          work_(tree_, scratch) {}

    static size_t bytes(const Tree& tree) {
        return bytes_of<Pose<T>>(tree.n_constraints ? tree.n_bodies + 1 : 0) +
               bytes_of<Motion<T>>(2 * tree.n_constraints) +
               TestForces<T>::bytes(tree, tree.n_constraint_rows, tree.n_constraints) +
               multiplier_bytes<T>(tree);
    }

    // before the last pass overwrites velocities by accelerations
    void keep_velocities();
    // after a last pass without multipliers: changes u of all coordinates for the final one
    void apply();
    // After the final pass: the largest acceleration that is left in a loop, as a share of those of
    // its bodies. Loops that nothing free moves are left out: no force could hold them.
    T torn();

   private:
    void leave_out_unmoved(const bool* held);
    BodyMotion<T> motion_of(int body, const Motion<T>& v) const {
        return body_motion(pose_[body + 1], v, passes_.body[body + 1].v);
    }

    const ArticulatedPasses<T>& passes_;
    const Tree& tree_;
    Pose<T>* pose_;
    Motion<T>* velocity_;
    TestForces<T> test_;
    MultiplierWork<T> work_;
};

}  // namespace tarsus::TARSUS_ISA
