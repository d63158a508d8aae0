// Quadratic programmes of inverse kinematics: arrays in, arrays out, problems shared by threads.
#include "bindings/programme.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "bindings/algorithms.hpp"
#include "bindings/arguments.hpp"
#include "bindings/thread_pool.hpp"
#include "kinematics/programme.hpp"

namespace nb = nanobind;

namespace tarsus {

namespace {

constexpr long kChunk = 64;  // problems that a thread takes at once

// an array with one row for all problems, or one for each
struct Rows {
    Owned keep;
    const double* data = nullptr;
    long stride = 0;

    void read(const char* name, nb::handle given, long count, size_t width) {
        take(name, given_array(name, given.ptr(), 2, keep), count, 1, width);
    }
    void read(const char* name, nb::handle given, long count, size_t height, size_t width) {
        take(name, given_array(name, given.ptr(), 3, keep), count, 2, height, width);
    }
    void take(const char* name, const Numbers& numbers, long count, int dimensions, size_t first,
              size_t second = 0) {
        const size_t own = numbers.shape[0];
        const bool fits =
            numbers.shape[1] == first && (dimensions == 1 || numbers.shape[2] == second);
        if (!fits || (own != 1 && own != size_t(count)))
            throw std::invalid_argument(std::string(name) + " has the wrong shape");
        data = numbers.data, stride = own > 1 ? long(numbers.size / own) : 0;
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
         std::vector<ProgrammeAnswer>& answers, int threads) {
    const ProgrammeKernel& kernel = *kernels().programme;
    const long count = long(given.size()), chunks = (count + kChunk - 1) / kChunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    // with one worker the lanes never wait for a chunk to end
    const long step = workers == 1 ? std::max(1L, count) : kChunk;
    std::atomic<long> next{0};
    run_with_helpers(workers - 1, [&](long) {
        for (long k = next.fetch_add(step); k < count; k = next.fetch_add(step))
            kernel.solve(shape, given.data() + k, answers.data() + k, std::min(step, count - k));
    });
}

nb::tuple solve_programmes(long count, nb::handle task, nb::handle target, nb::handle weight,
                           nb::handle damping, nb::handle reference, nb::handle low,
                           nb::handle high, nb::handle row, nb::handle row_low, nb::handle row_high,
                           nb::handle penalty, nb::handle start, std::vector<int> levels,
                           int most_passes, double tolerance, int threads) {
    Owned own_task, own_row;
    const Numbers tasks = given_array("task", task.ptr(), 3, own_task);
    const Numbers rows = given_array("row", row.ptr(), 3, own_row);
    ProgrammeShape shape;
    shape.tasks = int(tasks.shape[1]), shape.variables = int(tasks.shape[2]);
    shape.rows = int(rows.shape[1]);
    long stated = 0;
    for (int level : levels) {
        if (level < 0) throw std::invalid_argument("levels must not be negative");
        stated += level;
    }
    if (stated != shape.tasks || levels.empty())
        throw std::invalid_argument("levels must add up to the tasks");
    if (count < 0 || most_passes < 1 || !(tolerance > 0) || threads < 1 || threads > 1024)
        throw std::invalid_argument("most_passes, tolerance and threads must be positive");
    shape.levels = std::move(levels), shape.most_passes = most_passes, shape.tolerance = tolerance;
    const size_t n = size_t(shape.variables), m = size_t(shape.tasks), r = size_t(shape.rows);

    Rows in[11];
    in[0].read("task", task, count, m, n), in[1].read("target", target, count, m);
    in[2].read("weight", weight, count, m), in[3].read("damping", damping, count, n);
    in[4].read("reference", reference, count, n), in[5].read("low", low, count, n);
    in[6].read("high", high, count, n), in[7].read("row", row, count, r, n);
    in[8].read("row_low", row_low, count, r), in[9].read("row_high", row_high, count, r);
    in[10].read("penalty", penalty, count, r);
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

    const npy_intp size = count, wide = npy_intp(n), high_of = npy_intp(m), below = npy_intp(r);
    Made<double> v({size, wide}, NPY_DOUBLE), bound_force({size, wide}, NPY_DOUBLE);
    Made<double> task_force({size, high_of}, NPY_DOUBLE), row_force({size, below}, NPY_DOUBLE);
    Made<double> slack({size, below}, NPY_DOUBLE), missed({size}, NPY_DOUBLE);
    Made<signed char> at({size, wide + below}, NPY_INT8);
    Made<int64_t> end({size}, NPY_INT64), worst({size}, NPY_INT64), passes({size}, NPY_INT64);
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
    {
        nb::gil_scoped_release release;
        run(shape, given, answers, threads);
    }
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
    m.def("solve_programmes", &solve_programmes, nb::arg("count"), nb::arg("task"),
          nb::arg("target"), nb::arg("weight"), nb::arg("damping"), nb::arg("reference"),
          nb::arg("low"), nb::arg("high"), nb::arg("row"), nb::arg("row_low"), nb::arg("row_high"),
          nb::arg("penalty"), nb::arg("start").none(), nb::arg("levels"), nb::arg("most_passes"),
          nb::arg("tolerance"), nb::arg("threads"),
          "Solutions of `count` quadratic programmes; each array has one row for all or one for "
          "each. Returns v, forces of bounds, tasks and rows, slacks, what bounds and rows are "
          "at, how each ended, what it misses most and by how much, and its passes.");
}

}  // namespace tarsus
