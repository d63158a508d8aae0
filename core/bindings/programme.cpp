// Quadratic programmes of inverse kinematics: arrays in, arrays out, problems shared by threads.
#include "bindings/programme.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "bindings/algorithms.hpp"
#include "bindings/arguments.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/thread_pool.hpp"
#include "kinematics/programme.hpp"

namespace nb = nanobind;

namespace tarsus {

namespace {

constexpr long kChunk = 64;  // problems that a thread takes at once, where others wait
constexpr long kLongChunk = 1024;

// numbers for each problem, the same for all, or one number for everything
struct Rows {
    Owned keep;
    std::vector<double> repeated;
    const double* data = nullptr;
    long stride = 0;

    void read(const char* name, nb::handle given, long count, size_t width) {
        keep.reset(PyArray_FROM_OTF(given.ptr(), NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
        if (!keep.object) throw PythonError();
        const size_t size = size_t(PyArray_SIZE(keep.array()));
        data = static_cast<const double*>(PyArray_DATA(keep.array()));
        if (size == size_t(count) * width) {
            stride = long(width);
        } else if (size == 1) {
            repeated.assign(width, *data);
            data = repeated.data();
        } else if (size != width) {
            throw std::invalid_argument(std::string(name) + " has the wrong size");
        }
    }
    const double* at(long k) const { return data + k * stride; }
};

template <class X>
struct Made {
    nb::object object;
    X* data;

    Made(std::vector<npy_intp> shape, int type) {
        PyObject* made = PyArray_SimpleNew(int(shape.size()), shape.data(), type);
        if (!made) throw PythonError();
        object = nb::steal(made);
        data = static_cast<X*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
    }
};

void run(const ProgrammeShape& shape, const std::vector<Programme>& given,
         std::vector<ProgrammeAnswer>& answers, int threads, InterruptCheck& interrupt) {
    const ProgrammeKernel& kernel = *kernels().programme;
    const long count = long(given.size()), chunks = (count + kChunk - 1) / kChunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    // with one worker the lanes rarely wait for a chunk to end
    const long step = workers == 1 ? kLongChunk : kChunk;
    std::atomic<long> next{0};
    run_with_helpers(workers - 1, [&](long) {
        for (long k = next.fetch_add(step); k < count && !interrupt.stopped();
             k = next.fetch_add(step))
            kernel.solve(shape, given.data() + k, answers.data() + k, std::min(step, count - k));
    });
}

constexpr const char* kInputNames[] = {"task", "target", "weight",  "damping",  "reference", "low",
                                       "high", "row",    "row_low", "row_high", "penalty"};
constexpr int kInputCount = 11;

nb::tuple solve_programmes(const std::vector<npy_intp>& lead, int variables, int tasks, int rows,
                           nb::list arrays, nb::handle start, std::vector<int> levels,
                           int most_passes, double tolerance, int threads) {
    if (variables < 0 || tasks < 0 || rows < 0 ||
        std::any_of(lead.begin(), lead.end(), [](npy_intp size) { return size < 0; }))
        throw std::invalid_argument("sizes must not be negative");
    long count = 1;
    for (npy_intp size : lead) count *= size;
    if (most_passes < 1 || !(tolerance > 0) || threads < 1 || threads > 1024)
        throw std::invalid_argument("most_passes, tolerance and threads must be positive");
    ProgrammeShape shape;
    shape.variables = variables, shape.tasks = tasks, shape.rows = rows;
    long stated = 0;
    for (int level : levels) {
        if (level < 0) throw std::invalid_argument("levels must not be negative");
        stated += level;
    }
    if (stated != tasks || levels.empty())
        throw std::invalid_argument("levels must add up to the tasks");
    shape.levels = std::move(levels), shape.most_passes = most_passes, shape.tolerance = tolerance;
    const size_t n = size_t(variables), m = size_t(tasks), r = size_t(rows);

    if (arrays.size() != kInputCount) throw std::invalid_argument("there must be eleven arrays");
    const size_t widths[kInputCount] = {m * n, m, m, n, n, n, n, r * n, r, r, r};
    Rows in[kInputCount];
    for (int k = 0; k < kInputCount; ++k) in[k].read(kInputNames[k], arrays[k], count, widths[k]);
    const signed char* begin = nullptr;
    long begin_stride = 0;
    if (!start.is_none()) {
        PyArrayObject* array = reinterpret_cast<PyArrayObject*>(start.ptr());
        if (!PyArray_Check(start.ptr()) || PyArray_TYPE(array) != NPY_INT8 ||
            !PyArray_ISCARRAY_RO(array) || PyArray_NDIM(array) != 2 ||
            PyArray_DIM(array, 1) != npy_intp(n + r) ||
            (PyArray_DIM(array, 0) != 1 && PyArray_DIM(array, 0) != count))
            throw std::invalid_argument("start has the wrong shape or type");
        begin = static_cast<const signed char*>(PyArray_DATA(array));
        begin_stride = PyArray_DIM(array, 0) == 1 ? 0 : long(n + r);
        for (npy_intp k = 0; k < PyArray_SIZE(array); ++k) {
            if (begin[k] < -2 || begin[k] > 2)
                throw std::invalid_argument("start must be from -2 to 2");
        }
    }

    const auto shaped = [&](size_t own) {
        std::vector<npy_intp> whole = lead;
        whole.push_back(npy_intp(own));
        return whole;
    };
    Made<double> v(shaped(n), NPY_DOUBLE), bound_force(shaped(n), NPY_DOUBLE);
    Made<double> task_force(shaped(m), NPY_DOUBLE), row_force(shaped(r), NPY_DOUBLE);
    Made<double> slack(shaped(r), NPY_DOUBLE), missed(lead, NPY_DOUBLE);
    Made<signed char> at(shaped(n + r), NPY_INT8);
    Made<int64_t> end(lead, NPY_INT64), worst(lead, NPY_INT64), passes(lead, NPY_INT64);
    std::vector<Programme> given(count);
    std::vector<ProgrammeAnswer> answers(count);
    for (long k = 0; k < count; ++k) {
        given[k] = {in[0].at(k), in[1].at(k),  in[2].at(k),
                    in[3].at(k), in[4].at(k),  in[5].at(k),
                    in[6].at(k), in[7].at(k),  in[8].at(k),
                    in[9].at(k), in[10].at(k), begin ? begin + k * begin_stride : nullptr};
        ProgrammeAnswer& answer = answers[k];
        answer.v = v.data + k * n, answer.bound_force = bound_force.data + k * n;
        answer.task_force = task_force.data + k * m, answer.row_force = row_force.data + k * r;
        answer.slack = slack.data + k * r, answer.at = at.data + k * (n + r);
    }
    InterruptCheck interrupt;
    {
        const GilRelease release;
        run(shape, given, answers, threads, interrupt);
    }
    if (interrupt.stopped()) throw PythonError();
    for (long k = 0; k < count; ++k) {
        end.data[k] = int64_t(answers[k].end), worst.data[k] = answers[k].worst;
        passes.data[k] = answers[k].passes, missed.data[k] = answers[k].missed;
    }
    return nb::make_tuple(v.object, bound_force.object, task_force.object, row_force.object,
                          slack.object, at.object, end.object, worst.object, missed.object,
                          passes.object);
}

}  // namespace

void bind_programme(nb::module_& m) {
    m.def("solve_programmes", &solve_programmes, nb::arg("lead"), nb::arg("variables"),
          nb::arg("tasks"), nb::arg("rows"), nb::arg("arrays"), nb::arg("start").none(),
          nb::arg("levels"), nb::arg("most_passes"), nb::arg("tolerance"), nb::arg("threads"),
          "Solutions of quadratic programmes with these leading dimensions. Each of the arrays "
          "task, target, weight, "
          "damping, reference, low, high, row, row_low, row_high and penalty has numbers for each "
          "problem, the same for all, or one. Returns v, forces of bounds, tasks and rows, slacks, "
          "what bounds and rows are at, how each ended, what it misses most and by how much, and "
          "its passes.");
}

}  // namespace tarsus
