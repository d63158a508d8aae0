// Many steps of a state in each lane.
#include "step/advance.hpp"

namespace tarsus::TARSUS_ISA {

void advance_lanes(const World& world, const Run& run, long begin, long end, std::byte* memory) {
    for (long s = begin; s < end; s += kLanes) {
        advance<Lanes>(world, run, s, int(std::min<long>(kLanes, end - s)), memory);
    }
}
size_t advance_lanes_bytes(const World& world, const Parts& parts) {
    return Stepper<Lanes>::bytes(world, parts);
}

}  // namespace tarsus::TARSUS_ISA
