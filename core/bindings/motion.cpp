// States that make a few steps a call, with a new command each time: efforts, or a setpoint of the
// world's controller. All arrays of a motion are its own, so that they are checked once; a call
// reads the command, and returns positions and velocities in new arrays.
#include "bindings/motion.hpp"

#include <algorithm>
#include <chrono>

#include "bindings/arrays.hpp"
#include "bindings/busy.hpp"
#include "bindings/gil.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/parts.hpp"
#include "bindings/world_calls.hpp"

namespace tarsus {

namespace {

constexpr long kManySteps = 16;   // of all states: then other threads of Python may run meanwhile
constexpr long kFirstPiece = 64;  // steps of all states before their time is known

struct Motion {
    nb::object owner;  // keeps the world alive
    const World& world;
    long states, step = 0;
    bool batched;
    int threads;
    bool ledger = false;  // works are counted: steps cost a little more
    std::vector<double> q, v, memory, parameters, commands, touched, status;
    Owned parts, part_numbers, part_memory;  // as Python holds them, which may change the numbers
    std::atomic<bool> busy{false};

    Motion(nb::object owner, const World& world, const Numbers& q, const Numbers& v,
           const Numbers& parameters, bool batched, int threads)
        : owner(std::move(owner)),
          world(world),
          states(long(q.shape[0])),
          batched(batched),
          threads(threads),
          q(q.data, q.data + q.size),
          v(v.data, v.data + v.size),
          memory(states * world.memory_size()),
          parameters(parameters.data, parameters.data + parameters.size),
          commands(states * world.command_size()),
          touched(size_t(states) * world.max_contacts * kContactNumbers, -1.0),
          status(states * kStatus) {}

    void advance(long steps) {
        Run run;
        run.states = states, run.q = q.data(), run.v = v.data(), run.memory = memory.data();
        run.parameters = parameters.data(), run.commands = commands.data();
        const long width = world.parameter_size();
        run.parameter_stride = long(parameters.size()) == width ? 0 : width;
        run.command_stride = world.command_size();
        run.first_step = step, run.steps = run.every = steps, run.samples = 1;
        run.record_room = 1;
        run.ledger = ledger;
        run.status = status.data();
        if (!touched.empty()) run.record_contacts = touched.data();
        if (parts.object) {
            run.parts = &parts_of(world, parts.object);
            run.part_numbers = static_cast<double*>(PyArray_DATA(part_numbers.array()));
            run.part_memory = static_cast<double*>(PyArray_DATA(part_memory.array()));
            run.part_number_stride =
                PyArray_DIM(part_numbers.array(), 0) == 1 ? 0 : run.parts->n_numbers;
        }
        advance_all(world, run, threads);
    }

    // some state cannot go on
    bool stopped() const {
        for (long s = 0; s < states; ++s) {
            if (status[kStatus * s] != 0) return true;
        }
        return false;
    }
};

void make(Motion* self, nb::object owner, nb::handle given_q, nb::handle given_v,
          nb::handle given_parameters, bool batched, nb::handle given_threads) {
    if (!nb::isinstance<CoreWorld>(owner)) throw WrongType("world must be a World");
    const World& world = nb::cast<const CoreWorld&>(owner).world;
    Owned own_q, own_v, own_parameters;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const Numbers parameters = given_array("parameters", given_parameters.ptr(), 2, own_parameters);
    const long threads = integer_of("threads", given_threads.ptr(), 1);
    const size_t n = q.shape[0];
    if (n < 1) throw std::invalid_argument("q has no states");
    if (threads < 1 || threads > 1024)
        throw std::invalid_argument("threads must be from 1 to 1024");
    check_positions(world, q);
    check_shape("v", v.shape[0], v.shape[1], n, world.tree->nv, false);
    check_shape("parameters", parameters.shape[0], parameters.shape[1], n, world.parameter_size(),
                true);
    check_parameters(world, parameters.data, parameters.shape[0]);
    check_finite("v", v.data, v.size);
    new (self) Motion(std::move(owner), world, q, v, parameters, batched, int(threads));
}

// each list of contacts names candidates, up to a row that starts with −1
void check_touched(const World& world, const Numbers& touched) {
    check_finite("touched", touched.data, touched.size);
    const size_t room = size_t(world.max_contacts) * kContactNumbers;
    for (size_t list = 0; list < touched.size; list += room) {
        for (size_t k = 0; k < room && touched.data[list + k] >= 0; k += kContactNumbers) {
            if (touched.data[list + k] < world.n_candidates()) continue;
            throw std::invalid_argument("touched names a candidate that is not there");
        }
    }
}

// goes on from what these were, in this motion or in another one of the same world
void restore(Motion& motion, nb::handle given_q, nb::handle given_v, nb::handle given_memory,
             nb::handle given_touched, nb::handle given_steps) {
    const World& world = motion.world;
    Owned own_q, own_v, own_memory, own_touched;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const Numbers memory = given_array("memory", given_memory.ptr(), 2, own_memory);
    const Numbers touched = given_array("touched", given_touched.ptr(), 2, own_touched);
    const long steps = integer_of("steps", given_steps.ptr(), 0);
    const size_t n = motion.states;
    check_shape("q", q.shape[0], q.shape[1], n, world.tree->nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, world.tree->nv, false);
    check_shape("memory", memory.shape[0], memory.shape[1], n, world.memory_size(), false);
    check_shape("touched", touched.shape[0], touched.shape[1], n,
                size_t(world.max_contacts) * kContactNumbers, false);
    check_positions(world, q);
    check_finite("v", v.data, v.size);
    check_finite("memory", memory.data, memory.size);
    check_touched(world, touched);
    if (steps < 0) throw std::invalid_argument("steps must be at least 0");
    check_steps(steps, 0);
    const Busy busy(motion);
    std::copy_n(q.data, q.size, motion.q.data());
    std::copy_n(v.data, v.size, motion.v.data());
    std::copy_n(memory.data, memory.size, motion.memory.data());
    std::copy_n(touched.data, touched.size, motion.touched.data());
    motion.step = steps;
    for (size_t s = 0; s < n; ++s) {
        const double failed = motion.memory[s * world.memory_size() + world.failed()];
        const double status[kStatus] = {failed, double(steps), 0};
        std::copy_n(status, kStatus, motion.status.data() + kStatus * s);
    }
}

// null with a Python exception set
PyObject* array_of(const std::vector<double>& numbers, int dimensions, npy_intp* shape) {
    PyObject* made = PyArray_SimpleNew(dimensions, shape, NPY_DOUBLE);
    if (made) {
        std::copy(numbers.begin(), numbers.end(),
                  static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))));
    }
    return made;
}
// (B, n), or (n,) where there is no batch
PyObject* rows_of(const Motion& motion, const std::vector<double>& numbers) {
    npy_intp shape[2] = {motion.states, npy_intp(numbers.size()) / motion.states};
    const int alone = motion.batched ? 0 : 1;
    return array_of(numbers, 2 - alone, shape + alone);
}

// what a command is called where it is wrong
const char* command_name(const World& world) {
    return world.control == ControlKind::torque ? "tau" : "setpoint";
}

[[noreturn]] void refuse_command(const Motion& motion, PyObject* command) {
    PyErr_Clear();
    const std::string width = std::to_string(motion.world.command_size());
    const Owned found(PyArray_FROM_OT(command, NPY_OBJECT));
    std::string shape = "(";
    for (int k = 0; found.object && k < PyArray_NDIM(found.array()); ++k) {
        shape += (k ? ", " : "") + std::to_string(PyArray_DIM(found.array(), k));
    }
    PyErr_Clear();
    if (found.object && PyArray_NDIM(found.array()) == 1) shape += ",";
    throw std::invalid_argument(std::string(command_name(motion.world)) + " has shape " + shape +
                                "), must be (" + width + ",) or (" + std::to_string(motion.states) +
                                ", " + width + ") of numbers");
}

// what NumPy would broadcast to (B, n), from whatever it understands
void read_unusual_command(Motion& motion, PyObject* command) {
    npy_intp shape[2] = {motion.states, motion.world.command_size()};
    std::vector<double> copy(motion.commands.size());
    const Owned target(PyArray_SimpleNewFromData(2, shape, NPY_DOUBLE, copy.data()));
    if (!target.object) throw PythonError();
    if (PyArray_CopyObject(target.array(), command) < 0) {
        if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_ValueError))
            throw PythonError();
        refuse_command(motion, command);
    }
    motion.commands = copy;
}

void read_command(Motion& motion, PyObject* command) {
    const npy_intp width = motion.world.command_size();
    std::vector<double>& to = motion.commands;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(command);
    if (!command || command == Py_None) {
        if (motion.world.control != ControlKind::torque)
            throw std::invalid_argument("the world's controller needs a setpoint");
        std::fill(to.begin(), to.end(), 0.0);
        return;
    }
    if (is_plain(command) && PyArray_NDIM(array) > 0 && PyArray_NDIM(array) <= 2 &&
        PyArray_DIM(array, PyArray_NDIM(array) - 1) == width &&
        (PyArray_SIZE(array) == width || PyArray_SIZE(array) == npy_intp(to.size()))) {
        const double* from = static_cast<const double*>(PyArray_DATA(array));
        const bool each = PyArray_SIZE(array) == npy_intp(to.size());
        for (long s = 0; s < motion.states; ++s) {
            std::copy_n(from + (each ? s * width : 0), width, to.data() + s * width);
        }
    } else {
        read_unusual_command(motion, command);
    }
    try {
        check_finite("command", to.data(), to.size());
    } catch (const std::invalid_argument&) {
        throw std::invalid_argument(std::string(command_name(motion.world)) +
                                    " has entries that are not finite");
    }
}

// Makes steps in pieces of about a quarter of the interval between looks at signals. What a step
// computes does not depend on the piece that it is in.
void advance_in_pieces(Motion& motion, long steps, InterruptCheck& interrupt) {
    using Clock = std::chrono::steady_clock;
    long piece = std::max(1L, kFirstPiece / motion.states);
    for (long left = steps; left > 0 && !interrupt.stopped();) {
        const long some = std::min(piece, left);
        const auto start = Clock::now();
        motion.advance(some);
        motion.step += some, left -= some;
        const auto taken = Clock::now() - start;
        if (8 * taken < kSignalInterval) piece *= 2;
        else if (4 * taken > kSignalInterval) piece = std::max(1L, piece / 2);
    }
}

PyObject* step(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* names) {
    static const Signature signature("step", {"command", "steps"}, 2, 0);
    return guarded([&]() -> PyObject* {
        PyObject* slots[2];
        signature.fill(args, nargs, names, slots);
        if (!nb::inst_ready(self)) throw WrongType("the motion was not initialised");
        Motion& motion = *nb::inst_ptr<Motion>(self);
        const long steps = integer_of("steps", slots[1], 1);
        if (steps < 1) throw std::invalid_argument("steps must be at least 1");
        check_steps(motion.step, steps);
        const Busy busy(motion);
        read_command(motion, slots[0]);
        const long first = motion.step;
        if (steps < kManySteps && motion.states * steps < kManySteps) {
            motion.advance(steps);
            motion.step += steps;
        } else {
            InterruptCheck interrupt;
            {
                const GilRelease release;
                advance_in_pieces(motion, steps, interrupt);
            }
            // the motion is where the steps that were made have led
            if (interrupt.stopped()) throw PythonError();
        }
        if (motion.stopped()) {
            motion.step = first;
            return Py_NewRef(Py_None);
        }
        const Owned q(rows_of(motion, motion.q)), v(rows_of(motion, motion.v));
        return q.object && v.object ? PyTuple_Pack(2, q.object, v.object) : nullptr;
    });
}

PyType_Slot* motion_slots() {
    static PyMethodDef methods[] = {
        {"step", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&step)),
         METH_FASTCALL | METH_KEYWORDS,
         "step($self, command=None, steps=1)\n--\n\n"
         "Make steps with a command (n,) or (B, n): efforts, none unless stated, or the setpoint "
         "of "
         "a controller; returns q and v, or None if a state cannot go on: then status says which."},
        {nullptr, nullptr, 0, nullptr}};
    static PyType_Slot slots[] = {{Py_tp_methods, methods}, {0, nullptr}};
    return slots;
}

// the arrays stay Python's: what it changes in them counts from the next step on
void set_parts(Motion& motion, nb::handle parts, nb::handle numbers, nb::handle memory) {
    const Busy busy(motion);
    const Parts& own = parts_of(motion.world, parts.ptr());
    const Numbers given = changed_array("part_numbers", numbers.ptr(), 2),
                  kept = changed_array("part_memory", memory.ptr(), 2);
    check_part_arrays(own, given, kept, size_t(motion.states));
    motion.parts.reset(Py_NewRef(parts.ptr()));
    motion.part_numbers.reset(Py_NewRef(numbers.ptr()));
    motion.part_memory.reset(Py_NewRef(memory.ptr()));
}

nb::object owned(PyObject* made) {
    if (!made) throw nb::python_error();
    return nb::steal(made);
}

}  // namespace

// what is read between steps, never in the midst of one
template <class F>
auto at_rest(F read) {
    return [read](Motion& motion) {
        const Busy busy(motion);
        return read(motion);
    };
}

void bind_motion(nb::module_& m) {
    nb::class_<Motion>(m, "Motion", nb::type_slots(motion_slots()),
                       "States that make a few steps a call.")
        .def("__init__", &make, nb::arg("world").none(), nb::arg("q").none(), nb::arg("v").none(),
             nb::arg("parameters").none(), nb::kw_only(), nb::arg("batched"),
             nb::arg("threads").none() = 1)
        .def("restore", &restore, nb::arg("q").none(), nb::arg("v").none(),
             nb::arg("memory").none(), nb::arg("touched").none(), nb::arg("steps").none(),
             "Go on from q (B, nq), v (B, nv), memory and touched (B, 13 max_contacts) as they "
             "were after so many steps.")
        .def(
            "set_parts", &set_parts, nb::arg("parts").none(), nb::arg("numbers").none(),
            nb::arg("memory").none(),
            "From now on steps are made with these parts, whose numbers (1 or B, n) may be changed "
            "in place between them.")
        .def_ro("steps", &Motion::step, "Steps since the start.")
        .def_rw("ledger", &Motion::ledger, "Whether works are counted from now on.")
        .def_prop_ro("q", at_rest([](const Motion& x) { return owned(rows_of(x, x.q)); }),
                     "Positions (nq,) or (B, nq).")
        .def_prop_ro("v", at_rest([](const Motion& x) { return owned(rows_of(x, x.v)); }),
                     "Velocities (nv,) or (B, nv).")
        .def_prop_ro("memory", at_rest([](const Motion& x) {
                         npy_intp shape[2] = {x.states, x.world.memory_size()};
                         return owned(array_of(x.memory, 2, shape));
                     }),
                     "What the states keep between steps (B, memory_size).")
        .def_prop_ro("status", at_rest([](const Motion& x) {
                         npy_intp shape[2] = {x.states, kStatus};
                         return owned(array_of(x.status, 2, shape));
                     }),
                     "Fault, step and element (B, 3) of each state; fault 0: none.")
        .def_prop_ro(
            "touched", at_rest([](const Motion& x) {
                npy_intp shape[4] = {x.states, 1, x.world.max_contacts, kContactNumbers};
                return owned(array_of(x.touched, 4, shape));
            }),
            "Contacts (B, 1, max_contacts, 13) of the last step, up to a row that starts with −1.");
}

}  // namespace tarsus
