#include "bindings/slots.hpp"

#include "bindings/numpy.hpp"

namespace tarsus {

namespace {

std::string joined(const std::vector<const char*>& names) {
    std::string text;
    for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

// as Model.frame() and Model.joint() do, with the names that the model has
void raise_unknown(const char* what, PyObject* name, PyObject* index) {
    Owned checks(PyImport_ImportModule("tarsus._lib.checks"));
    Owned names(PySequence_List(index));
    if (!checks.object || !names.object) return;
    Owned error(PyObject_GetAttrString(checks.object, "UnknownNameError"));
    Owned suggestion(PyObject_CallMethod(checks.object, "suggestion", "OO", name, names.object));
    if (!error.object || !suggestion.object) return;
    PyErr_Format(error.object, "there is no %s %R%S", what, name, suggestion.object);
}

// sets the velocities of a joint that are the users'
bool prescribe_joint(PyObject* name, const CoreModel& model, bool* mask) {
    PyObject* index = PyDict_GetItemWithError(model.joint_index, name);
    if (!index) {
        if (!PyErr_Occurred()) raise_unknown("joint", name, model.joint_index);
        return false;
    }
    const Link& link = model.tree.links[PyLong_AsLong(index)];
    bool own = false;
    for (int w = link.v; w < link.v + link.nv; ++w) {
        const int v = model.tree.user_v[w];
        if (v >= 0) own = mask[v] = true;
    }
    if (!own) {
        PyErr_Format(PyExc_ValueError,
                     "joint %R cannot be prescribed: it follows others and has no velocity of its "
                     "own",
                     name);
    }
    return own;
}

// a mask of another type than bool would be numbers of coordinates, or a mistake
bool copy_mask(PyObject* argument, const CoreModel& model, bool* mask) {
    // NumPy takes its time to find that an array is one
    Owned array(PyArray_Check(argument) ? Py_NewRef(argument) : PyArray_FROM_O(argument));
    PyErr_Clear();
    const npy_intp nv = model.tree.nv;
    if (!array.object || PyArray_TYPE(array.array()) != NPY_BOOL ||
        PyArray_NDIM(array.array()) != 1 || PyArray_SIZE(array.array()) != nv) {
        PyErr_Format(PyExc_ValueError,
                     "prescribed must be names of joints, or a mask of %zd bool, one for each "
                     "velocity; got %.200R",
                     nv, argument);
        return false;
    }
    for (npy_intp k = 0; k < nv; ++k) mask[k] = *(npy_bool*)PyArray_GETPTR1(array.array(), k);
    return true;
}

}  // namespace

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

bool fill_slots(const Prepared& p, PyObject* const* args, Py_ssize_t nargs, PyObject* names,
                PyObject** slots) {
    const char* method = p.algorithm->name;
    if (nargs > p.parameters.by_name) {
        const auto& all = p.parameters.names;
        const std::vector<const char*> positional(all.begin(), all.begin() + p.parameters.by_name);
        PyErr_Format(PyExc_TypeError, "%s() takes %s by position, got %zd arguments", method,
                     joined(positional).c_str(), nargs);
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
        if (!PyErr_Occurred()) raise_unknown("frame", argument, model.frame_index);
        return false;
    }
    *frame = int(PyLong_AsLong(index));
    return true;
}

bool read_prescribed(PyObject* argument, const CoreModel& model, const char* method, bool* mask) {
    if (!argument) {
        PyErr_Format(PyExc_TypeError, "%s() needs 'prescribed'", method);
        return false;
    }
    const bool listed = PyList_Check(argument) || PyTuple_Check(argument);
    const Py_ssize_t count = listed ? PySequence_Fast_GET_SIZE(argument) : 0;
    PyObject** items = listed ? PySequence_Fast_ITEMS(argument) : nullptr;
    if (!listed || (count > 0 && !PyUnicode_Check(items[0]))) {
        return copy_mask(argument, model, mask);
    }
    for (Py_ssize_t k = 0; k < count; ++k) {
        if (!prescribe_joint(items[k], model, mask)) return false;
    }
    return true;
}

int read_word(PyObject* argument, const Choice& choice) {
    if (!argument) return 0;
    if (PyUnicode_Check(argument)) {
        for (size_t k = 0; k < choice.words.size(); ++k) {
            if (PyUnicode_CompareWithASCIIString(argument, choice.words[k]) == 0) return int(k);
        }
    }
    PyErr_Format(PyExc_ValueError, "%s must be one of %s, got %R", choice.name,
                 joined(choice.words).c_str(), argument);
    return -1;
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

}  // namespace tarsus
