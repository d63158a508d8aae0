#pragma once

#include <nanobind/nanobind.h>

#include "world/run.hpp"

namespace tarsus {

// Fills in where a run records, from a dict of arrays or None; throws where they do not fit.
void read_record(const World& world, const nanobind::object& given, Run& run);

// Throws if arrays that a run reads and writes share memory.
void refuse_overlaps(const World& world, const Run& run);

}  // namespace tarsus
