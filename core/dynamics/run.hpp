// How an algorithm is run: on one state in place, or on a batch with one state in each lane.
//
// An algorithm is a struct with
//   bytes<T>(tree)            work memory that `run` takes from its Scratch
//   run<T>(tree, arguments)   from in[] to out, for a scalar T
// TARSUS_KERNEL(name, Algorithm) makes a Kernel of it.
#pragma once

#include "dynamics/arguments.hpp"

namespace tarsus::TARSUS_ISA {

// Algorithms write a plain array `out`, unless they declare
//   kWritesRows   results go straight to the users' rows (`rows`)
//   kSparse       only some entries are ever set, the same ones for every state; the rest is zero
// Results of several parts go to `out`.
template <class Algorithm>
constexpr bool kSparse = requires { Algorithm::kSparse; };
template <class Algorithm>
constexpr bool kWritesRows = requires { Algorithm::kWritesRows; };
// Sparse rows are set in work memory, where the zeros stay, and copied as a whole.
template <class Algorithm>
constexpr bool kStaged = kSparse<Algorithm> && kWritesRows<Algorithm>;

template <class Algorithm>
size_t bytes_one(const Tree& tree, const Call&) {
    return Algorithm::template bytes<double>(tree);
}

template <class Algorithm>
TARSUS_FLATTEN Fault run_one(const Tree& tree, const Call& call, std::byte* memory) {
    for (int i = 0; i < kInputs; ++i) {
        if (call.in[i] && !all_finite(call.in[i], call.size[i])) {
            return {i, 0, first_not_finite(call.in[i], call.size[i])};
        }
    }
    if (kSparse<Algorithm>) std::memset(call.out, 0, call.out_size * sizeof(double));
    const double* const* in = call.in;
    Arguments<double> arguments{{in[0], in[1], in[2], in[3], in[4], in[5]},
                                call.out,
                                Rows<double>(call.out),
                                call.frame,
                                call.choice,
                                Scratch(memory),
                                call.prescribed};
    Algorithm::template run<double>(tree, arguments);
    if (all_finite(call.out, call.out_size)) return {};
    return {kInputs, 0, first_not_finite(call.out, call.out_size)};
}

template <class Algorithm>
size_t bytes_lanes(const Tree& tree, const Call& call) {
    size_t bytes = Algorithm::template bytes<Lanes>(tree);
    if (!kWritesRows<Algorithm>) bytes += bytes_of<Lanes>(call.out_size);
    if (kStaged<Algorithm>) bytes += bytes_of<double>(size_t(call.out_size) * kLanes);
    for (int i = 0; i < kInputs; ++i) bytes += bytes_of<Lanes>(call.in[i] ? call.size[i] : 0);
    return bytes;
}

inline Fault find_fault(int input, long state, int count, const double* at, long stride, int size) {
    for (int l = 0; l < count; ++l) {
        const int element = first_not_finite(at + l * stride, size);
        if (element >= 0) return {input, state + l, element};
    }
    return {};
}

constexpr long kCacheBytes = 4 << 20;  // results beyond this do not stay in a core's caches

template <class Algorithm>
TARSUS_FLATTEN Fault run_lanes(const Tree& tree, const Call& call, long begin, long end,
                               std::byte* memory) {
    Scratch scratch(memory);
    Lanes* in[kInputs] = {};
    for (int i = 0; i < kInputs; ++i) {
        if (call.in[i]) in[i] = scratch.take<Lanes>(call.size[i]);
    }
    const int size = call.out_size;
    const size_t group_bytes = size_t(size) * sizeof(Lanes);
    Lanes* out = kWritesRows<Algorithm> ? nullptr : scratch.take<Lanes>(size);
    double* stage = kStaged<Algorithm> ? scratch.take<double>(size_t(size) * kLanes) : nullptr;
    if (kStaged<Algorithm>) std::memset(stage, 0, group_bytes);
    else if (kSparse<Algorithm>) std::memset(static_cast<void*>(out), 0, group_bytes);
    const bool past_caches = call.states * size * long(sizeof(double)) > kCacheBytes;
    const int part_size = call.part_size();
    const bool rows_aligned = part_size % 2 == 0 && reinterpret_cast<uintptr_t>(call.out) % 16 == 0;

    for (long s = begin; s < end; s += kLanes) {
        const int count = end - s < kLanes ? int(end - s) : kLanes;
        for (int i = 0; i < kInputs; ++i) {
            if (!call.in[i]) continue;
            const double* from = call.in[i] + s * call.stride[i];
            if (!load_rows(from, call.stride[i], count, call.size[i], in[i])) {
                return find_fault(i, s, count, from, call.stride[i], call.size[i]);
            }
        }
        double* to = call.out + s * size;
        const Rows<Lanes> rows = kStaged<Algorithm>
                                     ? Rows<Lanes>(stage, size, count, false)
                                     : Rows<Lanes>(to, size, count, past_caches && rows_aligned);
        Arguments<Lanes> arguments{{in[0], in[1], in[2], in[3], in[4], in[5]},
                                   out,
                                   rows,
                                   call.frame,
                                   call.choice,
                                   scratch,
                                   call.prescribed};
        Algorithm::template run<Lanes>(tree, arguments);
        for (int l = 0; kStaged<Algorithm> && l < count; ++l) {
            const double* row = stage + l * long(size);
            if (past_caches) copy_past_caches(row, size, to + l * long(size));
            else std::memcpy(to + l * long(size), row, size * sizeof(double));
        }
        if (kWritesRows<Algorithm>) {
            if (!arguments.rows.finite()) return find_fault(kInputs, s, count, to, size, size);
            continue;
        }
        for (int part = 0; part < call.parts; ++part) {
            double* of_part = call.place(s, part * part_size);
            Rows<Lanes> part_rows(of_part, part_size, count, past_caches && rows_aligned);
            store_rows(out + part * part_size, part_size, part_rows);
            if (part_rows.finite()) continue;
            Fault fault = find_fault(kInputs, s, count, of_part, part_size, part_size);
            fault.element += part * part_size;
            return fault;
        }
    }
    if (past_caches) finish_past_caches();
    return {};
}

#define TARSUS_KERNEL(name, Algorithm)                                          \
    extern const Kernel name##_kernel;                                          \
    const Kernel name##_kernel = {bytes_one<Algorithm>, bytes_lanes<Algorithm>, \
                                  run_one<Algorithm>, run_lanes<Algorithm>}

}  // namespace tarsus::TARSUS_ISA
