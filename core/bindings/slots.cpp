#include "bindings/slots.hpp"

#include "bindings/numpy.hpp"

namespace tarsus {

namespace {

std::string joined(const std::vector<const char*>& names) {
    std::string text;
    for (const char* name : names) text += (text.empty() ? "" : ", ") + std::string(name);
    return text;
}

// as Model.frame() does, with the names that the model has
void raise_unknown_frame(PyObject* name, PyObject* frame_index) {
    Owned checks(PyImport_ImportModule("tarsus.model.checks"));
    Owned names(PySequence_List(frame_index));
    if (!checks.object || !names.object) return;
    Owned error(PyObject_GetAttrString(checks.object, "UnknownNameError"));
    Owned suggestion(PyObject_CallMethod(checks.object, "suggestion", "OO", name, names.object));
    if (!error.object || !suggestion.object) return;
    PyErr_Format(error.object, "there is no frame %R%S", name, suggestion.object);
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
    if (nargs > p.parameters.threads) {
        const auto& all = p.parameters.names;
        const std::vector<const char*> positional(all.begin(), all.begin() + p.parameters.threads);
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
        if (!PyErr_Occurred()) raise_unknown_frame(argument, model.frame_index);
        return false;
    }
    *frame = int(PyLong_AsLong(index));
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
