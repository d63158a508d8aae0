// One call of an algorithm: read the arguments, run one state or a batch, return a new array.
//
// One state in plain float64 arrays takes the short way: no conversion, no broadcasting. All else
// (lists, other number types, strides, leading dimensions, out=, threads=) takes the long one.
#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#include "bindings/call.hpp"

#include <numpy/arrayobject.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "bindings/run_batch.hpp"
#include "bindings/work_memory.hpp"

namespace tarsus {

namespace {

constexpr int kSlots = 12;

// what is known of an algorithm before any call
struct Prepared {
    const Algorithm* algorithm;
    Parameters parameters;
    std::vector<PyObject*> names;  // interned
};

const Prepared& prepared(int index) {
    static std::vector<Prepared> all = [] {
        std::vector<Prepared> list;
        for (const Algorithm& algorithm : algorithms()) {
            Prepared p{&algorithm, parameters(algorithm), {}};
            for (const char* name : p.parameters.names)
                p.names.push_back(PyUnicode_InternFromString(name));
            list.push_back(std::move(p));
        }
        return list;
    }();
    return all[index];
}

// a reference that is dropped at the end of the scope
struct Owned {
    PyObject* object = nullptr;
    Owned() = default;
    explicit Owned(PyObject* o) : object(o) {}
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned() { Py_XDECREF(object); }
    void reset(PyObject* o) {
        Py_XDECREF(object);
        object = o;
    }
    PyArrayObject* array() const { return reinterpret_cast<PyArrayObject*>(object); }
    PyObject* release() {
        PyObject* o = object;
        object = nullptr;
        return o;
    }
};

std::string joined(const std::vector<const char*>& names) {
    std::string text;
    for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

// positional and keyword arguments into their slots; false with an exception set
bool fill_slots(const Prepared& p, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                PyObject** slots) {
    const char* method = p.algorithm->name;
    if (nargs > p.parameters.threads) {
        PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%s), got %zd",
                     method, p.parameters.threads, joined(p.parameters.names).c_str(), nargs);
        return false;
    }
    for (Py_ssize_t k = 0; k < nargs; ++k) slots[k] = args[k];
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject* name = PyTuple_GET_ITEM(names, k);
        const int count = int(p.names.size());
        int slot = 0;
        while (slot < count && p.names[slot] != name) ++slot;
        if (slot == count) {
            slot = 0;
            while (slot < count && PyUnicode_Compare(p.names[slot], name) != 0) ++slot;
        }
        if (slot == count) {
            PyErr_Format(PyExc_TypeError, "%s() has no argument '%U'; it takes %s", method, name,
                         joined(p.parameters.names).c_str());
            return false;
        }
        if (slots[slot]) {
            PyErr_Format(PyExc_TypeError, "%s() got '%U' twice", method, name);
            return false;
        }
        slots[slot] = args[nargs + k];
    }
    for (int k = 0; k < p.parameters.required; ++k) {
        if (!slots[k]) {
            PyErr_Format(PyExc_TypeError, "%s() needs '%s'", method, p.parameters.names[k]);
            return false;
        }
    }
    return true;
}

// the names nearest to a wrong one, for the message
void raise_unknown_frame(PyObject* name, PyObject* frame_index) {
    Owned difflib(PyImport_ImportModule("difflib"));
    Owned all(PySequence_List(frame_index));
    if (!difflib.object || !all.object) return;
    Owned near(
        PyObject_CallMethod(difflib.object, "get_close_matches", "OOid", name, all.object, 5, 0.3));
    if (!near.object) return;
    PyErr_Format(PyExc_ValueError,
                 "frame: no frame is named %R; similar names: %S; all %zd names are in frame_names",
                 name, near.object, PyList_GET_SIZE(all.object));
}

bool read_frame(PyObject* argument, const CoreModel& model, const char* method, int* frame) {
    if (!argument) {
        PyErr_Format(PyExc_TypeError, "%s() needs 'frame'", method);
        return false;
    }
    if (!PyUnicode_Check(argument)) {
        PyErr_Format(PyExc_TypeError, "frame must be the name of a frame, got %s",
                     Py_TYPE(argument)->tp_name);
        return false;
    }
    PyObject* index = PyDict_GetItemWithError(model.frame_index, argument);
    if (!index) {
        if (!PyErr_Occurred()) raise_unknown_frame(argument, model.frame_index);
        return false;
    }
    *frame = int(PyLong_AsLong(index));
    return true;
}

// the position of a word in a list, or −1 with an exception that lists them
int read_word(PyObject* argument, const char* name, const std::vector<const char*>& words) {
    if (!argument) return 0;
    if (PyUnicode_Check(argument)) {
        for (size_t k = 0; k < words.size(); ++k) {
            if (PyUnicode_CompareWithASCIIString(argument, words[k]) == 0) return int(k);
        }
    }
    PyErr_Format(PyExc_ValueError, "%s must be one of %s, got %R", name, joined(words).c_str(),
                 argument);
    return -1;
}

const std::vector<const char*> kReferences = {"local", "world", "local_world_aligned"};
const std::vector<const char*> kMethods = {"articulated", "sparse", "dense"};
const Kernel* Kernels::* const kMethodKernels[] = {&Kernels::forward_dynamics,
                                                   &Kernels::forward_dynamics_sparse,
                                                   &Kernels::forward_dynamics_dense};

bool is_plain(PyObject* object) {
    if (!PyArray_CheckExact(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    return PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array);
}

// one state of exactly this shape, ready to be read in place
bool is_one_state(PyObject* object, Shape shape, const Tree& tree) {
    if (!is_plain(object)) return false;
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    const Dimensions wanted = dimensions(shape, tree);
    return PyArray_NDIM(array) == wanted.count &&
           std::equal(wanted.begin(), wanted.end(), PyArray_DIMS(array));
}

std::string shape_text(const npy_intp* dims, int n, bool leading) {
    std::string text = leading ? "(…" : "(";
    for (int k = 0; k < n; ++k) text += (k || leading ? ", " : "") + std::to_string(dims[k]);
    return text + (n == 1 && !leading ? ",)" : ")");
}

// the argument as an aligned, contiguous float64 array with the right trailing dimensions
bool read_array(PyObject* object, const Input& input, const Tree& tree, Owned& array) {
    array.reset(PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!array.object) {
        if (PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
        Owned type, value, trace;
        PyErr_Fetch(&type.object, &value.object, &trace.object);
        PyErr_Format(PyExc_TypeError, "%s must be an array of real numbers: %S", input.name,
                     value.object ? value.object : Py_None);
        return false;
    }
    const Dimensions wanted = dimensions(input.shape, tree);
    const int n = PyArray_NDIM(array.array()), m = wanted.count;
    const npy_intp* dims = PyArray_DIMS(array.array());
    if (n < m || !std::equal(wanted.begin(), wanted.end(), dims + n - m)) {
        PyErr_Format(PyExc_ValueError, "%s must have shape %s, got %s", input.name,
                     shape_text(wanted.size, m, true).c_str(), shape_text(dims, n, false).c_str());
        return false;
    }
    return true;
}

// leading dimensions of all inputs, broadcast as NumPy does
bool broadcast(const Algorithm& algorithm, const Tree& tree, Owned* arrays,
               std::vector<npy_intp>& lead) {
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (!arrays[i].object) continue;
        const int core = dimensions(algorithm.inputs[i].shape, tree).count;
        const int n = PyArray_NDIM(arrays[i].array()) - core;
        const npy_intp* dims = PyArray_DIMS(arrays[i].array());
        if (n > int(lead.size())) lead.insert(lead.begin(), n - lead.size(), 1);
        for (int k = 0; k < n; ++k) {
            npy_intp& d = lead[lead.size() - n + k];
            if (dims[k] == d || dims[k] == 1) continue;
            if (d != 1) {
                PyErr_Format(
                    PyExc_ValueError,
                    "leading dimensions do not broadcast: %s has %s, the inputs before it %s",
                    algorithm.inputs[i].name, shape_text(dims, n, false).c_str(),
                    shape_text(lead.data(), int(lead.size()), false).c_str());
                return false;
            }
            d = dims[k];
        }
    }
    return true;
}

// the stride from state to state; an input that repeats in a pattern is spelled out
bool spread(Owned& array, int core, const std::vector<npy_intp>& lead, int size, long* stride) {
    const int n = PyArray_NDIM(array.array()) - core;
    const npy_intp* dims = PyArray_DIMS(array.array());
    const bool single = std::all_of(dims, dims + n, [](npy_intp d) { return d == 1; });
    const bool whole = n == int(lead.size()) && std::equal(lead.begin(), lead.end(), dims);
    *stride = whole ? size : 0;
    if (whole || single) return true;

    Owned numpy(PyImport_ImportModule("numpy")), shape(PyTuple_New(lead.size() + core));
    if (!numpy.object || !shape.object) return false;
    for (size_t k = 0; k < lead.size() + core; ++k) {
        const npy_intp d = k < lead.size() ? lead[k] : dims[n + k - lead.size()];
        PyTuple_SET_ITEM(shape.object, k, PyLong_FromSsize_t(d));
    }
    Owned view(PyObject_CallMethod(numpy.object, "broadcast_to", "OO", array.object, shape.object));
    if (!view.object) return false;
    array.reset(PyArray_FROM_OTF(view.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    *stride = size;
    return array.object != nullptr;
}

bool read_threads(PyObject* argument, int* threads) {
    if (!argument || argument == Py_None) return true;
    const long n = PyIndex_Check(argument) ? PyNumber_AsSsize_t(argument, nullptr) : 0;
    if (PyErr_Occurred()) PyErr_Clear();
    if (n < 1 || n > 1024) {
        PyErr_Format(PyExc_ValueError, "threads must be an integer from 1 to 1024, got %R",
                     argument);
        return false;
    }
    *threads = int(n);
    return true;
}

bool overlap(PyArrayObject* a, PyArrayObject* b) {
    const char *p = PyArray_BYTES(a), *q = PyArray_BYTES(b);
    return p < q + PyArray_NBYTES(b) && q < p + PyArray_NBYTES(a);
}

bool check_out(PyObject* out, const std::vector<npy_intp>& shape) {
    const bool right = out && is_plain(out) && PyArray_ISWRITEABLE((PyArrayObject*)out) &&
                       PyArray_NDIM((PyArrayObject*)out) == int(shape.size()) &&
                       std::equal(shape.begin(), shape.end(), PyArray_DIMS((PyArrayObject*)out));
    if (!right) {
        PyErr_Format(PyExc_ValueError,
                     "out must be a writeable, contiguous float64 array of shape %s",
                     shape_text(shape.data(), int(shape.size()), false).c_str());
    }
    return right;
}

PyObject* raise_fault(const Algorithm& algorithm, const Fault& fault, long states, double value) {
    std::string state = states > 1 ? " of state " + std::to_string(fault.state) : "";
    Owned number(PyFloat_FromDouble(value));
    if (!number.object) return nullptr;
    if (fault.input < kInputs) {
        return PyErr_Format(PyExc_ValueError, "%s must be finite: element %d%s is %R",
                            algorithm.inputs[fault.input].name, fault.element, state.c_str(),
                            number.object);
    }
    return PyErr_Format(PyExc_ArithmeticError,
                        "%s has no finite result: element %d%s is %R; the mass matrix is singular "
                        "there, a quaternion is zero, or the numbers overflow",
                        algorithm.name, fault.element, state.c_str(), number.object);
}

double value_at(const Call& call, const Fault& fault) {
    if (fault.input < kInputs) {
        return call.in[fault.input][fault.state * call.stride[fault.input] + fault.element];
    }
    return call.out[fault.state * call.out_size + fault.element];
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
    const Fault fault =
        kernel.one(model.tree, call, work_memory(kernel.bytes_one(model.tree, call)));
    if (fault.found()) return raise_fault(algorithm, fault, 1, value_at(call, fault));
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

    Fault fault;
    if (call.states == 1) {
        fault = kernel.one(model.tree, call, work_memory(kernel.bytes_one(model.tree, call)));
    } else if (call.states > 1) {
        const Kernels& set = kernels();
        std::string failure;
        Py_BEGIN_ALLOW_THREADS;
        try {
            fault = run_batch(kernel, set.lanes, model.tree, call, threads);
        } catch (const std::exception& error) {
            failure = error.what();
        }
        Py_END_ALLOW_THREADS;
        if (!failure.empty())
            return PyErr_Format(PyExc_MemoryError, "%s: %s", algorithm.name, failure.c_str());
    }
    if (fault.found()) return raise_fault(algorithm, fault, call.states, value_at(call, fault));
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
