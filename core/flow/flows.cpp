#include "flow/flows.hpp"

#include "flow/compliant_forces.hpp"
#include "flow/contact_flows.hpp"
#include "flow/hybrid_kernel.hpp"
#include "flow/part_forces.hpp"
#include "flow/projection.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

std::unique_ptr<Flow> make(FlowMethod method, const Tree& tree, const FlowNumbers& numbers,
                           Outside& outside) {
    constexpr decltype(&make_radau) kMakers[] = {make_radau, make_gauss, make_dormand_prince,
                                                 make_runge_kutta};
    return kMakers[int(method)](tree, numbers, outside);
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

bool compliant_forces(const World& world, const CompliantNumbers& numbers, long n,
                      const double* parameters, long parameter_stride, const double* q,
                      const double* v, const double* deformation, const double* on, double* tau,
                      double* rates, double* records) {
    CompliantForces forces(world, numbers);
    return forces(n, parameters, parameter_stride, q, v, deformation, on, tau, rates, records);
}

}  // namespace

extern const FlowKernel flow_kernel;
const FlowKernel flow_kernel = {make,       project,           part_forces,      held_accelerations,
                                run_hybrid, make_contact_flow, compliant_forces, run_compliant};

}  // namespace tarsus::TARSUS_ISA
