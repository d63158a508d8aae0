// What a run records, and where.
#include "bindings/records.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "bindings/arguments.hpp"
#include "bindings/arrays.hpp"

namespace tarsus {

namespace {

constexpr int kContacts = 4;
constexpr const char* kNames[kRecords] = {"q",        "v",          "tau",    "energy",
                                          "contacts", "statistics", "limits", "parts"};

// which record a key of the dict names
int record_named(PyObject* key) {
    static const auto names = [] {
        std::array<PyObject*, kRecords> interned;
        for (int k = 0; k < kRecords; ++k) interned[k] = PyUnicode_InternFromString(kNames[k]);
        return interned;
    }();
    for (int k = 0; k < kRecords; ++k) {
        if (names[k] == key) return k;
    }
    if (!PyUnicode_Check(key)) throw WrongType("the keys of record must be words");
    for (int k = 0; k < kRecords; ++k) {
        if (PyUnicode_Compare(names[k], key) == 0) return k;
    }
    const char* word = PyUnicode_AsUTF8(key);
    if (!word) throw PythonError();
    throw std::invalid_argument("record has no '" + std::string(word) +
                                "'; names: q, v, tau, energy, contacts, statistics, limits, "
                                "parts");
}

// where a recorded array is; all but contacts must have the same room for samples
double* record_of(const char* name, PyObject* object, const Run& run, size_t width, long* room) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_Check(object) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY(array)) {
        throw std::invalid_argument(std::string("record['") + name +
                                    "'] must be a C-contiguous, writable float64 array");
    }
    const size_t states = size_t(run.states);
    const bool fits = PyArray_NDIM(array) >= 2 && size_t(PyArray_DIM(array, 0)) == states &&
                      size_t(PyArray_SIZE(array)) == states * PyArray_DIM(array, 1) * width;
    if (!fits || (*room >= 0 && long(PyArray_DIM(array, 1)) != *room)) {
        throw std::invalid_argument(std::string("record['") + name + "'] must be (" +
                                    std::to_string(states) + ", samples, " + std::to_string(width) +
                                    " numbers), with the same samples as the others");
    }
    *room = long(PyArray_DIM(array, 1));
    return static_cast<double*>(PyArray_DATA(array));
}

}  // namespace

void refuse_overlaps(const World& world, const Run& run) {
    const size_t n = size_t(run.states), lists = n * size_t(run.samples);
    // from the first to the last sample that is written
    const size_t samples = n ? (n - 1) * size_t(run.record_room) + size_t(run.samples) : 0;
    const size_t nq = world.tree->nq, nv = world.tree->nv, width = world.parameter_size();
    const size_t commands = size_t(run.n_commands) * world.command_size();
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
        {run.record_contacts, lists * world.max_contacts * kContactNumbers},
        {run.record_statistics, samples * kStatistics},
        {run.record_limits, samples * nv},
        {run.part_memory, n * size_t(run.parts->n_memory)},
        {run.record_parts, samples * size_t(run.parts->record_size())},
        {run.part_numbers, (run.part_number_stride ? n : 1) * size_t(run.parts->n_numbers)},
        // these two are only read
        {run.parameters, run.parameter_stride ? n * width : width},
        {run.commands, run.command_stride ? n * commands : commands},
    };
    constexpr int kRanges = sizeof(ranges) / sizeof(Range), kWritten = kRanges - 2;
    for (int i = 0; i < kWritten; ++i) {
        for (int j = i + 1; j < kRanges; ++j) {
            const Range &a = ranges[i], &b = ranges[j];
            if (!a.at || !b.at || a.at >= b.at + b.size || b.at >= a.at + a.size) continue;
            throw std::invalid_argument(
                "q, v, memory and the arrays of record must not overlap, nor parameters or "
                "commands with them");
        }
    }
}

void Records::read(const World& world, PyObject* given, long first, Run& run) {
    if (!given || given == Py_None) return;
    if (!PyDict_Check(given)) throw WrongType("record must be a dict of arrays");
    const size_t nq = world.tree->nq, nv = world.tree->nv;
    const size_t width[kRecords] = {nq,
                                    nv,
                                    nv,
                                    size_t(world.energy_size()),
                                    size_t(world.max_contacts) * kContactNumbers,
                                    size_t(kStatistics),
                                    nv,
                                    size_t(run.parts->record_size())};
    double** place[kRecords] = {&run.record_q,      &run.record_v,        &run.record_tau,
                                &run.record_energy, &run.record_contacts, &run.record_statistics,
                                &run.record_limits, &run.record_parts};
    long room = -1, lists = -1;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(given, &at, &key, &value);) {
        const int k = record_named(key);
        held_[k].reset(Py_NewRef(value));
        *place[k] = record_of(kNames[k], value, run, width[k], k == kContacts ? &lists : &room);
    }
    const long made = run.steps / run.every;
    const auto fits = [&](long samples, bool part) {
        return samples < 0 || (part ? made <= samples && first <= samples - made : made == samples);
    };
    if (!fits(room, first >= 0) || !fits(lists, false)) {
        const long samples = fits(room, first >= 0) ? lists : room;
        throw std::invalid_argument("record has " + std::to_string(samples) + " samples, " +
                                    std::to_string(run.steps) + " steps make " +
                                    std::to_string(made) +
                                    (first > 0 ? " from number " + std::to_string(first) : ""));
    }
    run.samples = room >= 0 || lists >= 0 ? made : 0;
    run.record_room = room;
    if (first <= 0 || room < 0) return;
    for (int k = 0; k < kRecords; ++k) {
        if (k != kContacts && *place[k]) *place[k] += first * width[k];
    }
}

PyObject* list_contacts(const World& world, PyObject* record, long first) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(record);
    if (!is_plain(record) || PyArray_NDIM(array) != 4 ||
        PyArray_DIM(array, 2) != world.max_contacts || PyArray_DIM(array, 3) != kContactNumbers) {
        throw std::invalid_argument("contacts must be (B, n, " +
                                    std::to_string(world.max_contacts) + ", 13) numbers");
    }
    const npy_intp lists = PyArray_DIM(array, 0) * PyArray_DIM(array, 1);
    const npy_intp samples = PyArray_DIM(array, 1), room = world.max_contacts;
    const double* from = static_cast<const double*>(PyArray_DATA(array));
    std::vector<npy_intp> count(lists);
    npy_intp total = 0;
    for (npy_intp k = 0; k < lists; ++k) {
        const double* list = from + k * room * kContactNumbers;
        while (count[k] < room && list[count[k] * kContactNumbers] >= 0) ++count[k];
        total += count[k];
    }
    npy_intp of_rows[2] = {total, kContactNumbers}, of_places[2] = {2, total};
    const Owned rows(PyArray_SimpleNew(2, of_rows, NPY_DOUBLE));
    const Owned places(PyArray_SimpleNew(2, of_places, NPY_INT64));
    if (!rows.object || !places.object) throw PythonError();
    double* row = static_cast<double*>(PyArray_DATA(rows.array()));
    npy_int64* state = static_cast<npy_int64*>(PyArray_DATA(places.array()));
    npy_int64* sample = state + total;
    for (npy_intp k = 0; k < lists; ++k) {
        row = std::copy_n(from + k * room * kContactNumbers, count[k] * kContactNumbers, row);
        state = std::fill_n(state, count[k], k / samples);
        sample = std::fill_n(sample, count[k], first + k % samples);
    }
    return PyTuple_Pack(2, rows.object, places.object);
}

}  // namespace tarsus
