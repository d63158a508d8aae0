// Steps of a world, and what a run asks of it before: methods that are called so often that their
// arguments are read by hand.
#include <atomic>
#include <cmath>

#include "bindings/gil.hpp"
#include "bindings/parts.hpp"
#include "bindings/records.hpp"
#include "bindings/thread_pool.hpp"
#include "bindings/world_calls.hpp"
#include "model/work_memory.hpp"

namespace tarsus {

void advance_all(const World& world, const Run& run, int threads) {
    const StepKernel& kernel = *kernels().step;
    WorkMemory lent;
    if (run.states == 1)
        return kernel.one(world, run, 0, lent.get(kernel.bytes_one(world, *run.parts)));
    const long lanes = kernels().lanes, groups = (run.states + lanes - 1) / lanes;
    const long workers = std::max(1L, std::min<long>(threads, groups));
    const size_t bytes = aligned(kernel.bytes_lanes(world, *run.parts));
    std::byte* memory = lent.get(bytes * workers);
    std::atomic<long> next{0};
    // true: there is no Python in a step, and no fork
    run_with_helpers(workers - 1, [&](long worker) {
        for (long k = next++; k < groups; k = next++) {
            kernel.lanes(world, run, k * lanes, std::min(run.states, (k + 1) * lanes),
                         memory + bytes * worker);
        }
    });
}

void check_steps(long first, long steps) {
    constexpr long kMost = 1L << 53;
    if (first <= kMost && steps <= kMost - first) return;
    throw std::invalid_argument("there can be no more than 2**53 steps, the last would be " +
                                std::to_string(first) + " + " + std::to_string(steps));
}

namespace {

const World& world_of(PyObject* self) {
    if (!nb::inst_ready(self)) throw WrongType("the world was not initialised");
    return nb::inst_ptr<CoreWorld>(self)->world;
}

PyObject* zeros(npy_intp rows, npy_intp columns) {
    npy_intp shape[2] = {rows, columns};
    PyObject* made = PyArray_ZEROS(2, shape, NPY_DOUBLE, 0);
    if (!made) throw PythonError();
    return made;
}
double* data_of(const Owned& array) { return static_cast<double*>(PyArray_DATA(array.array())); }

// what a call was given beside the world, in the order of its arguments
struct StateArrays {
    Owned parameters, commands, part_numbers, parts;
    Records records;

    // the states of a call, with all sizes and numbers checked
    Run read(const World& world, PyObject* const* slots) {
        const Numbers q = changed_array("q", slots[0], 2), v = changed_array("v", slots[1], 2),
                      memory = changed_array("memory", slots[2], 2),
                      given = given_array("parameters", slots[3], 2, parameters);
        const size_t n = q.shape[0], width = world.parameter_size();
        check_positions(world, q);
        check_shape("v", v.shape[0], v.shape[1], n, world.tree->nv, false);
        check_shape("memory", memory.shape[0], memory.shape[1], n, world.memory_size(), false);
        check_shape("parameters", given.shape[0], given.shape[1], n, width, true);
        check_parameters(world, given.data, given.shape[0]);
        check_finite("v", v.data, v.size);
        check_finite("memory", memory.data, memory.size);
        Run run;
        run.states = long(n), run.q = q.data, run.v = v.data, run.memory = memory.data;
        run.parameters = given.data;
        run.parameter_stride = given.shape[0] == 1 ? 0 : long(width);
        return run;
    }
    // parts, their numbers and their memory, if there are any
    void read_parts(const World& world, PyObject* given, PyObject* numbers, PyObject* memory,
                    Run& run) {
        if (!given || given == Py_None) return;
        parts.reset(Py_NewRef(given));
        const Parts& own = parts_of(world, given);
        const Numbers from = given_array("part_numbers", numbers, 2, part_numbers),
                      kept = changed_array("part_memory", memory, 2);
        check_part_arrays(own, from, kept, size_t(run.states));
        run.parts = &own, run.part_numbers = from.data, run.part_memory = kept.data;
        run.part_number_stride = from.shape[0] == 1 ? 0 : own.n_numbers;
    }
};

void read_commands(const World& world, const Numbers& commands, Run& run) {
    check_shape("commands", commands.shape[0], commands.shape[2], run.states, world.command_size(),
                true);
    if (commands.shape[1] < 1) throw std::invalid_argument("commands has no rows");
    check_finite("commands", commands.data, commands.size);
    run.commands = commands.data, run.n_commands = long(commands.shape[1]);
    run.command_stride =
        commands.shape[0] == 1 ? 0 : long(commands.shape[1]) * world.command_size();
}

PyObject* advance(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature(
        "advance",
        {"q", "v", "memory", "parameters", "commands", "steps", "hold", "first_step", "every",
         "threads", "ledger", "record", "sample", "parts", "part_numbers", "part_memory"},
        5, 6);
    return guarded([&] {
        PyObject* slots[16];
        signature.fill(args, nargs, names, slots);
        const World& world = world_of(self);
        StateArrays arrays;
        const long steps = integer_of("steps", slots[5], 0), hold = integer_of("hold", slots[6], 1);
        const long first_step = integer_of("first_step", slots[7], 0);
        const long every = integer_of("every", slots[8], 1);
        const long threads = integer_of("threads", slots[9], 1);
        if (hold < 1 || every < 1 || steps < 0 || first_step < 0 || threads < 1 || threads > 1024) {
            throw std::invalid_argument(
                "hold, every and threads must be at least 1, steps and first_step at least 0");
        }
        check_steps(first_step, steps);
        Run run = arrays.read(world, slots);
        read_commands(world, given_array("commands", slots[4], 3, arrays.commands), run);
        run.hold = hold, run.first_step = first_step, run.steps = steps, run.every = every;
        const int ledger = slots[10] ? PyObject_IsTrue(slots[10]) : 0;
        if (ledger < 0) throw PythonError();
        run.ledger = ledger > 0;
        const long sample = integer_of("sample", slots[12], -1);
        if (slots[12] && sample < 0) throw std::invalid_argument("sample must be at least 0");
        arrays.read_parts(world, slots[13], slots[14], slots[15], run);
        arrays.records.read(world, slots[11], sample, run);
        refuse_overlaps(world, run);
        Owned result(zeros(run.states, kStatus));
        run.status = data_of(result);
        for (long s = 0; s < run.states; ++s) {
            run.status[kStatus * s] = run.memory[s * world.memory_size() + world.failed()];
        }
        if (run.states > 0) {
            const GilRelease release;
            advance_all(world, run, int(threads));
        }
        return result.release();
    });
}

PyObject* energies(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature(
        "energies",
        {"q", "v", "memory", "parameters", "parts", "part_numbers", "part_memory", "record"}, 4, 4);
    return guarded([&] {
        PyObject* slots[8];
        signature.fill(args, nargs, names, slots);
        const World& world = world_of(self);
        StateArrays arrays;
        Run run = arrays.read(world, slots);
        arrays.read_parts(world, slots[4], slots[5], slots[6], run);
        Owned result(zeros(run.states, world.energy_size()));
        Owned unasked(zeros(run.states, run.parts->record_size()));
        double* of_parts = data_of(unasked);
        if (slots[7] && slots[7] != Py_None) {
            const Numbers given = changed_array("record", slots[7], 2);
            check_shape("record", given.shape[0], given.shape[1], run.states,
                        run.parts->record_size(), false);
            of_parts = given.data;
        }
        const StepKernel& kernel = *kernels().step;
        WorkMemory memory;
        kernel.energies(world, run, data_of(result), of_parts,
                        memory.get(kernel.bytes_one(world, *run.parts)));
        return result.release();
    });
}

PyObject* part_rows(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature(
        "part_rows", {"q", "v", "memory", "parameters", "parts", "part_numbers", "part_memory"}, 7,
        7);
    return guarded([&] {
        PyObject* slots[7];
        signature.fill(args, nargs, names, slots);
        const World& world = world_of(self);
        StateArrays arrays;
        Run run = arrays.read(world, slots);
        arrays.read_parts(world, slots[4], slots[5], slots[6], run);
        const Owned values(zeros(run.states, run.parts->n_rows)),
            rates(zeros(run.states, run.parts->n_rows));
        const StepKernel& kernel = *kernels().step;
        WorkMemory memory;
        kernel.part_rows(world, run, data_of(values), data_of(rates),
                         memory.get(kernel.bytes_one(world, *run.parts)));
        return PyTuple_Pack(2, values.object, rates.object);
    });
}

bool unit_quaternions(const Tree& tree, const double* q) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const int quaternion = kKindInfo[int(tree.links[i].kind)].quaternion;
        if (quaternion < 0 || tree.user_q[i] < 0) continue;
        const double* x = q + tree.user_q[i] + quaternion;
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        if (!(std::abs(std::sqrt(square) - 1.0) <= 1e-6)) return false;
    }
    return true;
}

bool all_finite(const Numbers& numbers) {
    double sum = 0;
    for (size_t k = 0; k < numbers.size; ++k) sum += numbers.data[k] * 0.0;
    return sum == 0.0;
}

// true where a run may start; if not, Python looks again and says why
PyObject* may_start(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature("may_start", {"q", "v", "depth"}, 3, 3);
    return guarded([&] {
        PyObject* slots[3];
        signature.fill(args, nargs, names, slots);
        const World& world = world_of(self);
        Owned own_q, own_v;
        const Numbers q = given_array("q", slots[0], 2, own_q);
        const Numbers v = given_array("v", slots[1], 2, own_v);
        const double depth = PyFloat_AsDouble(slots[2]);
        if (PyErr_Occurred()) throw PythonError();
        check_shape("q", q.shape[0], q.shape[1], q.shape[0], world.tree->nq, false);
        const StepKernel& kernel = *kernels().step;
        const size_t n = world.n_candidates();
        std::vector<double> places(7 * n);  // gap, point and normal of each candidate
        bool good = all_finite(q) && all_finite(v);
        WorkMemory memory;
        for (size_t s = 0; s < q.shape[0] && good; ++s) {
            const double* at = q.data + s * q.shape[1];
            good = unit_quaternions(*world.tree, at);
            if (!good || n == 0) continue;
            kernel.contacts(world, at, places.data(),
                            memory.get(kernel.bytes_one(world, kNoParts)));
            for (size_t k = 0; k < n; ++k) good = good && places[7 * k] >= -depth;
        }
        return PyBool_FromLong(good);
    });
}

PyObject* listed(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature("listed", {"contacts", "first"}, 2, 1);
    return guarded([&] {
        PyObject* slots[2];
        signature.fill(args, nargs, names, slots);
        return list_contacts(world_of(self), slots[0], integer_of("first", slots[1], 0));
    });
}

template <class Function>
PyMethodDef method(const char* name, Function* function, const char* text) {
    return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function)),
            METH_FASTCALL | METH_KEYWORDS, text};
}

}  // namespace

PyMethodDef* world_methods() {
    static PyMethodDef methods[] = {
        method("advance", advance,
               "advance($self, q, v, memory, parameters, commands, *, steps, hold=1, "
               "first_step=0, every=1, threads=1, ledger=False, record=None, sample=None, "
               "parts=None, part_numbers=None, part_memory=None)\n--\n\n"
               "Take steps, changing q (B, nq), v (B, nv) and memory in place; returns status "
               "(B, 3). Samples fill the arrays of record, or a part of them from number sample."),
        method("energies", energies,
               "energies($self, q, v, memory, parameters, parts=None, part_numbers=None, "
               "part_memory=None, record=None)\n--\n\n"
               "The ledger's row (B, energy_size) of states; record (B, record_size) receives that "
               "of parts."),
        method("part_rows", part_rows,
               "part_rows($self, q, v, memory, parameters, parts, part_numbers, part_memory)\n--"
               "\n\nValues and rates (B, n) of all rows of parts."),
        method("may_start", may_start,
               "may_start($self, q, v, depth)\n--\n\n"
               "Whether q (B, nq) and v (B, nv) are finite, quaternions have unit length and no "
               "shape is deeper than depth."),
        method(
            "listed", listed,
            "listed($self, contacts, first=0)\n--\n\n"
            "Rows (N, 13) of the contacts of a record (B, n, max_contacts, 13), and their states "
            "and samples (2, N), which are counted from first."),
        {nullptr, nullptr, 0, nullptr}};
    return methods;
}

}  // namespace tarsus
