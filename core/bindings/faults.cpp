#include "bindings/faults.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "bindings/quaternions.hpp"

namespace tarsus {

namespace {

double value_at(const Call& call, const Fault& fault) {
    if (fault.input < kInputs) {
        return call.in[fault.input][fault.state * call.stride[fault.input] + fault.element];
    }
    return *call.place(fault.state, fault.element);
}

// " of state (1, 2)" for the leading dimensions, or nothing
std::string state_text(long state, const std::vector<npy_intp>& lead) {
    std::string index;
    for (size_t k = lead.size(); k-- > 0; state /= lead[k]) {
        index = std::to_string(state % lead[k]) + (index.empty() ? "" : ", ") + index;
    }
    if (lead.size() > 1) index = "(" + index + ")";
    return index.empty() ? "" : " of state " + index;
}

// raises for a coupling or loop without an answer; false if there is none
bool raise_closure_fault(const Algorithm& algorithm, const Tree& tree, const Call& call,
                         const Fault& fault, const std::string& state) {
    using Reason = ClosureFault::Reason;
    if (!algorithm.spans) return false;
    const double* table =
        call.in[kTable] ? call.in[kTable] + fault.state * call.stride[kTable] : nullptr;
    const double* q = call.in[0] + fault.state * call.stride[0];
    const bool steps = !std::strcmp(algorithm.name, "integrate");
    const double* dv = steps ? call.in[1] + fault.state * call.stride[1] : nullptr;
    const ClosureFault found = kernels().closure_fault(tree, table, q, dv);
    const char* name = found.reason == Reason::none       ? ""
                       : found.reason == Reason::coupling ? tree.coupling_names[found.index].c_str()
                                                          : tree.loop_names[found.index].c_str();
    switch (found.reason) {
        case Reason::none:
            return false;
        case Reason::coupling:
            PyErr_Format(PyExc_ArithmeticError, "%s: coupling '%s' has no solution at q%s",
                         algorithm.name, name, state.c_str());
            return true;
        case Reason::open: {
            Owned gap(PyFloat_FromDouble(found.gap));
            PyErr_Format(PyExc_ArithmeticError,
                         "%s: loop '%s' cannot be closed near q%s, where it is open by %R; "
                         "change the independent joints, or start nearer to a closed configuration",
                         algorithm.name, name, state.c_str(), gap.object);
            return true;
        }
        case Reason::singular:
            PyErr_Format(PyExc_ArithmeticError,
                         "%s: loop '%s' is in a singular position at q%s: its dependent joints do "
                         "not follow from the independent ones there",
                         algorithm.name, name, state.c_str());
            return true;
        case Reason::lost:
            PyErr_Format(
                PyExc_ArithmeticError,
                "%s: loop '%s' cannot follow the step from q to q + dv%s: it would open or "
                "pass a singular position; take a smaller step",
                algorithm.name, name, state.c_str());
            return true;
    }
    return false;
}

}  // namespace

PyObject* raise_fault(const Algorithm& algorithm, const Tree& tree, const Call& call,
                      const Fault& fault, const std::vector<npy_intp>& lead) {
    const std::string state = state_text(fault.state, lead);
    Owned number(PyFloat_FromDouble(value_at(call, fault)));
    if (!number.object) return nullptr;
    if (fault.input == kTable) {
        return PyErr_Format(PyExc_ValueError, "a coupling function has no finite result%s",
                            state.c_str());
    }
    if (fault.input < kInputs) {
        return PyErr_Format(PyExc_ValueError, "%s must be finite: element %d%s is %R",
                            algorithm.inputs[fault.input].name, fault.element, state.c_str(),
                            number.object);
    }
    for (size_t i = 0; i < algorithm.inputs.size(); ++i) {
        if (algorithm.inputs[i].shape != Shape::q) continue;
        const double* q = call.in[i] + fault.state * call.stride[i];
        const int at = lost_quaternion(tree, q);
        if (at < 0) continue;
        const char* name = algorithm.inputs[i].name;
        PyErr_SetString(PyExc_ValueError, lost_quaternion_text(name, q, at, state).c_str());
        return nullptr;
    }
    if (raise_closure_fault(algorithm, tree, call, fault, state)) return nullptr;
    if (algorithm.prescribes && tree.n_constraints > 0 && std::isnan(value_at(call, fault))) {
        std::string loops;
        for (size_t k = 0; k < tree.loops.size(); ++k) {
            if (tree.loops[k].cluster >= 0) continue;
            loops += (loops.empty() ? "'" : ", '") + tree.loop_names[k] + "'";
        }
        return PyErr_Format(PyExc_ArithmeticError,
                            "%s: no motion%s has the prescribed accelerations and keeps the loops "
                            "closed that are constraints (%s), or a joint moves no inertia",
                            algorithm.name, state.c_str(), loops.c_str());
    }
    const bool divides = algorithm.choice == &kMethod || algorithm.prescribes ||
                         !std::strcmp(algorithm.name, "inverse_mass_matrix") ||
                         !std::strcmp(algorithm.name, "forward_dynamics_derivatives");
    const char* why = !divides ? "the numbers overflow"
                      : tree.total_mass > 0
                          ? "a joint moves no inertia, so that the mass matrix is "
                            "singular, or the numbers overflow"
                          : "nothing has mass";
    const bool rolls = std::any_of(tree.links.begin(), tree.links.end(),
                                   [](const Link& link) { return link.kind == Kind::rolling; });
    const char* off =
        rolls ? ", or what rolls lies flat, does not fit into its ground or has left it" : "";
    return PyErr_Format(PyExc_ArithmeticError, "%s has no finite result: element %d%s is %R; %s%s",
                        algorithm.name, fault.element, state.c_str(), number.object, why, off);
}

}  // namespace tarsus
