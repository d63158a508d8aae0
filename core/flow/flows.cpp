#include "flow/flows.hpp"

#include "flow/projection.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

std::unique_ptr<Flow> make(FlowMethod method, const Tree& tree, const FlowNumbers& numbers,
                           Outside& outside) {
    return (method == FlowMethod::radau ? make_radau : make_gauss)(tree, numbers, outside);
}

bool project(const Tree& tree, Outside& outside, double* q, double* v) {
    Calls calls(tree, outside);
    return Projection(tree)(calls, q, v);
}

}  // namespace

extern const FlowKernel flow_kernel;
const FlowKernel flow_kernel = {make, project};

}  // namespace tarsus::TARSUS_ISA
