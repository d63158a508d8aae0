// How an algorithm is run: on one state in place, or on a batch with one state in each lane.
//
// An algorithm is a struct with
//   bytes<T>(tree)            work memory that `run` takes from its Scratch
//   run<T>(tree, arguments)   from in[] to out, for a scalar T
// TARSUS_KERNEL(name, Algorithm) makes a Kernel of it.
#pragma once

#include "joints/visit.hpp"
#include "model/kernel.hpp"

namespace tarsus::TARSUS_ISA {

constexpr size_t kAlign = 64;
constexpr size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

template <class X>
constexpr size_t bytes_of(size_t count) {
    return aligned(count * sizeof(X));
}

class Scratch {
   public:
    explicit Scratch(std::byte* memory) : at_(memory) {}
    template <class X>
    X* take(size_t count) {
        X* block = reinterpret_cast<X*>(at_);
        at_ += bytes_of<X>(count);
        return block;
    }

   private:
    std::byte* at_;
};

template <class T>
struct Arguments {
    const T* in[kInputs];
    T* out;
    int frame;
    Reference reference;
    mutable Scratch scratch;
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

template <class T>
TARSUS_INLINE void store_pose(const Pose<T>& pose, T* out) {
    const Mat3<T>& r = pose.rotation;
    const Vec3<T>& p = pose.position;
    const T zero(0.0), one(1.0);
    const T rows[16] = {r.x.x, r.y.x, r.z.x, p.x, r.x.y, r.y.y, r.z.y, p.y,
                        r.x.z, r.y.z, r.z.z, p.z, zero,  zero,  zero,  one};
    for (int k = 0; k < 16; ++k) out[k] = rows[k];
}

inline int first_not_finite(const double* a, int size) {
    for (int k = 0; k < size; ++k) {
        if (!std::isfinite(a[k])) return k;
    }
    return -1;
}

// 0 · a summed: zero, or NaN if a number of a is not finite
TARSUS_INLINE bool all_finite(const double* a, int size) {
    Lanes sum(0.0);
    int k = 0;
    for (; k + kLanes <= size; k += kLanes) {
        Lanes::Vector x;
        __builtin_memcpy(&x, a + k, sizeof x);
        sum.v += x * 0.0;
    }
    double rest = 0.0;
    for (; k < size; ++k) rest += a[k] * 0.0;
    for (int l = 0; l < kLanes; ++l) rest += sum.v[l];
    return rest == 0.0;
}

template <class Algorithm>
size_t bytes_one(const Tree& tree, const Call&) {
    return Algorithm::template bytes<double>(tree);
}

template <class Algorithm>
Fault run_one(const Tree& tree, const Call& call, std::byte* memory) {
    for (int i = 0; i < kInputs; ++i) {
        if (call.in[i] && !all_finite(call.in[i], call.size[i])) {
            return {i, 0, first_not_finite(call.in[i], call.size[i])};
        }
    }
    Algorithm::template run<double>(
        tree, Arguments<double>{{call.in[0], call.in[1], call.in[2], call.in[3]},
                                call.out,
                                call.frame,
                                call.reference,
                                Scratch(memory)});
    if (all_finite(call.out, call.out_size)) return {};
    return {kInputs, 0, first_not_finite(call.out, call.out_size)};
}

template <class Algorithm>
size_t bytes_lanes(const Tree& tree, const Call& call) {
    size_t bytes = Algorithm::template bytes<Lanes>(tree) + bytes_of<Lanes>(call.out_size);
    for (int i = 0; i < kInputs; ++i) bytes += bytes_of<Lanes>(call.in[i] ? call.size[i] : 0);
    return bytes;
}

// rows of states to lanes; the group past the end repeats the last state
TARSUS_INLINE bool load_lanes(const double* in, long stride, int size, int count, Lanes* out) {
    const double* state[kLanes];
    for (int l = 0; l < kLanes; ++l) state[l] = in + (l < count ? l : count - 1) * stride;
    Lanes sum(0.0);
    for (int k = 0; k < size; ++k) {
        Lanes x;
        for (int l = 0; l < kLanes; ++l) x.v[l] = state[l][k];
        out[k] = x;
        sum.v += x.v * 0.0;
    }
    double total = 0.0;
    for (int l = 0; l < kLanes; ++l) total += sum.v[l];
    return total == 0.0;
}

TARSUS_INLINE bool store_lanes(const Lanes* in, int size, int count, double* out) {
    Lanes sum(0.0);
    for (int k = 0; k < size; ++k) {
        const Lanes x = in[k];
        sum.v += x.v * 0.0;
        for (int l = 0; l < kLanes; ++l) {
            if (l < count) out[l * (long)size + k] = x.v[l];
        }
    }
    double total = 0.0;
    for (int l = 0; l < kLanes; ++l) total += sum.v[l];
    return total == 0.0;
}

inline Fault find_fault(int input, long state, int count, const double* at, long stride, int size) {
    for (int l = 0; l < count; ++l) {
        const int element = first_not_finite(at + l * stride, size);
        if (element >= 0) return {input, state + l, element};
    }
    return {};
}

template <class Algorithm>
Fault run_lanes(const Tree& tree, const Call& call, long begin, long end, std::byte* memory) {
    Scratch scratch(memory);
    Lanes* in[kInputs] = {};
    for (int i = 0; i < kInputs; ++i) {
        if (call.in[i]) in[i] = scratch.take<Lanes>(call.size[i]);
    }
    Lanes* out = scratch.take<Lanes>(call.out_size);
    for (long s = begin; s < end; s += kLanes) {
        const int count = end - s < kLanes ? int(end - s) : kLanes;
        for (int i = 0; i < kInputs; ++i) {
            if (!call.in[i]) continue;
            const double* from = call.in[i] + s * call.stride[i];
            if (!load_lanes(from, call.stride[i], call.size[i], count, in[i])) {
                return find_fault(i, s, count, from, call.stride[i], call.size[i]);
            }
        }
        Algorithm::template run<Lanes>(tree, Arguments<Lanes>{{in[0], in[1], in[2], in[3]},
                                                              out,
                                                              call.frame,
                                                              call.reference,
                                                              scratch});
        double* to = call.out + s * call.out_size;
        if (!store_lanes(out, call.out_size, count, to)) {
            return find_fault(kInputs, s, count, to, call.out_size, call.out_size);
        }
    }
    return {};
}

#define TARSUS_KERNEL(name, Algorithm)                                                   \
    extern const Kernel name##_kernel;                                                   \
    const Kernel name##_kernel = {bytes_one<Algorithm>, bytes_lanes<Algorithm>, run_one<Algorithm>, \
                                  run_lanes<Algorithm>}

}  // namespace tarsus::TARSUS_ISA
