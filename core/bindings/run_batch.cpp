// A batch over threads: they take chunks of whole lane groups from a common heap until it is
// empty, each with its own work memory. A state's result depends on neither thread nor lane.
#include "bindings/run_batch.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "bindings/thread_pool.hpp"
#include "model/work_memory.hpp"

namespace tarsus {

constexpr long kGroupsInChunk = 32;

Fault run_batch(const Kernel& kernel, int lanes, const Tree& tree, const Call& call, int threads,
                InterruptCheck& interrupt) {
    const long chunk = kGroupsInChunk * lanes;
    const long chunks = (call.states + chunk - 1) / chunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    const size_t bytes = aligned(kernel.bytes_lanes(tree, call));
    WorkMemory lent;
    std::byte* memory = lent.get(bytes * workers);
    std::vector<Fault> faults(workers);
    std::atomic<long> next{0};
    const auto share = [&](long worker) {
        for (long k = next++; k < chunks; k = next++) {
            if (interrupt.stopped()) return;
            const long begin = k * chunk, end = std::min(call.states, begin + chunk);
            faults[worker] = kernel.lanes(tree, call, begin, end, memory + bytes * worker);
            if (faults[worker].found()) next = chunks;
        }
    };
    if (!run_with_helpers(workers - 1, share) && !interrupt.stopped()) {
        // what helpers were doing at a fork is lost in the child, which does all of it anew
        std::fill(faults.begin(), faults.end(), Fault());
        next = 0;
        share(0);
    }
    Fault first;
    for (const Fault& fault : faults) {
        if (fault.found() && (!first.found() || fault.state < first.state)) first = fault;
    }
    return first;
}

}  // namespace tarsus
