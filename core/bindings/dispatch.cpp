// Which compiled variant of the kernels this process uses: the widest that the processor runs,
// or the one that TARSUS_INSTRUCTION_SET names.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "bindings/algorithms.hpp"

namespace tarsus {

namespace {

struct Variant {
    const Kernels* kernels;
    bool runs;
};

// the widest first
std::vector<Variant> variants() {
    std::vector<Variant> list;
#if defined(TARSUS_HAS_avx2) || defined(TARSUS_HAS_avx512)
    __builtin_cpu_init();
    const bool fused = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif
#ifdef TARSUS_HAS_avx512
    list.push_back({&avx512::kernels, fused && __builtin_cpu_supports("avx512f") &&
                                          __builtin_cpu_supports("avx512dq") &&
                                          __builtin_cpu_supports("avx512vl")});
#endif
#ifdef TARSUS_HAS_avx2
    list.push_back({&avx2::kernels, fused});
#endif
#ifdef TARSUS_HAS_baseline
    list.push_back({&baseline::kernels, true});
#endif
    return list;
}

const Kernels* choose() {
    const char* wish = std::getenv("TARSUS_INSTRUCTION_SET");
    std::string usable;
    for (const Variant& variant : variants()) {
        if (!variant.runs) continue;
        const char* name = variant.kernels->instruction_set;
        if (!wish || !*wish || std::strcmp(wish, name) == 0) return variant.kernels;
        usable += (usable.empty() ? "" : ", ") + std::string(name);
    }
    if (usable.empty()) {
        throw std::runtime_error(
            "Tarsus was compiled for another processor; compile it here, or "
            "for all: -DTARSUS_INSTRUCTION_SETS=all");
    }
    throw std::invalid_argument("TARSUS_INSTRUCTION_SET is '" + std::string(wish) +
                                "'; this processor runs: " + usable);
}

}  // namespace

const Kernels& kernels() {
    static const Kernels* chosen = choose();
    return *chosen;
}

std::vector<std::string> usable_instruction_sets() {
    std::vector<std::string> names;
    for (const Variant& variant : variants()) {
        if (variant.runs) names.push_back(variant.kernels->instruction_set);
    }
    return names;
}

}  // namespace tarsus
