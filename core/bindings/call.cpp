// One call of an algorithm: read the arguments, run one state or a batch, return a new array.
//
// One state in plain float64 arrays takes the short way: no conversion, no broadcasting. All else
// (lists, other number types, strides, leading dimensions, out=, threads=) takes the long one.
#define TARSUS_IMPORTS_NUMPY
#include "bindings/call.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <new>
#include <string>

#include "bindings/arrays.hpp"
#include "bindings/blocks.hpp"
#include "bindings/faults.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/run_batch.hpp"
#include "bindings/slots.hpp"
#include "model/work_memory.hpp"

namespace tarsus {

namespace {

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
    Owned found(call_python(model.functions, q.object, algorithm.thirds ? Py_True : Py_False));
    if (!found.object) return false;
    table.reset(PyArray_FROM_OTF(found.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!table.object) return false;
    const int size = tree.table_size + (algorithm.thirds ? tree.thirds_size : 0);
    if (PyArray_SIZE(table.array()) != states * size) {
        PyErr_SetString(PyExc_ValueError, "functions returned a table of a wrong size");
        return false;
    }
    call.in[kTable] = static_cast<const double*>(PyArray_DATA(table.array()));
    call.stride[kTable] = states == 1 ? 0 : size;
    call.size[kTable] = size;
    return true;
}

// false with a Python exception set
bool measure_result(const Algorithm& algorithm, const Tree& tree, Call& call) {
    const Py_ssize_t size = algorithm.parts() * dimensions(algorithm.output, tree).product();
    call.parts = algorithm.parts(), call.out_size = int(size);
    if (size <= INT_MAX) return true;
    PyErr_Format(PyExc_MemoryError, "%s: the model is too large, one result has %zd numbers",
                 algorithm.name, size);
    return false;
}

// dimensions of the result, with those of the batch, and the parts in front
std::vector<npy_intp> result_shape(const Algorithm& algorithm, const Tree& tree,
                                   const std::vector<npy_intp>& lead) {
    std::vector<npy_intp> shape;
    if (algorithm.named) shape.push_back(algorithm.parts());
    for (npy_intp d : lead) shape.push_back(d);
    for (Py_ssize_t d : dimensions(algorithm.output, tree)) shape.push_back(d);
    return shape;
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
    if (!measure_result(algorithm, model.tree, call)) return nullptr;
    const Dimensions core = dimensions(algorithm.output, model.tree);
    npy_intp shape[4] = {algorithm.parts()};
    int count = algorithm.named ? 1 : 0;
    for (Py_ssize_t d : core) shape[count++] = d;
    double number;
    Owned result;
    if (count > 0) {
        result.reset(PyArray_SimpleNew(count, shape, NPY_DOUBLE));
        if (!result.object) return nullptr;
        call.out = static_cast<double*>(PyArray_DATA(result.array()));
    } else {
        call.out = &number;
    }
    Owned table;
    if (!tabulate(model, algorithm, call, table)) return nullptr;
    WorkMemory memory;
    const Fault fault =
        kernel.one(model.tree, call, memory.get(kernel.bytes_one(model.tree, call)));
    if (fault.found()) return raise_fault(algorithm, model.tree, call, fault, {});
    if (algorithm.named) return split(*algorithm.named, result.array());
    return count > 0 ? result.release() : PyFloat_FromDouble(number);
}

// Where a batch is written: to what the caller gave, if that is apart from all inputs, else to a
// new array, which is copied to it.
class Output {
   public:
    explicit Output(const NamedArrays* named) : named_(named) {}

    // false with a Python exception set; the shape has the parts in front
    bool prepare(PyObject* out, const std::vector<npy_intp>& shape, const Owned* inputs) {
        out_ = out;
        if (named_ && out && !given_.read(out, *named_, {shape.begin() + 1, shape.end()}))
            return false;
        if (!named_ && out && !check_out(out, shape)) return false;
        bool apart = out != nullptr;
        for (int i = 0; i < kInputs; ++i) {
            PyArrayObject* input = inputs[i].array();
            if (!out || !input) continue;
            if (named_ ? given_.overlaps(input) : overlap((PyArrayObject*)out, input))
                apart = false;
        }
        if (apart) {
            data_ =
                named_ ? given_.block() : static_cast<double*>(PyArray_DATA((PyArrayObject*)out));
            if (data_) return true;
        }
        made_.reset(new_array(int(shape.size()), shape.data()));
        if (!made_.object) return false;
        data_ = static_cast<double*>(PyArray_DATA(made_.array()));
        return true;
    }
    double* data() const { return data_; }
    // the result for the caller, null with a Python exception set
    PyObject* release() {
        if (!out_) return named_ ? split(*named_, made_.array()) : made_.release();
        if (named_) {
            if (made_.object && !given_.copy_from(made_.array())) return nullptr;
            return given_.result(out_, *named_);
        }
        if (made_.object && PyArray_CopyInto((PyArrayObject*)out_, made_.array()) < 0)
            return nullptr;
        return Py_NewRef(out_);
    }

   private:
    const NamedArrays* named_;
    PyObject* out_ = nullptr;
    GivenArrays given_;
    Owned made_;  // null where results are written to what the caller gave
    double* data_ = nullptr;
};

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
        call.size[i] = int(core.product());
        if (!spread(arrays[i], core.count, lead, call.size[i], &call.stride[i])) return nullptr;
        call.in[i] = static_cast<const double*>(PyArray_DATA(arrays[i].array()));
    }
    std::vector<npy_intp> shape = result_shape(algorithm, model.tree, lead);
    for (npy_intp d : lead) call.states *= d;
    if (!measure_result(algorithm, model.tree, call)) return nullptr;

    int threads = 1;
    if (!read_threads(slots[p.parameters.threads], &threads)) return nullptr;
    PyObject* out = slots[p.parameters.out] == Py_None ? nullptr : slots[p.parameters.out];
    Output output(algorithm.named);
    if (!output.prepare(out, shape, arrays)) return nullptr;
    call.out = output.data();
    Owned table;
    if (call.states > 0 && !tabulate(model, algorithm, call, table)) return nullptr;

    Fault fault;
    if (call.states == 1) {
        WorkMemory memory;
        fault = kernel.one(model.tree, call, memory.get(kernel.bytes_one(model.tree, call)));
    } else if (call.states > 1) {
        InterruptCheck interrupt;
        try {
            const GilRelease release;
            fault = run_batch(kernel, kernels().lanes, model.tree, call, threads, interrupt);
        } catch (const std::exception& error) {
            return PyErr_Format(PyExc_MemoryError, "%s: %s", algorithm.name, error.what());
        }
        if (interrupt.stopped()) return nullptr;
    }
    if (fault.found()) return raise_fault(algorithm, model.tree, call, fault, lead);
    if (shape.empty() && !out) return PyFloat_FromDouble(*call.out);
    return output.release();
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
    if (algorithm.choice) {
        call.choice = read_word(slots[p.parameters.choice], *algorithm.choice);
        if (call.choice < 0) return nullptr;
        if (algorithm.choice == &kMethod) kernel = kernels().*kMethodKernels[call.choice];
    }
    std::unique_ptr<bool[]> mask;
    if (algorithm.prescribes) {
        mask = std::make_unique<bool[]>(model.tree.nv);
        if (!read_prescribed(slots[p.parameters.prescribed], model, algorithm.name, mask.get())) {
            return nullptr;
        }
        call.prescribed = mask.get();
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
