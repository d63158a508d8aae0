// What an algorithm is given: its inputs, a place for its results, and work memory; and how it
// reads joint angles and bodies from them.
#pragma once

#include "joints/visit.hpp"
#include "model/kernel.hpp"
#include "model/work_memory.hpp"
#include "scalar/rows.hpp"

namespace tarsus::TARSUS_ISA {

// nothing takes no room: who takes an empty block need not count it
template <class X>
constexpr size_t bytes_of(size_t count) {
    return aligned(count * sizeof(X)) + (count > 0 ? kRedZone : 0);
}

// Blocks of work memory, one behind the other. Copies take the same blocks again: what a function
// takes from its own copy is free when it returns.
class Scratch {
   public:
    explicit Scratch(std::byte* memory) : at_(memory) {}

    // has no memory: for counting what is taken from it
    static Scratch counter() {
        Scratch made(reinterpret_cast<std::byte*>(kAlign));
#ifdef TARSUS_SANITIZE
        made.counts_ = true;
#endif
        return made;
    }
    size_t counted() const { return reinterpret_cast<size_t>(at_) - kAlign; }

    template <class X>
    X* take(size_t count) {
        X* block = reinterpret_cast<X*>(at_);
        at_ += bytes_of<X>(count);
#ifdef TARSUS_SANITIZE
        if (!counts_) guard(block, count * sizeof(X), bytes_of<X>(count));
#endif
        return block;
    }

   private:
    std::byte* at_;
#ifdef TARSUS_SANITIZE
    bool counts_ = false;
#endif
};

template <class T>
struct Arguments {
    const T* in[kInputs];
    T* out;
    mutable Rows<T> rows;
    int frame;
    int choice;
    mutable Scratch scratch;
    const bool* prescribed = nullptr;  // one for each velocity, of hybrid dynamics
};

// Sines and cosines of the listed joint angles; one state does several at once in the lanes.
template <class T>
TARSUS_INLINE void read_angles(const Tree& tree, const int* listed, int count, const T* q,
                               Angle<T>* out) {
    const int* coordinate = tree.angle_coordinate.data();
    if constexpr (std::is_same_v<T, double>) {
        for (int k = 0; k < count; k += kLanes) {
            const int lanes = count - k < kLanes ? count - k : kLanes;
            Lanes x(0.0);
            for (int l = 0; l < lanes; ++l) x.v[l] = q[coordinate[listed[k + l]]];
            const Angle<Lanes> at = sincos_of(x);
            for (int l = 0; l < lanes; ++l) out[listed[k + l]] = {at.cosine[l], at.sine[l]};
        }
    } else {
        for (int k = 0; k < count; ++k) out[listed[k]] = sincos_of(q[coordinate[listed[k]]]);
    }
}

template <class T>
TARSUS_INLINE void read_angles(const Tree& tree, const T* q, Angle<T>* out) {
    read_angles(tree, tree.all_angles.data(), tree.n_angles, q, out);
}

template <class T>
TARSUS_INLINE At<T> state_at(const Link& link, const T* q, const Angle<T>* angles) {
    return {link, q + link.q, angles + link.angle};
}

// the frame that users see on a body, in the core's frame of that body
TARSUS_INLINE FixedTurn user_axes(const Tree& tree, int body) {
    return {tree.body_axes[body].turn, tree.body_axes[body].rotation};
}

constexpr double kLastRow[4] = {0.0, 0.0, 0.0, 1.0};

template <class T>
TARSUS_INLINE void store_pose(const Pose<T>& pose, int at, Rows<T>& rows) {
    const Mat3<T>& r = pose.rotation;
    const Vec3<T>& p = pose.position;
    rows.set_four(at, {r.x.x, r.y.x, r.z.x, p.x});
    rows.set_four(at + 4, {r.x.y, r.y.y, r.z.y, p.y});
    rows.set_four(at + 8, {r.x.z, r.y.z, r.z.z, p.z});
    rows.set_four(at + 12, kLastRow);
}

}  // namespace tarsus::TARSUS_ISA
