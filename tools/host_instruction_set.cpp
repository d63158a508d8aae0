// Prints the widest instruction set of the core that this machine runs.
#include <cstdio>

int main() {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    std::fputs(avx512 ? "avx512" : avx2 ? "avx2" : "baseline", stdout);
}
