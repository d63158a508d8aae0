// Mistakes with work memory, made on purpose: only in builds with AddressSanitizer, which must stop
// the process at each of them.
#ifdef TARSUS_SANITIZE

#include "bindings/guard_checks.hpp"

#include <atomic>
#include <new>

#include "bindings/thread_pool.hpp"
#include "dynamics/arguments.hpp"

namespace tarsus {

namespace nb = nanobind;
using namespace TARSUS_ISA;

namespace {

// an element of the first of two neighbouring blocks, as it is before anyone has set it
double element_of_scratch(size_t count, size_t element) {
    WorkMemory memory;
    Scratch scratch(memory.get(2 * bytes_of<double>(count)));
    const double* first = scratch.take<double>(count);
    scratch.take<double>(count);
    return first[element];
}

double read_after_return() {
    std::byte* gone;
    {
        WorkMemory memory;
        gone = memory.get(64);
    }
    return *reinterpret_cast<double*>(gone);
}

// every share but the caller's own throws; how many did
long throw_in_threads(long helpers) {
    std::atomic<long> thrown{0};
    const auto work = [&](long share) {
        while (share == 0 && thrown == 0) {
        }
        if (share > 0) {
            ++thrown;
            throw std::bad_alloc();
        }
    };
    try {
        run_with_helpers(helpers, work);
    } catch (const std::bad_alloc&) {
        return thrown;
    }
    return 0;
}

}  // namespace

void bind_guard_checks(nb::module_& m) {
    m.def("_element_of_scratch", &element_of_scratch, nb::arg("count"), nb::arg("element"));
    m.def("_read_after_return", &read_after_return);
    m.def("_throw_in_threads", &throw_in_threads, nb::arg("helpers"));
}

}  // namespace tarsus

#endif
