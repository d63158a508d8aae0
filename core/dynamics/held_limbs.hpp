// A mechanism all of whose constraints hold limbs at their tips (model/limbs.hpp): the trunk by the
// articulated-body algorithm, with the limbs as inertias and forces on it, and the limbs by what
// the trunk does. The limbs of one state are evaluated in lanes.
#pragma once

#include "dynamics/articulated_passes.hpp"
#include "dynamics/limb.hpp"

namespace tarsus::TARSUS_ISA {

// how many limbs are evaluated at once, in which numbers, with which constants
template <class T>
struct LimbNumbers {
    using Number = T;
    using Constant = double;
    static constexpr int kAtOnce = 1;
};
template <>
struct LimbNumbers<double> {
    using Number = Pack<LimbGroup::kMost>;
    using Constant = Number;
    static constexpr int kAtOnce = LimbGroup::kMost;
};

template <class T>
class HeldLimbs {
   public:
    HeldLimbs(const Limbs& limbs, Scratch& scratch);
    static size_t bytes(const Limbs& limbs);

    // where everything is; v may be null for rest
    void look(const T* q, const T* v);
    // q̇ of what was looked at
    void rate(T* out) const;

    // What the held points shall do: accelerate as the world does, go where they are held, or lose
    // their velocity. Returned are the farthest way that one has to go, along axes of its trunk.
    void follow(const Vec3<T>& world);
    T close();
    void stop();

    // Accelerations (nv) under tau (nv), null where all are at rest and forces zero, in a world
    // that accelerates. 1 in lanes in which all limbs are regular, 0 where others must help. Look
    // again before the next call.
    T respond(const T* tau, const Vec3<T>& world, T* out);

   private:
    using V = typename LimbNumbers<T>::Number;
    using C = typename LimbNumbers<T>::Constant;
    // what a limb needs after the trunk has moved
    struct Kept {
        Vec3<V> want, p, row[LimbGroup::kJoints];
        V bias[LimbGroup::kJoints];
    };
    struct Felt {
        Articulated<T> I;
        Force<T> p;
    };

    template <class F>
    TARSUS_INLINE void each(F&& f);
    TARSUS_INLINE V read(const T* from, const int (&index)[LimbGroup::kMost], int limb) const;
    template <bool turns = false>
    TARSUS_INLINE LimbPlace<V> place(const LimbGroup& group, int limb) const;
    template <bool moving, bool turns>
    void answer(const LimbGroup& group, int limb, const T* tau, Kept& kept, V& regular);
    TARSUS_INLINE void feel(const LimbGroup& group, int limb, const LimbAnswer<V>& answer);
    void spread(T* out);

    const Limbs& limbs_;
    const T *q_ = nullptr, *v_ = nullptr;
    T *own_q_, *own_v_, *own_a_;  // of the trunk
    JointState<T> joints_;
    ArticulatedPasses<T> passes_;
    Vec3<T>* up_;
    Pose<T>* pose_;
    Kept* kept_;
    Felt* sum_;  // of the limbs that come first and third, and of the others
};

}  // namespace tarsus::TARSUS_ISA
