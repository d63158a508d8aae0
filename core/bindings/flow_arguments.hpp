// What smooth motions are given: efforts that Python computes, parts, states; and rows for Python.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/parts.hpp"
#include "bindings/world_calls.hpp"
#include "flow/flow.hpp"

namespace tarsus {

// (rows, width), or (width) of one row if they are not `several`; null with a Python exception set
inline PyObject* array_of(const double* numbers, npy_intp rows, npy_intp width, bool several) {
    npy_intp shape[2] = {rows, width};
    PyObject* made = PyArray_SimpleNew(several ? 2 : 1, shape + !several, NPY_DOUBLE);
    if (made) {
        std::copy_n(numbers, rows * width,
                    static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))));
    }
    return made;
}
inline PyObject* row_of(const double* numbers, npy_intp size) {
    return array_of(numbers, 1, size, false);
}

class PythonOutside final : public Outside {
   public:
    explicit PythonOutside(const CoreModel& model) : model_(model) {}

    // a function of (t, q, v), or numbers; returns whether Python is needed
    bool drive(PyObject* effort) {
        function_ = PyCallable_Check(effort) ? effort : nullptr;
        if (!function_) {
            Owned keep;
            const Numbers tau = given_array("effort", effort, 1, keep);
            check_shape("effort", 1, tau.size, 1, states * model_.tree.nv, false);
            check_finite("effort", tau.data, tau.size);
            held_.assign(tau.data, tau.data + tau.size);
        }
        asked_ = std::chrono::steady_clock::now();
        return function_ || model_.functions;
    }

    void efforts(double t, long n, const double* q, const double* v, double* tau) override {
        const Tree& tree = model_.tree;
        if (!function_) {
            std::copy(held_.begin(), held_.end(), tau);
            return;
        }
        const Owned time(PyFloat_FromDouble(t)), at_q(array_of(q, n, tree.nq, several)),
            at_v(array_of(v, n, tree.nv, several));
        if (!time.object || !at_q.object || !at_v.object) throw PythonError();
        const Owned found(call_python(function_, time.object, at_q.object, at_v.object));
        if (!found.object) throw PythonError();
        Owned keep;
        const Numbers numbers = given_array("effort", found.object, several ? 2 : 1, keep);
        check_shape("effort", 1, numbers.size, 1, n * tree.nv, false);
        std::copy_n(numbers.data, numbers.size, tau);
    }

    const double* table(const double* q, long states) override {
        if (!model_.functions) return nullptr;
        npy_intp shape[2] = {states, model_.tree.nq};
        const Owned at(PyArray_SimpleNew(2, shape, NPY_DOUBLE));
        if (!at.object) throw PythonError();
        std::copy_n(q, shape[0] * shape[1], static_cast<double*>(PyArray_DATA(at.array())));
        const Owned found(call_python(model_.functions, at.object, Py_False));
        if (!found.object) throw PythonError();
        table_ = copied_array("functions", found.object, false);
        if (long(table_.size()) != states * model_.tree.table_size)
            throw std::invalid_argument("functions returned a table of a wrong size");
        return table_.data();
    }

    // Now and then Python looks whether to go on: a function is asked, if there is one; without it
    // the motion pauses.
    bool interrupted() override {
        const auto now = std::chrono::steady_clock::now();
        if (now - asked_ <= kSignalInterval) return false;
        if (!stop) return true;
        asked_ = now;
        const GilAcquire hold;
        if (PyErr_CheckSignals() != 0) throw PythonError();
        const Owned found(call_python(stop));
        if (!found.object) throw PythonError();
        return PyObject_IsTrue(found.object) == 1;
    }

    PyObject* stop = nullptr;  // borrowed for a call
    // How many states efforts are for; if `several`, functions are given and return a row for each.
    long states = 1;
    bool several = false;

   private:
    const CoreModel& model_;
    PyObject* function_ = nullptr;  // borrowed for a call
    std::vector<double> held_, table_;
    std::chrono::steady_clock::time_point asked_;
};

// parts of this tree that smooth motions know
inline const Parts& smooth_parts(const Tree& tree, nb::handle given) {
    if (!nb::isinstance<CoreParts>(given)) throw WrongType("parts must be Parts");
    const CoreParts& parts = nb::cast<const CoreParts&>(given);
    if (parts.tree != &tree) throw std::invalid_argument("parts are of another model");
    for (const Part& part : parts.parts.list) {
        if (part.law == PartLaw::motor || part.coordinates == Coordinates::path)
            throw std::invalid_argument("motors and paths do not act in smooth motions");
    }
    return parts.parts;
}

// the numbers of one state; limits of forces may be infinite
inline std::vector<double> part_row(const Parts& parts, nb::handle given) {
    std::vector<double> row = copied_array("part_numbers", given.ptr(), false);
    check_shape("part_numbers", 1, row.size(), 1, parts.n_numbers, false);
    return row;
}

inline Numbers state_array(const char* name, nb::handle given, size_t size, Owned& keep) {
    const Numbers numbers = given_array(name, given.ptr(), 1, keep);
    check_shape(name, 1, numbers.size, 1, size, false);
    check_finite(name, numbers.data, numbers.size);
    return numbers;
}

inline nb::object rows_of(const std::vector<double>& numbers, npy_intp rows, npy_intp width) {
    npy_intp shape[2] = {rows, width};
    PyObject* made = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    if (!made) throw nb::python_error();
    std::copy_n(numbers.data(), rows * width,
                static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made))));
    return nb::steal(made);
}

// functions of states beside the class Flow
void bind_smooth_states(nb::module_& m);

}  // namespace tarsus
