// The algorithms as methods of Model: one table states names, shapes and documentation, and one
// function reads the arguments of all of them.
#pragma once

#include <Python.h>

#include <string>
#include <utility>
#include <vector>

#include "bindings/named_arrays.hpp"
#include "model/kernel.hpp"

namespace tarsus {

// What the bindings keep for each model.
struct CoreModel {
    Tree tree;
    PyObject* frame_index;  // dict: name → index, owned
    PyObject* joint_index;  // dict: name → body that it carries, owned
    PyObject* functions;    // tabulates the users' coupling functions, owned; or null

    CoreModel(Tree t, PyObject* frames, PyObject* joints, PyObject* f)
        : tree(std::move(t)), frame_index(frames), joint_index(joints), functions(f) {}
    CoreModel(const CoreModel&) = delete;
    CoreModel& operator=(const CoreModel&) = delete;
    ~CoreModel() {
        Py_XDECREF(frame_index);
        Py_XDECREF(joint_index);
        Py_XDECREF(functions);
    }
};

// shapes of one state's inputs and outputs
enum class Shape {
    q,
    v,
    wrenches,
    poses,
    pose,
    spatial,
    jacobian,
    matrix,
    vector,
    vector_jacobian,
    number,
    joints_q,
    joints_v,
    coupling,
    loop_rows,
    constraint_rows,
    loop_wrenches,
    symbols,
    packed_symbols,
    regressor
};

struct Input {
    const char* name;
    Shape shape;
    bool optional = false;
};

// an argument that is one of several words, the first by default
struct Choice {
    const char* name;
    std::vector<const char*> words;
};
extern const Choice kReference, kMethod, kFactorization;

struct Algorithm {
    const char* name;
    const Kernel* Kernels::* kernel;
    std::vector<Input> inputs;
    Shape output;
    bool of_frame;  // takes frame=
    const Choice* choice;
    const char* summary;
    bool spans = true;  // it needs the joints that follow q, and so the users' functions
    const NamedArrays* named = nullptr;  // returns several arrays of the shape, by name
    bool thirds = false;                 // it needs third derivatives of the users' functions
    bool prescribes = false;             // takes prescribed=

    int parts() const { return named ? int(named->fields.size()) : 1; }
};

const std::vector<Algorithm>& algorithms();

// dimensions of a shape in a model, outermost first
struct Dimensions {
    int count;
    Py_ssize_t size[3];

    const Py_ssize_t* begin() const { return size; }
    const Py_ssize_t* end() const { return size + count; }
    Py_ssize_t product() const {
        Py_ssize_t n = 1;
        for (Py_ssize_t d : *this) n *= d;
        return n;
    }
};
Dimensions dimensions(Shape shape, const Tree& tree);
const char* shape_name(Shape shape);  // as in the documentation: "(…, nq)"

// the parameters of an algorithm, in order; those from by_name on are keyword-only
struct Parameters {
    std::vector<const char*> names;
    int required, frame, choice, prescribed, threads, out, by_name;
};
Parameters parameters(const Algorithm& algorithm);

// the kernels that this process uses, and all variants that this processor could use
const Kernels& kernels();
std::vector<std::string> usable_instruction_sets();

}  // namespace tarsus
