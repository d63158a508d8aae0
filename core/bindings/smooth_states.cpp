// Functions of states in smooth motions: the nearest one that is closed, and what parts do there.
#include "bindings/flow_arguments.hpp"

namespace tarsus {

namespace {

nb::tuple project_state(nb::object model, nb::handle given_q, nb::handle given_v,
                        nb::handle given_parts, nb::handle given_numbers) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const size_t nq = core.tree.nq, nv = core.tree.nv;
    Owned own_q, own_v;
    const Numbers q = state_array("q", given_q, nq, own_q),
                  v = state_array("v", given_v, nv, own_v);
    std::vector<double> new_q(q.data, q.data + nq), new_v(v.data, v.data + nv);
    const Parts none;
    const Parts& parts = given_parts.is_none() ? none : smooth_parts(core.tree, given_parts);
    std::vector<double> numbers;
    if (!given_parts.is_none()) numbers = part_row(parts, given_numbers);
    PythonOutside outside(core);
    if (!kernels().flow->project(core.tree, parts, numbers.data(), outside, new_q.data(),
                                 new_v.data())) {
        PyErr_SetString(PyExc_ArithmeticError,
                        "loops or parts cannot be closed: the motion went through a singular "
                        "position, or they contradict each other");
        throw nb::python_error();
    }
    const Owned at_q(row_of(new_q.data(), npy_intp(nq))), at_v(row_of(new_v.data(), npy_intp(nv)));
    if (!at_q.object || !at_v.object) throw nb::python_error();
    return nb::make_tuple(nb::handle(at_q.object), nb::handle(at_v.object));
}

nb::tuple part_forces(nb::object model, nb::handle given_parts, nb::handle given_numbers,
                      nb::handle given_q, nb::handle given_v) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const Parts& parts = smooth_parts(core.tree, given_parts);
    const std::vector<double> numbers = part_row(parts, given_numbers);
    Owned own_q, own_v;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const size_t n = q.shape[0], nv = core.tree.nv, size = parts.record_size();
    check_shape("q", n, q.shape[1], n, core.tree.nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    std::vector<double> tau(n * nv), records(n * size);
    PythonOutside outside(core);
    if (n > 0 && !kernels().flow->part_forces(core.tree, parts, numbers.data(), outside, long(n),
                                              q.data, v.data, tau.data(), records.data())) {
        PyErr_SetString(PyExc_ArithmeticError, "forces of parts are not finite");
        throw nb::python_error();
    }
    return nb::make_tuple(rows_of(tau, npy_intp(n), npy_intp(nv)),
                          rows_of(records, npy_intp(n), npy_intp(size)));
}

nb::tuple held_accelerations(nb::object model, nb::handle given_parts, nb::handle given_numbers,
                             nb::handle given_q, nb::handle given_v, nb::handle given_tau) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    const Parts& parts = smooth_parts(core.tree, given_parts);
    const std::vector<double> numbers = part_row(parts, given_numbers);
    Owned own_q, own_v, own_tau;
    const Numbers q = given_array("q", given_q.ptr(), 2, own_q);
    const Numbers v = given_array("v", given_v.ptr(), 2, own_v);
    const Numbers tau = given_array("tau", given_tau.ptr(), 2, own_tau);
    const size_t n = q.shape[0], nv = core.tree.nv, size = parts.record_size();
    check_shape("q", n, q.shape[1], n, core.tree.nq, false);
    check_shape("v", v.shape[0], v.shape[1], n, nv, false);
    check_shape("tau", tau.shape[0], tau.shape[1], n, nv, false);
    std::vector<double> a(n * nv), records(n * size);
    PythonOutside outside(core);
    if (n > 0 &&
        !kernels().flow->held_accelerations(core.tree, parts, numbers.data(), outside, long(n),
                                            q.data, v.data, tau.data, a.data(), records.data())) {
        PyErr_SetString(PyExc_ArithmeticError, "accelerations are not finite");
        throw nb::python_error();
    }
    return nb::make_tuple(rows_of(a, npy_intp(n), npy_intp(nv)),
                          rows_of(records, npy_intp(n), npy_intp(size)));
}

}  // namespace

void bind_smooth_states(nb::module_& m) {
    m.def("part_forces", &part_forces, nb::arg("model").none(), nb::arg("parts").none(),
          nb::arg("numbers").none(), nb::arg("q").none(), nb::arg("v").none(),
          "Generalised forces (n, nv) of parts at states, and their records (n, parts × 14), with "
          "powers in the place of works.");
    m.def(
        "project_state", &project_state, nb::arg("model").none(), nb::arg("q").none(),
        nb::arg("v").none(), nb::arg("parts").none() = nb::none(),
        nb::arg("numbers").none() = nb::none(),
        "The nearest q and v with unit quaternions, closed loops, and parts held that are held at "
        "once, in the metric of the mass matrix.");
    m.def("held_accelerations", &held_accelerations, nb::arg("model").none(),
          nb::arg("parts").none(), nb::arg("numbers").none(), nb::arg("q").none(),
          nb::arg("v").none(), nb::arg("tau").none(),
          "Accelerations (n, nv) of states under forces tau (n, nv) and parts that are held, and "
          "records (n, parts × 14) of these, with powers in the place of works.");
}

}  // namespace tarsus
