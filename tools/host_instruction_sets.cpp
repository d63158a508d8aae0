// Prints the instruction sets of the core that this machine can run, widest last, as a CMake list.
#include <cstdio>

int main() {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    std::fputs(avx512 ? "baseline;avx2;avx512" : avx2 ? "baseline;avx2" : "baseline", stdout);
}
