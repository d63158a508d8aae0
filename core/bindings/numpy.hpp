// NumPy's C interface, shared by all files of the bindings.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL tarsus_numpy
#ifndef TARSUS_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

namespace tarsus {

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

}  // namespace tarsus
