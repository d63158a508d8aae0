// A batch over threads: contiguous shares of whole lane groups, each with its own work memory.
// A state's result depends on neither its share nor its lane.
#include "bindings/run_batch.hpp"

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "bindings/work_memory.hpp"

namespace tarsus {

Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, long states,
                int threads) {
    const long groups = (states + lanes - 1) / lanes;
    const long workers = std::max(1L, std::min<long>(threads, groups));
    const size_t bytes = (kernel.bytes_lanes(tree, call) + 63) / 64 * 64;
    std::byte* memory = work_memory(bytes * workers);
    std::vector<Fault> faults(workers);
    const auto work = [&](long worker) {
        const long begin = groups * worker / workers * lanes;
        const long end = std::min(states, groups * (worker + 1) / workers * lanes);
        faults[worker] = kernel.lanes(tree, call, begin, end, memory + bytes * worker);
    };
    std::vector<std::thread> team;
    team.reserve(workers);
    long started = 1;
    try {
        for (; started < workers; ++started) team.emplace_back(work, started);
    } catch (const std::system_error&) {
        // no more threads to be had: the caller does the shares that are left
    }
    work(0);
    for (long worker = started; worker < workers; ++worker) work(worker);
    for (std::thread& member : team) member.join();
    for (const Fault& fault : faults) {
        if (fault.found()) return fault;
    }
    return {};
}

}  // namespace tarsus
