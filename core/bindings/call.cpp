// One call of an algorithm: read the arguments, run one state or a batch, return a new array.
//
// One state in plain float64 arrays takes the short way: no conversion, no broadcasting. All else
// (lists, other number types, strides, leading dimensions, out=, threads=) takes the long one.
#define TARSUS_IMPORTS_NUMPY
#include "bindings/call.hpp"

#include <algorithm>
#include <new>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/faults.hpp"
#include "bindings/run_batch.hpp"
#include "bindings/slots.hpp"
#include "bindings/work_memory.hpp"

namespace tarsus {

namespace {

const std::vector<const char*> kReferences = {"local", "world", "local_world_aligned"};
const std::vector<const char*> kMethods = {"articulated", "sparse", "dense"};
const Kernel* Kernels::* const kMethodKernels[] = {&Kernels::forward_dynamics,
                                                   &Kernels::forward_dynamics_sparse,
                                                   &Kernels::forward_dynamics_dense};

// Values of the users' coupling functions for each state, kept alive by `table`. False with a
// Python exception set.
bool tabulate(const CoreModel& model, const Algorithm& algorithm, Call& call, Owned& table) {
    const Tree& tree = model.tree;
    if (!model.functions || !algorithm.spans) return true;
    const npy_intp states = call.stride[0] == 0 ? 1 : call.states;
    const npy_intp shape[2] = {states, tree.nq};
    Owned q(PyArray_SimpleNew(2, const_cast<npy_intp*>(shape), NPY_DOUBLE));
    if (!q.object) return false;
    std::copy_n(call.in[0], states * tree.nq, static_cast<double*>(PyArray_DATA(q.array())));
    Owned found(PyObject_CallOneArg(model.functions, q.object));
    if (!found.object) return false;
    table.reset(PyArray_FROM_OTF(found.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!table.object) return false;
    if (PyArray_SIZE(table.array()) != states * tree.table_size) {
        PyErr_SetString(PyExc_ValueError, "functions returned a table of a wrong size");
        return false;
    }
    call.in[kTable] = static_cast<const double*>(PyArray_DATA(table.array()));
    call.stride[kTable] = states == 1 ? 0 : tree.table_size;
    call.size[kTable] = tree.table_size;
    return true;
}

PyObject* run_one_state(const Prepared& p, const CoreModel& model, const Kernel& kernel, Call& call,
                        PyObject** slots) {
    const Algorithm& algorithm = *p.algorithm;
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (!slots[i]) continue;
        PyArrayObject* array = reinterpret_cast<PyArrayObject*>(slots[i]);
        call.in[i] = static_cast<const double*>(PyArray_DATA(array));
        call.size[i] = int(PyArray_SIZE(array));
    }
    const Dimensions shape = dimensions(algorithm.output, model.tree);
    double number;
    Owned result;
    if (shape.count > 0) {
        result.reset(PyArray_SimpleNew(shape.count, const_cast<npy_intp*>(shape.size), NPY_DOUBLE));
        if (!result.object) return nullptr;
        call.out = static_cast<double*>(PyArray_DATA(result.array()));
        call.out_size = int(PyArray_SIZE(result.array()));
    } else {
        call.out = &number, call.out_size = 1;
    }
    Owned table;
    if (!tabulate(model, algorithm, call, table)) return nullptr;
    const Fault fault =
        kernel.one(model.tree, call, work_memory(kernel.bytes_one(model.tree, call)));
    if (fault.found()) return raise_fault(algorithm, model.tree, call, fault, {});
    return shape.count > 0 ? result.release() : PyFloat_FromDouble(number);
}

PyObject* run_general(const Prepared& p, const CoreModel& model, const Kernel& kernel, Call& call,
                      PyObject** slots) {
    const Algorithm& algorithm = *p.algorithm;
    Owned arrays[kInputs];
    std::vector<npy_intp> lead;
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (slots[i] && !read_array(slots[i], algorithm.inputs[i], model.tree, arrays[i]))
            return nullptr;
    }
    if (!broadcast(algorithm, model.tree, arrays, lead)) return nullptr;
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (!arrays[i].object) continue;
        const Dimensions core = dimensions(algorithm.inputs[i].shape, model.tree);
        call.size[i] = core.product();
        if (!spread(arrays[i], core.count, lead, call.size[i], &call.stride[i])) return nullptr;
        call.in[i] = static_cast<const double*>(PyArray_DATA(arrays[i].array()));
    }
    const Dimensions core = dimensions(algorithm.output, model.tree);
    std::vector<npy_intp> shape = lead;
    shape.insert(shape.end(), core.begin(), core.end());
    for (npy_intp d : lead) call.states *= d;
    call.out_size = core.product();

    int threads = 1;
    if (!read_threads(slots[p.parameters.threads], &threads)) return nullptr;
    PyObject* out = slots[p.parameters.out] == Py_None ? nullptr : slots[p.parameters.out];
    if (out && !check_out(out, shape)) return nullptr;
    bool in_place = out != nullptr;
    for (const Owned& array : arrays) {
        if (out && array.object && overlap((PyArrayObject*)out, array.array())) in_place = false;
    }
    Owned result(in_place ? Py_NewRef(out)
                          : PyArray_SimpleNew(int(shape.size()), shape.data(), NPY_DOUBLE));
    if (!result.object) return nullptr;
    call.out = static_cast<double*>(PyArray_DATA(result.array()));
    Owned table;
    if (call.states > 0 && !tabulate(model, algorithm, call, table)) return nullptr;

    Fault fault;
    if (call.states == 1) {
        fault = kernel.one(model.tree, call, work_memory(kernel.bytes_one(model.tree, call)));
    } else if (call.states > 1) {
        std::string failure;
        bool interrupted = false;
        PyThreadState* released = PyEval_SaveThread();
        const auto ask_python = [&] {
            PyEval_RestoreThread(released);
            interrupted = PyErr_CheckSignals() < 0;
            released = PyEval_SaveThread();
            return interrupted;
        };
        try {
            fault = run_batch(kernel, kernels().lanes, model.tree, call, threads, ask_python);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        PyEval_RestoreThread(released);
        if (interrupted) return nullptr;
        if (!failure.empty()) {
            return PyErr_Format(PyExc_MemoryError, "%s: %s", algorithm.name, failure.c_str());
        }
    }
    if (fault.found()) return raise_fault(algorithm, model.tree, call, fault, lead);
    if (out && !in_place) {
        if (PyArray_CopyInto((PyArrayObject*)out, result.array()) < 0) return nullptr;
        return Py_NewRef(out);
    }
    if (shape.empty() && !out) return PyFloat_FromDouble(*call.out);
    return result.release();
}

}  // namespace

bool import_numpy() {
    import_array1(false);
    return true;
}

PyObject* call_algorithm(int index, const CoreModel& model, PyObject* const* args, Py_ssize_t nargs,
                         PyObject* names) {
    const Prepared& p = prepared(index);
    const Algorithm& algorithm = *p.algorithm;
    PyObject* slots[kSlots] = {};
    if (!fill_slots(p, args, nargs, names, slots)) return nullptr;

    Call call;
    const Kernel* kernel = kernels().*algorithm.kernel;
    if (algorithm.of_frame &&
        !read_frame(slots[p.parameters.frame], model, algorithm.name, &call.frame)) {
        return nullptr;
    }
    if (algorithm.referenced) {
        const int word = read_word(slots[p.parameters.reference], "reference", kReferences);
        if (word < 0) return nullptr;
        call.reference = Reference(word);
    }
    if (algorithm.by_method) {
        const int word = read_word(slots[p.parameters.method], "method", kMethods);
        if (word < 0) return nullptr;
        kernel = kernels().*kMethodKernels[word];
    }
    bool one = !slots[p.parameters.threads] && !slots[p.parameters.out];
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (slots[i] == Py_None && algorithm.inputs[i].optional) slots[i] = nullptr;
        one = one && (!slots[i] || is_one_state(slots[i], algorithm.inputs[i].shape, model.tree));
    }
    try {
        return one ? run_one_state(p, model, *kernel, call, slots)
                   : run_general(p, model, *kernel, call, slots);
    } catch (const std::bad_alloc&) {
        return PyErr_NoMemory();
    }
}

}  // namespace tarsus
