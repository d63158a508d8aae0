#include "flow/flows.hpp"

#include "flow/part_forces.hpp"
#include "flow/projection.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

std::unique_ptr<Flow> make(FlowMethod method, const Tree& tree, const FlowNumbers& numbers,
                           Outside& outside) {
    return (method == FlowMethod::radau ? make_radau : make_gauss)(tree, numbers, outside);
}

bool project(const Tree& tree, const Parts& parts, const double* numbers, Outside& outside,
             double* q, double* v) {
    Calls calls(tree, outside);
    return Projection(tree, parts, numbers)(calls, q, v);
}

bool part_forces(const Tree& tree, const Parts& parts, const double* numbers, Outside& outside,
                 long n, const double* q, const double* v, double* tau, double* records) {
    return PartForces(tree, parts, numbers)(n, outside.table(q, n), q, v, tau, records);
}

bool held_accelerations(const Tree& tree, const Parts& parts, const double* numbers,
                        Outside& outside, long n, const double* q, const double* v,
                        const double* tau, double* a, double* records) {
    HeldRows held(tree, parts, numbers, HeldRows::Which::all);
    return held.accelerate(n, outside.table(q, n), q, v, tau, a, records);
}

}  // namespace

extern const FlowKernel flow_kernel;
const FlowKernel flow_kernel = {make, project, part_forces, held_accelerations};

}  // namespace tarsus::TARSUS_ISA
