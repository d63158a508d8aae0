// What is asked of a world: sizes and numbers are checked here, the kernels do the rest.
#include "bindings/world_calls.hpp"

#include <atomic>
#include <cmath>
#include <new>
#include <stdexcept>
#include <string>

#include "bindings/records.hpp"
#include "bindings/thread_pool.hpp"
#include "bindings/work_memory.hpp"

namespace tarsus {

namespace {

void check(const char* name, size_t rows, size_t columns, size_t states, size_t width,
           bool or_one) {
    if (columns == width && (rows == states || (or_one && rows == 1))) return;
    throw std::invalid_argument(std::string(name) + " has shape (" + std::to_string(rows) + ", " +
                                std::to_string(columns) + "), expected (" + std::to_string(states) +
                                ", " + std::to_string(width) + ")");
}
// a rotor inside a gear is part of its carrier and is scaled with it
void check_mass_scale(const World& world, const double* scale) {
    for (const Spin& spin : world.tree->spins) {
        const double own = scale[spin.body];
        if (spin.parent < 0 || own == 1.0 || own == scale[spin.parent]) continue;
        throw std::invalid_argument("mass_scale of body " + std::to_string(spin.body) +
                                    ", a rotor inside a gear, must be that of its carrier, body " +
                                    std::to_string(spin.parent));
    }
}
// what cannot be: negative friction, bodies without mass
void check_parameters(const World& world, const Given& parameters) {
    const size_t width = world.parameter_size();
    for (size_t k = 0; k < parameters.size(); ++k) {
        const size_t column = k % width;
        const bool mass = column >= size_t(world.mass_scale());
        const double x = parameters.data()[k];
        if (!std::isfinite(x) || x < 0 || (mass && x == 0)) {
            throw std::invalid_argument("parameters[" + std::to_string(k / width) + ", " +
                                        std::to_string(column) + "] must be finite and " +
                                        (mass ? "positive" : "not negative"));
        }
    }
    for (size_t s = 0; s < parameters.shape(0); ++s) {
        check_mass_scale(world, parameters.data() + s * width + world.mass_scale());
    }
}
void check_finite(const char* name, const double* a, size_t size) {
    for (size_t k = 0; k < size; ++k) {
        if (!std::isfinite(a[k])) {
            throw std::invalid_argument(std::string(name) + " must be finite, element " +
                                        std::to_string(k) + " is not");
        }
    }
}

Result new_array(const std::vector<size_t>& shape, double** data) {
    size_t size = 1;
    for (size_t d : shape) size *= d;
    *data = new double[size]();
    nb::capsule owner(*data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    return Result(*data, shape.size(), shape.data(), owner);
}

// the states of a call, with all sizes checked
Run states_of(const World& world, const Matrix& q, const Matrix& v, const Matrix& memory,
              const Given& parameters) {
    const size_t states = q.shape(0);
    check("q", q.shape(0), q.shape(1), states, world.tree->nq, false);
    check("v", v.shape(0), v.shape(1), states, world.tree->nv, false);
    check("memory", memory.shape(0), memory.shape(1), states, world.memory_size(), false);
    Run run;
    run.states = long(states), run.q = q.data(), run.v = v.data(), run.memory = memory.data();
    check("parameters", parameters.shape(0), parameters.shape(1), states, world.parameter_size(),
          true);
    check_parameters(world, parameters);
    check_finite("q", q.data(), q.size());
    check_finite("v", v.data(), v.size());
    check_finite("memory", memory.data(), memory.size());
    run.parameters = parameters.data();
    run.parameter_stride = parameters.shape(0) == 1 ? 0 : world.parameter_size();
    return run;
}

void read_commands(const World& world, const Commands& commands, Run& run) {
    check("commands", commands.shape(0), commands.shape(2), run.states, world.command_size(), true);
    if (commands.shape(1) < 1) throw std::invalid_argument("commands has no rows");
    check_finite("commands", commands.data(), commands.size());
    run.commands = commands.data(), run.n_commands = long(commands.shape(1));
    run.command_stride =
        commands.shape(0) == 1 ? 0 : long(commands.shape(1)) * world.command_size();
}

// Threads take groups of lanes; one state alone takes the short way.
void advance_all(const World& world, const Run& run, int threads) {
    const StepKernel& kernel = *kernels().step;
    if (run.states == 1) {
        return kernel.one(world, run, 0, work_memory(kernel.bytes_one(world)));
    }
    const long lanes = kernels().lanes, groups = (run.states + lanes - 1) / lanes;
    const long workers = std::max(1L, std::min<long>(threads, groups));
    const size_t bytes = (kernel.bytes_lanes(world) + 63) / 64 * 64;
    std::byte* memory = work_memory(bytes * workers);
    std::atomic<long> next{0};
    std::atomic<bool> exhausted{false};  // no exception may leave a thread of the pool
    run_with_helpers(workers - 1, [&](long worker) {
        try {
            for (long k = next++; k < groups; k = next++) {
                kernel.lanes(world, run, k * lanes, std::min(run.states, (k + 1) * lanes),
                             memory + bytes * worker);
            }
        } catch (const std::bad_alloc&) {
            exhausted = true;
        }
    });
    if (exhausted) throw std::bad_alloc();
}

}  // namespace

Result advance(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
               const Given& parameters, const Commands& commands, long hold, long first_step,
               long steps, long every, int threads, bool ledger, nb::object record) {
    const World& world = self.world;
    if (hold < 1 || every < 1 || steps < 0 || first_step < 0 || threads < 1 || threads > 1024) {
        throw std::invalid_argument(
            "hold, every and threads must be at least 1, steps and first_step at least 0");
    }
    Run run = states_of(world, q, v, memory, parameters);
    read_commands(world, commands, run);
    const size_t states = q.shape(0);
    run.hold = hold, run.first_step = first_step, run.steps = steps, run.every = every;
    run.ledger = ledger;
    read_record(world, record, run);
    refuse_overlaps(world, run);
    double* status;
    Result result = new_array({states, size_t(kStatus)}, &status);
    run.status = status;
    for (size_t s = 0; s < states; ++s) {
        status[kStatus * s] = run.memory[s * world.memory_size() + world.failed()];
    }
    if (states == 0) return result;
    nb::gil_scoped_release release;
    advance_all(world, run, threads);
    return result;
}

Result energies(const CoreWorld& self, const Matrix& q, const Matrix& v, const Matrix& memory,
                const Given& parameters) {
    const World& world = self.world;
    const Run run = states_of(world, q, v, memory, parameters);
    double* out;
    Result result = new_array({q.shape(0), size_t(world.energy_size())}, &out);
    const StepKernel& kernel = *kernels().step;
    kernel.energies(world, run, out, work_memory(kernel.bytes_one(world)));
    return result;
}

Result contacts(const CoreWorld& self, const Given& q) {
    const World& world = self.world;
    check("q", q.shape(0), q.shape(1), q.shape(0), world.tree->nq, false);
    check_finite("q", q.data(), q.size());
    double* out;
    const size_t n = world.n_candidates();
    Result result = new_array({q.shape(0), n, 7}, &out);
    const StepKernel& kernel = *kernels().step;
    for (size_t s = 0; s < q.shape(0); ++s) {
        kernel.contacts(world, q.data() + s * world.tree->nq, out + 7 * n * s,
                        work_memory(kernel.bytes_one(world)));
    }
    return result;
}

nb::tuple contact_operator(const CoreWorld& self, const Given& q,
                           const std::vector<int>& candidates,
                           const std::vector<double>& mass_scale, bool rows_too) {
    const World& world = self.world;
    const size_t nv = world.tree->nv, rows = 3 * candidates.size();
    check("q", q.shape(0), q.shape(1), q.shape(0), world.tree->nq, false);
    check_finite("q", q.data(), q.size());
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
    if (!mass_scale.empty()) check_mass_scale(world, mass_scale.data());
    double *A, *J = nullptr;
    const Result first = new_array({q.shape(0), rows, rows}, &A);
    nb::object second = nb::none();
    if (rows_too) second = nb::cast(new_array({q.shape(0), rows, nv}, &J));
    const StepKernel& kernel = *kernels().step;
    for (size_t s = 0; s < q.shape(0); ++s) {
        kernel.contact_operator(world, q.data() + s * world.tree->nq,
                                mass_scale.empty() ? nullptr : mass_scale.data(), candidates,
                                A + s * rows * rows, J ? J + s * rows * nv : nullptr,
                                work_memory(kernel.bytes_one(world)));
    }
    return nb::make_tuple(first, second);
}

Result solve_lcp_of(const Given& A, const GivenVector& b) {
    const size_t n = b.shape(0);
    check("A", A.shape(0), A.shape(1), n, n, false);
    check_finite("A", A.data(), A.size());
    check_finite("b", b.data(), n);
    double* u;
    Result result = new_array({n}, &u);
    const LcpReport report = kernels().step->solve_lcp(int(n), A.data(), b.data(), u);
    if (report.end == LcpEnd::ray)
        throw std::runtime_error("Lemke's method ended on a ray: no solution found");
    if (report.end == LcpEnd::tired)
        throw std::runtime_error("Lemke's method took too many pivots");
    return result;
}

}  // namespace tarsus
