// Results of several arrays of one shape: named tuples of `tarsus.model.results`, whose arrays lie
// one after the other in one block of memory.
#pragma once

#include <vector>

#include "bindings/numpy.hpp"

namespace tarsus {

struct NamedArrays {
    const char* name;  // of the class
    std::vector<const char*> fields;
};
extern const NamedArrays kInverseDerivatives, kForwardDerivatives, kHybridResult;

// All of these return false or null with a Python exception set.

// the named tuple of whole[0], whole[1], …: contiguous views that share its memory
PyObject* split(const NamedArrays& named, PyArrayObject* whole);

// Arrays that the caller gave for a result: a tuple or list of them, each of this shape.
class GivenArrays {
   public:
    GivenArrays() = default;
    GivenArrays(const GivenArrays&) = delete;
    GivenArrays& operator=(const GivenArrays&) = delete;
    ~GivenArrays() {
        for (PyArrayObject* array : arrays_) Py_DECREF(reinterpret_cast<PyObject*>(array));
    }
    bool read(PyObject* out, const NamedArrays& named, const std::vector<npy_intp>& shape);
    // where results can be written, if the arrays lie one after the other; or null
    double* block() const;
    bool overlaps(PyArrayObject* array) const;
    bool copy_from(PyArrayObject* whole) const;
    // the named tuple of the arrays, which is `out` itself where that is one
    PyObject* result(PyObject* out, const NamedArrays& named) const;

   private:
    std::vector<PyArrayObject*> arrays_;  // owned: users' functions may change their list
};

}  // namespace tarsus
