#include "bindings/named_arrays.hpp"

#include <atomic>
#include <string>

#include "bindings/arrays.hpp"

namespace tarsus {

const NamedArrays kInverseDerivatives{"InverseDynamicsDerivatives", {"dq", "dv", "da"}};
const NamedArrays kForwardDerivatives{"ForwardDynamicsDerivatives", {"dq", "dv", "dtau"}};
const NamedArrays kHybridResult{"HybridDynamics", {"a", "tau"}};

namespace {

// the class of Python, borrowed; it is looked up once
PyTypeObject* class_of(const NamedArrays& named) {
    static std::atomic<PyObject*> known[3];
    std::atomic<PyObject*>& slot = known[&named == &kInverseDerivatives   ? 0
                                         : &named == &kForwardDerivatives ? 1
                                                                          : 2];
    PyObject* found = slot.load();
    if (!found) {
        Owned module(PyImport_ImportModule("tarsus.model.results"));
        if (!module.object) return nullptr;
        found = PyObject_GetAttrString(module.object, named.name);
        if (!found) return nullptr;
        PyObject* first = nullptr;
        if (!slot.compare_exchange_strong(first, found)) {
            Py_DECREF(found);
            found = first;
        }
    }
    return reinterpret_cast<PyTypeObject*>(found);
}

// a view of element `index` along the first dimension
PyObject* element(PyArrayObject* whole, npy_intp index) {
    PyArray_Descr* type = PyArray_DESCR(whole);
    Py_INCREF(type);
    char* data = PyArray_BYTES(whole) + index * PyArray_STRIDE(whole, 0);
    PyObject* view =
        PyArray_NewFromDescr(&PyArray_Type, type, PyArray_NDIM(whole) - 1, PyArray_DIMS(whole) + 1,
                             nullptr, data, NPY_ARRAY_CARRAY, nullptr);
    if (!view) return nullptr;
    // takes the reference over, also where it fails
    if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(view),
                              Py_NewRef(reinterpret_cast<PyObject*>(whole))) < 0) {
        Py_DECREF(view);
        return nullptr;
    }
    return view;
}

// an empty named tuple, whose items are still to be set
PyObject* new_tuple(const NamedArrays& named) {
    PyTypeObject* type = class_of(named);
    return type ? type->tp_alloc(type, Py_ssize_t(named.fields.size())) : nullptr;
}

}  // namespace

PyObject* split(const NamedArrays& named, PyArrayObject* whole) {
    Owned found(new_tuple(named));
    if (!found.object) return nullptr;
    for (size_t k = 0; k < named.fields.size(); ++k) {
        PyObject* view = element(whole, npy_intp(k));
        if (!view) return nullptr;
        PyTuple_SET_ITEM(found.object, k, view);
    }
    return found.release();
}

bool GivenArrays::read(PyObject* out, const NamedArrays& named,
                       const std::vector<npy_intp>& shape) {
    const Py_ssize_t count = Py_ssize_t(named.fields.size());
    const bool listed = PyTuple_Check(out) || PyList_Check(out);
    if (!listed || PySequence_Fast_GET_SIZE(out) != count) {
        const std::string got =
            listed ? std::to_string(PySequence_Fast_GET_SIZE(out)) + " of them" : "";
        PyErr_Format(PyExc_ValueError, "out must be a tuple of %zd arrays, %s, got %s", count,
                     named.name, listed ? got.c_str() : Py_TYPE(out)->tp_name);
        return false;
    }
    for (Py_ssize_t k = 0; k < count; ++k) {
        PyObject* array = PySequence_Fast_ITEMS(out)[k];
        if (!check_out(array, shape, (std::string("out.") + named.fields[k]).c_str())) return false;
        if (overlaps(reinterpret_cast<PyArrayObject*>(array))) {
            PyErr_Format(PyExc_ValueError, "out.%s shares memory with the arrays before it",
                         named.fields[k]);
            return false;
        }
        arrays_.push_back(reinterpret_cast<PyArrayObject*>(Py_NewRef(array)));
    }
    return true;
}

double* GivenArrays::block() const {
    const char* next = PyArray_BYTES(arrays_[0]);
    for (PyArrayObject* array : arrays_) {
        if (PyArray_BYTES(array) != next) return nullptr;
        next += PyArray_NBYTES(array);
    }
    return static_cast<double*>(PyArray_DATA(arrays_[0]));
}

bool GivenArrays::overlaps(PyArrayObject* array) const {
    for (PyArrayObject* mine : arrays_) {
        if (overlap(mine, array)) return true;
    }
    return false;
}

bool GivenArrays::copy_from(PyArrayObject* whole) const {
    for (size_t k = 0; k < arrays_.size(); ++k) {
        Owned part(element(whole, npy_intp(k)));
        if (!part.object || PyArray_CopyInto(arrays_[k], part.array()) < 0) return false;
    }
    return true;
}

PyObject* GivenArrays::result(PyObject* out, const NamedArrays& named) const {
    PyTypeObject* type = class_of(named);
    if (!type) return nullptr;
    if (Py_TYPE(out) == type) return Py_NewRef(out);
    PyObject* found = new_tuple(named);
    if (!found) return nullptr;
    for (size_t k = 0; k < arrays_.size(); ++k) {
        PyTuple_SET_ITEM(found, k, Py_NewRef(reinterpret_cast<PyObject*>(arrays_[k])));
    }
    return found;
}

}  // namespace tarsus
