// What a run records, and where.
#include "bindings/records.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <stdexcept>
#include <string>

namespace tarsus {

namespace nb = nanobind;

namespace {

// where a recorded array is; all must have room for the same number of samples
double* record_of(const nb::dict& record, const char* name, const Run& run, size_t width,
                  long* samples) {
    if (!record.contains(name)) return nullptr;
    nb::ndarray<double, nb::c_contig, nb::device::cpu> array;
    if (!nb::try_cast(record[name], array, false)) {  // a converted copy would be lost
        throw std::invalid_argument(std::string("record['") + name +
                                    "'] must be a C-contiguous, writable float64 array");
    }
    const size_t states = size_t(run.states);
    const bool fits = array.ndim() >= 2 && array.shape(0) == states &&
                      array.size() == states * array.shape(1) * width;
    if (!fits || (*samples >= 0 && long(array.shape(1)) != *samples)) {
        throw std::invalid_argument(std::string("record['") + name + "'] must be (" +
                                    std::to_string(states) + ", samples, " + std::to_string(width) +
                                    " numbers), with the same samples as the others");
    }
    *samples = long(array.shape(1));
    return array.data();
}

}  // namespace

// arrays that a call reads and writes must not share memory
void refuse_overlaps(const World& world, const Run& run) {
    const size_t n = size_t(run.states), samples = n * size_t(run.samples);
    const size_t nq = world.tree->nq, nv = world.tree->nv;
    struct Range {
        const double* at;
        size_t size;
    };
    const Range ranges[] = {
        {run.q, n * nq},
        {run.v, n * nv},
        {run.memory, n * world.memory_size()},
        {run.record_q, samples * nq},
        {run.record_v, samples * nv},
        {run.record_tau, samples * nv},
        {run.record_energy, samples * world.energy_size()},
        {run.record_contacts, samples * world.max_contacts * kContactNumbers},
        {run.record_statistics, samples * kStatistics},
    };
    for (const Range& a : ranges) {
        for (const Range& b : ranges) {
            if (&a == &b || !a.at || !b.at || a.at >= b.at + b.size || b.at >= a.at + a.size)
                continue;
            throw std::invalid_argument("q, v, memory and the arrays of record must not overlap");
        }
    }
}

void read_record(const World& world, const nb::object& given, Run& run) {
    if (given.is_none()) return;
    if (!nb::isinstance<nb::dict>(given)) throw nb::type_error("record must be a dict of arrays");
    const nb::dict record = nb::borrow<nb::dict>(given);
    long samples = -1;
    const size_t nq = world.tree->nq, nv = world.tree->nv;
    for (auto [key, value] : record) {
        std::string name;
        if (!nb::try_cast(key, name)) throw nb::type_error("the keys of record must be words");
        if (name != "q" && name != "v" && name != "tau" && name != "energy" && name != "contacts" &&
            name != "statistics") {
            throw std::invalid_argument("record has no '" + name +
                                        "'; names: q, v, tau, energy, contacts, statistics");
        }
    }
    run.record_q = record_of(record, "q", run, nq, &samples);
    run.record_v = record_of(record, "v", run, nv, &samples);
    run.record_tau = record_of(record, "tau", run, nv, &samples);
    run.record_energy = record_of(record, "energy", run, world.energy_size(), &samples);
    run.record_contacts =
        record_of(record, "contacts", run, size_t(world.max_contacts) * kContactNumbers, &samples);
    run.record_statistics = record_of(record, "statistics", run, kStatistics, &samples);
    run.samples = samples < 0 ? 0 : samples;
    if (run.samples > 0 && run.samples != run.steps / run.every) {
        throw std::invalid_argument("record has " + std::to_string(run.samples) + " samples, " +
                                    std::to_string(run.steps) + " steps make " +
                                    std::to_string(run.steps / run.every));
    }
}

}  // namespace tarsus
