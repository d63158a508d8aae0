// Arguments of methods that read them through NumPy's C interface: a caster takes a microsecond for
// an array, this a tenth of it. All functions throw; `guarded` makes Python's exceptions of that.
#pragma once

#include <initializer_list>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/numpy.hpp"

namespace tarsus {

struct WrongType : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
struct PythonError {};  // a Python exception is set already

// The names of a method's arguments: some by position or name, the others by name only.
class Signature {
   public:
    // `needed`: so many of the names must be there, in their order
    Signature(const char* method, std::initializer_list<const char*> names, int positional,
              int needed);
    // one slot for each name, null where nothing was given
    void fill(PyObject* const* args, Py_ssize_t nargs, PyObject* names, PyObject** slots) const;

   private:
    const char* method_;
    std::vector<PyObject*> names_;  // interned, for good
    int positional_, needed_;
};

// an array of float64 numbers with up to three dimensions
struct Numbers {
    double* data = nullptr;
    size_t shape[3] = {};
    size_t size = 0;
};

// an array that the call changes: what is given must be it, not a copy
Numbers changed_array(const char* name, PyObject* object, int dimensions);
// an array that the call only reads; `keep` owns what had to be converted
Numbers given_array(const char* name, PyObject* object, int dimensions, Owned& keep);
// a copy of an array of any dimensions, without NaN, and finite unless told otherwise
std::vector<double> copied_array(const char* name, PyObject* object, bool finite = true);
// an integer, or `absent` if nothing is given
long integer_of(const char* name, PyObject* object, long absent);

void check_finite(const char* name, const double* a, size_t size);

template <class Function>
PyObject* guarded(Function&& function) {
    try {
        return function();
    } catch (const PythonError&) {
    } catch (const WrongType& error) {
        PyErr_SetString(PyExc_TypeError, error.what());
    } catch (const std::invalid_argument& error) {
        PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
}

}  // namespace tarsus
