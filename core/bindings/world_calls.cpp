// What is asked of a world: sizes and numbers are checked here, the kernels do the rest.
#include "bindings/world_calls.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "bindings/quaternions.hpp"
#include "model/work_memory.hpp"

namespace tarsus {

void check_shape(const char* name, size_t rows, size_t columns, size_t states, size_t width,
                 bool or_one) {
    if (columns == width && (rows == states || (or_one && rows == 1))) return;
    throw std::invalid_argument(std::string(name) + " has shape (" + std::to_string(rows) + ", " +
                                std::to_string(columns) + "), expected (" + std::to_string(states) +
                                ", " + std::to_string(width) + ")");
}

void check_parameters(const World& world, const double* parameters, size_t states) {
    const size_t width = world.parameter_size(), masses = world.mass_scale();
    for (size_t s = 0; s < states; ++s) {
        const double* row = parameters + s * width;
        for (size_t k = 0; k < width; ++k) {
            const bool mass = k >= masses;
            if (std::isfinite(row[k]) && row[k] >= 0 && !(mass && row[k] == 0)) continue;
            throw std::invalid_argument("parameters[" + std::to_string(s) + ", " +
                                        std::to_string(k) + "] must be finite and " +
                                        (mass ? "positive" : "not negative"));
        }
    }
}

void check_positions(const World& world, const Numbers& q) {
    check_shape("q", q.shape[0], q.shape[1], q.shape[0], world.tree->nq, false);
    check_finite("q", q.data, q.size);
    check_quaternions(*world.tree, q.data, q.shape[0]);
}

namespace {

Result new_array(const std::vector<size_t>& shape, double** data) {
    size_t size = 1;
    for (size_t d : shape) size *= d;
    *data = new double[size]();
    nb::capsule owner(*data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return Result(*data, shape.size(), shape.data(), owner);
}

// q may be finite and what follows from it not: positions beyond 1e150, loops that do not close
void check_places(const double* places, size_t size, size_t state) {
    for (size_t k = 0; k < size; ++k) {
        if (std::isfinite(places[k])) continue;
        throw std::invalid_argument("q of state " + std::to_string(state) +
                                    " is out of bounds: shapes have no finite place there");
    }
}

}  // namespace

Result contacts(const CoreWorld& self, nb::handle given) {
    const World& world = self.world;
    Owned keep;
    const Numbers q = given_array("q", given.ptr(), 2, keep);
    check_positions(world, q);
    double* out;
    const size_t states = q.shape[0], n = world.n_candidates();
    Result result = new_array({states, n, 7}, &out);
    const StepKernel& kernel = *kernels().step;
    WorkMemory memory;
    for (size_t s = 0; s < states; ++s) {
        kernel.contacts(world, q.data + s * world.tree->nq, out + 7 * n * s,
                        memory.get(kernel.bytes_one(world, kNoParts)));
        check_places(out + 7 * n * s, 7 * n, s);
    }
    return result;
}

nb::tuple contact_operator(const CoreWorld& self, nb::handle given,
                           const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too) {
    const World& world = self.world;
    const size_t nv = world.tree->nv, rows = 3 * candidates.size();
    Owned keep;
    const Numbers q = given_array("q", given.ptr(), 2, keep);
    check_positions(world, q);
    for (int c : candidates) {
        if (c < 0 || c >= world.n_candidates()) {
            throw std::invalid_argument("candidates must be from 0 to " +
                                        std::to_string(world.n_candidates() - 1));
        }
    }
    check_finite("mass_scale", mass_scale.data(), mass_scale.size());
    if (!mass_scale.empty() && mass_scale.size() != size_t(world.tree->n_bodies)) {
        throw std::invalid_argument("mass_scale must have a number for each body");
    }
    double *A, *J = nullptr;
    const size_t states = q.shape[0];
    const Result first = new_array({states, rows, rows}, &A);
    nb::object second = nb::none();
    if (rows_too) second = nb::cast(new_array({states, rows, nv}, &J));
    const StepKernel& kernel = *kernels().step;
    WorkMemory memory;
    for (size_t s = 0; s < states; ++s) {
        kernel.contact_operator(world, q.data + s * world.tree->nq,
                                mass_scale.empty() ? nullptr : mass_scale.data(), candidates,
                                A + s * rows * rows, J ? J + s * rows * nv : nullptr,
                                memory.get(kernel.bytes_one(world, kNoParts)));
    }
    return nb::make_tuple(first, second);
}

Result solve_lcp_of(nb::handle matrix, nb::handle vector) {
    Owned keep_A, keep_b;
    const Numbers A = given_array("A", matrix.ptr(), 2, keep_A);
    const Numbers b = given_array("b", vector.ptr(), 1, keep_b);
    const size_t n = b.size;
    check_shape("A", A.shape[0], A.shape[1], n, n, false);
    check_finite("A", A.data, A.size);
    check_finite("b", b.data, n);
    double* u;
    Result result = new_array({n}, &u);
    const LcpReport report = kernels().step->solve_lcp(int(n), A.data, b.data, u);
    if (report.end == LcpEnd::ray)
        throw std::runtime_error("Lemke's method ended on a ray: no solution found");
    if (report.end == LcpEnd::tired)
        throw std::runtime_error("Lemke's method took too many pivots");
    return result;
}

}  // namespace tarsus
