#include "bindings/arguments.hpp"

#include <climits>
#include <cmath>

namespace tarsus {

namespace {

std::string words(PyObject* text) {
    const char* found = PyUnicode_AsUTF8(text);
    if (!found) throw PythonError();
    return found;
}

std::string of_dimensions(int n) {
    return std::to_string(n) + (n == 1 ? " dimension" : " dimensions");
}

Numbers numbers_of(const char* name, PyArrayObject* array, int dimensions) {
    if (PyArray_NDIM(array) != dimensions) {
        throw std::invalid_argument(std::string(name) + " has " +
                                    of_dimensions(PyArray_NDIM(array)) + ", expected " +
                                    std::to_string(dimensions));
    }
    Numbers found;
    found.data = static_cast<double*>(PyArray_DATA(array));
    found.size = size_t(PyArray_SIZE(array));
    for (int k = 0; k < dimensions; ++k) found.shape[k] = size_t(PyArray_DIM(array, k));
    return found;
}

// an aligned, contiguous array of float64, itself or a copy that `keep` owns
PyArrayObject* readable(const char* name, PyObject* object, Owned& keep) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_Check(object) || !PyArray_CanCastSafely(PyArray_TYPE(array), NPY_DOUBLE)) {
        throw WrongType(std::string(name) + " must be an array of real numbers, got " +
                        Py_TYPE(object)->tp_name);
    }
    if (PyArray_TYPE(array) == NPY_DOUBLE && PyArray_ISCARRAY_RO(array)) return array;
    keep.reset(PyArray_FROM_OTF(object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!keep.object) throw PythonError();
    return keep.array();
}

}  // namespace

Signature::Signature(const char* method, std::initializer_list<const char*> names, int positional,
                     int needed)
    : method_(method), positional_(positional), needed_(needed) {
    for (const char* name : names) names_.push_back(PyUnicode_InternFromString(name));
}

void Signature::fill(PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                     PyObject** slots) const {
    const auto refuse = [&](const std::string& reason) {
        throw WrongType(std::string(method_) + "() " + reason);
    };
    if (nargs > positional_) {
        refuse("takes " + std::to_string(positional_) + " arguments by position, got " +
               std::to_string(nargs));
    }
    const size_t count = names_.size();
    for (size_t k = 0; k < count; ++k) slots[k] = k < size_t(nargs) ? args[k] : nullptr;
    const Py_ssize_t named = names ? PyTuple_GET_SIZE(names) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject* name = PyTuple_GET_ITEM(names, k);
        size_t slot = 0;
        while (slot < count && names_[slot] != name) ++slot;
        if (slot == count) {  // not interned, or wrong
            slot = 0;
            while (slot < count && PyUnicode_Compare(names_[slot], name) != 0) ++slot;
        }
        if (slot == count) {
            std::string valid;
            for (PyObject* each : names_) valid += (valid.empty() ? "" : ", ") + words(each);
            refuse("has no argument '" + words(name) + "'; it takes " + valid);
        }
        if (slots[slot]) refuse("got '" + words(name) + "' twice");
        slots[slot] = args[nargs + k];
    }
    for (int k = 0; k < needed_; ++k) {
        if (!slots[k]) refuse("needs '" + words(names_[k]) + "'");
    }
}

Numbers changed_array(const char* name, PyObject* object, int dimensions) {
    PyArrayObject* array = reinterpret_cast<PyArrayObject*>(object);
    if (!PyArray_Check(object) || PyArray_TYPE(array) != NPY_DOUBLE || !PyArray_ISCARRAY(array)) {
        throw WrongType(std::string(name) +
                        " must be a C-contiguous, writable float64 array, as it is changed");
    }
    return numbers_of(name, array, dimensions);
}

Numbers given_array(const char* name, PyObject* object, int dimensions, Owned& keep) {
    return numbers_of(name, readable(name, object, keep), dimensions);
}

std::vector<double> copied_array(const char* name, PyObject* object, bool finite) {
    Owned keep;
    const PyArrayObject* array = readable(name, object, keep);
    const double* from = static_cast<const double*>(PyArray_DATA(array));
    std::vector<double> copy(from, from + PyArray_SIZE(array));
    for (double x : copy) {
        if (std::isnan(x) || (finite && std::isinf(x))) {
            throw std::invalid_argument(std::string(name) + " must be finite");
        }
    }
    return copy;
}

long integer_of(const char* name, PyObject* object, long absent) {
    if (!object) return absent;
    if (!PyIndex_Check(object)) {
        throw WrongType(std::string(name) + " must be an integer, got " + Py_TYPE(object)->tp_name);
    }
    const Py_ssize_t found = PyNumber_AsSsize_t(object, PyExc_ValueError);
    if (found == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        throw std::invalid_argument(std::string(name) + " is too large");
    }
    return long(found);
}

void check_finite(const char* name, const double* a, size_t size) {
    // zeros, or not a number where a number is not finite; four sums, as one would wait for itself
    double sum[4] = {};
    size_t at = 0;
    for (; at + 4 <= size; at += 4) {
        for (int i = 0; i < 4; ++i) sum[i] += a[at + i] * 0.0;
    }
    for (; at < size; ++at) sum[0] += a[at] * 0.0;
    if (sum[0] + sum[1] + sum[2] + sum[3] == 0.0) return;
    for (size_t k = 0; k < size; ++k) {
        if (!std::isfinite(a[k])) {
            throw std::invalid_argument(std::string(name) + " must be finite, element " +
                                        std::to_string(k) + " is not");
        }
    }
}

}  // namespace tarsus
