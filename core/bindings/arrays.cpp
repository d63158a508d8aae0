#include "bindings/arrays.hpp"

#include <string>

namespace tarsus {

namespace {

std::string shape_text(const npy_intp* dims, int n, bool leading) {
    std::string text = leading ? "(…" : "(";
    for (int k = 0; k < n; ++k) text += (k || leading ? ", " : "") + std::to_string(dims[k]);
    return text + (n == 1 && !leading ? ",)" : ")");
}

}  // namespace

bool read_array(PyObject* object, const Input& input, const Tree& tree, Owned& array) {
    Owned given(PyArray_FROM_O(object));
    if (!given.object && PyErr_ExceptionMatches(PyExc_MemoryError)) return false;
    PyErr_Clear();
    const int type = given.object ? PyArray_TYPE(given.array()) : NPY_OBJECT;
    if (!PyArray_CanCastSafely(type, NPY_DOUBLE)) {
        PyErr_Format(PyExc_TypeError, "%s must be an array of real numbers, got %.200R", input.name,
                     object);
        return false;
    }
    const Dimensions wanted = dimensions(input.shape, tree);
    const int n = PyArray_NDIM(given.array()), m = wanted.count;
    const npy_intp* dims = PyArray_DIMS(given.array());
    if (n < m || !std::equal(wanted.begin(), wanted.end(), dims + n - m)) {
        PyErr_Format(PyExc_ValueError, "%s must have shape %s, got %s", input.name,
                     shape_text(wanted.size, m, true).c_str(), shape_text(dims, n, false).c_str());
        return false;
    }
    array.reset(PyArray_FROM_OTF(given.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    return array.object != nullptr;
}

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

bool overlap(PyArrayObject* a, PyArrayObject* b) {
    const char *p = PyArray_BYTES(a), *q = PyArray_BYTES(b);
    return p < q + PyArray_NBYTES(b) && q < p + PyArray_NBYTES(a);
}

bool check_out(PyObject* out, const std::vector<npy_intp>& shape, const char* name) {
    if (is_plain(out) && PyArray_ISWRITEABLE((PyArrayObject*)out) &&
        PyArray_NDIM((PyArrayObject*)out) == int(shape.size()) &&
        std::equal(shape.begin(), shape.end(), PyArray_DIMS((PyArrayObject*)out))) {
        return true;
    }
    std::string got = Py_TYPE(out)->tp_name;
    if (PyArray_Check(out)) {
        PyArrayObject* array = (PyArrayObject*)out;
        got = "shape " + shape_text(PyArray_DIMS(array), PyArray_NDIM(array), false);
        if (PyArray_TYPE(array) != NPY_DOUBLE) got += ", not float64";
        if (!PyArray_ISCARRAY_RO(array)) got += ", not contiguous";
        if (!PyArray_ISWRITEABLE(array)) got += ", read-only";
    }
    PyErr_Format(PyExc_ValueError,
                 "%s must be a writeable, contiguous float64 array of shape %s, got %s", name,
                 shape_text(shape.data(), int(shape.size()), false).c_str(), got.c_str());
    return false;
}

}  // namespace tarsus
