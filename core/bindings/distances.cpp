// Distances between volumes: the class VolumePairs of tarsus._core, and pairs of single volumes.
#include "bindings/distances.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <optional>

#include "bindings/arrays.hpp"
#include "bindings/blocks.hpp"
#include "bindings/interrupt.hpp"
#include "bindings/quaternions.hpp"
#include "bindings/thread_pool.hpp"
#include "bindings/world_calls.hpp"
#include "model/work_memory.hpp"

namespace tarsus {

namespace {

struct CorePairs {
    VolumePairs pairs;
    nb::object model;  // keeps the tree alive
    const CoreModel& core;
};

void make(CorePairs* self, nb::object model, const std::vector<int>& frames,
          const std::vector<std::vector<double>>& corners, const std::vector<double>& radii,
          const std::vector<std::vector<int>>& compounds,
          const std::vector<std::pair<int, int>>& pairs, double activation) {
    if (!nb::isinstance<CoreModel>(model)) throw WrongType("model must be a Model");
    const CoreModel& core = nb::cast<const CoreModel&>(model);
    if (corners.size() != frames.size() || radii.size() != frames.size())
        throw std::invalid_argument("frames, corners and radii differ in length");
    if (!(activation >= 0)) throw std::invalid_argument("activation must not be negative");
    std::vector<VolumeStatement> stated;
    for (size_t k = 0; k < frames.size(); ++k) {
        stated.push_back({frames[k], corners[k], radii[k]});
    }
    std::vector<CompoundPair> listed;
    for (const auto& [a, b] : pairs) listed.push_back({a, b});
    VolumePairs made = make_volume_pairs(core.tree, stated, compounds, listed, activation);
    new (self) CorePairs{std::move(made), std::move(model), core};
}

nb::object array_of(std::initializer_list<npy_intp> shape, double** data) {
    PyObject* made = new_array(int(shape.size()), shape.begin());
    if (!made) throw nb::python_error();
    *data = static_cast<double*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
    return nb::steal(made);
}

nb::object integers_of(std::initializer_list<npy_intp> shape, long** data) {
    static_assert(sizeof(long) == sizeof(npy_int64));
    PyObject* made =
        PyArray_SimpleNew(int(shape.size()), const_cast<npy_intp*>(shape.begin()), NPY_INT64);
    if (!made) throw nb::python_error();
    *data = static_cast<long*>(PyArray_DATA(reinterpret_cast<PyArrayObject*>(made)));
    return nb::steal(made);
}

// values of the users' coupling functions, or null
const double* tabulate(const CoreModel& model, PyObject* q, npy_intp states, Owned& table) {
    if (!model.functions) return nullptr;
    const Owned found(call_python(model.functions, q, Py_False));
    if (!found.object) throw PythonError();
    table.reset(PyArray_FROM_OTF(found.object, NPY_DOUBLE, NPY_ARRAY_IN_ARRAY));
    if (!table.object) throw PythonError();
    if (PyArray_SIZE(table.array()) != states * model.tree.table_size)
        throw std::invalid_argument("functions returned a table of a wrong size");
    return static_cast<const double*>(PyArray_DATA(table.array()));
}

// the first state without finite places, or −1; the rest is left out once the work is stopped
long evaluate(const DistanceCall& call, int threads, InterruptCheck& interrupt) {
    const DistanceKernel& kernel = *kernels().distances;
    WorkMemory lent;
    if (call.states == 1) return kernel.one(call, 0, lent.get(kernel.bytes_one(*call.pairs)));
    const long chunk = 4 * kernels().lanes, chunks = (call.states + chunk - 1) / chunk;
    const long workers = std::max(1L, std::min<long>(threads, chunks));
    const size_t bytes = aligned(kernel.bytes_lanes(*call.pairs));
    std::byte* memory = lent.get(bytes * workers);
    std::atomic<long> next{0}, lost{call.states};
    const auto share = [&](long worker) {
        for (long k = next++; k < chunks; k = next++) {
            if (interrupt.stopped()) return;
            const long end = std::min(call.states, (k + 1) * chunk);
            const long found = kernel.lanes(call, k * chunk, end, memory + bytes * worker);
            for (long least = lost; found >= 0 && found < least;) {
                if (lost.compare_exchange_weak(least, found)) break;
            }
        }
    };
    if (!run_with_helpers(workers - 1, share) && !interrupt.stopped()) {
        // what helpers were doing at a fork is lost in the child, which does all of it anew
        next = 0, lost = call.states;
        share(0);
    }
    return lost == call.states ? -1 : long(lost);
}

nb::tuple all_pairs(const CorePairs& self, nb::handle given, bool places, bool rows, int threads) {
    const Tree& tree = *self.pairs.tree;
    Owned keep, table;
    const Numbers q = given_array("q", given.ptr(), 2, keep);
    check_shape("q", q.shape[0], q.shape[1], q.shape[0], tree.nq, false);
    check_finite("q", q.data, q.size);
    check_quaternions(tree, q.data, q.shape[0]);
    const npy_intp states = npy_intp(q.shape[0]), n = npy_intp(self.pairs.pairs.size());
    DistanceCall call;
    call.pairs = &self.pairs, call.states = states, call.q = q.data;
    call.table = tabulate(self.core, keep.object ? keep.object : given.ptr(), states, table);
    call.table_stride = tree.table_size;
    const nb::object distance = array_of({states, n}, &call.distance);
    nb::object place = nb::none(), volumes = nb::none(), row = nb::none();
    if (places) {
        place = array_of({states, n, kPlaceNumbers}, &call.places);
        volumes = integers_of({states, n, 2}, &call.volumes);
    }
    if (rows) row = array_of({states, n, tree.nv}, &call.rows);
    long lost = -1;
    InterruptCheck interrupt;
    if (states > 0) {
        std::optional<GilRelease> release;
        if (states > 1) release.emplace();
        lost = evaluate(call, threads, interrupt);
    }
    if (interrupt.stopped()) throw PythonError();
    return nb::make_tuple(distance, place, volumes, row, lost);
}

nb::object near_pairs(const CorePairs& self, nb::handle given, bool rows) {
    const Tree& tree = *self.pairs.tree;
    Owned keep, table;
    const Numbers q = given_array("q", given.ptr(), 1, keep);
    check_shape("q", 1, q.size, 1, tree.nq, false);
    check_finite("q", q.data, q.size);
    check_quaternions(tree, q.data, 1);
    NearCall call;
    call.pairs = &self.pairs, call.q = q.data;
    call.table = tabulate(self.core, keep.object ? keep.object : given.ptr(), 1, table);
    const size_t n = self.pairs.pairs.size(), nv = tree.nv;
    // room for all; what is near is copied into arrays of its size
    const size_t bytes =
        aligned(n * 3 * sizeof(long)) + aligned(n * (1 + kPlaceNumbers + nv) * sizeof(double));
    const DistanceKernel& kernel = *kernels().distances;
    WorkMemory lent;
    std::byte* memory = lent.get(bytes + kernel.bytes_one(self.pairs));
    call.pair = reinterpret_cast<long*>(memory), call.volumes = call.pair + n;
    call.distance = reinterpret_cast<double*>(memory + aligned(n * 3 * sizeof(long)));
    call.places = call.distance + n;
    if (rows) call.rows = call.places + kPlaceNumbers * n;
    const bool finite = kernel.near(call, memory + bytes);
    const npy_intp count = finite ? call.count : 0;
    double *distance, *point[3], *derivatives = nullptr;
    long *pair, *volumes;
    const nb::object out_pair = integers_of({count}, &pair);
    const nb::object out_distance = array_of({count}, &distance);
    const nb::object out_a = array_of({count, 3}, &point[0]);
    const nb::object out_b = array_of({count, 3}, &point[1]);
    const nb::object out_n = array_of({count, 3}, &point[2]);
    const nb::object out_volumes = integers_of({count, 2}, &volumes);
    nb::object out_rows = nb::none();
    if (rows) out_rows = array_of({count, npy_intp(nv)}, &derivatives);
    std::copy_n(call.pair, count, pair), std::copy_n(call.distance, count, distance);
    for (npy_intp k = 0; k < count; ++k) {
        const double* place = call.places + kPlaceNumbers * k;
        for (int i = 0; i < 3; ++i) std::copy_n(place + 3 * i, 3, point[i] + 3 * k);
    }
    std::copy_n(call.volumes, 2 * count, volumes);
    if (rows) std::copy_n(call.rows, count * nv, derivatives);
    if (!finite) return nb::none();
    return nb::make_tuple(out_pair, out_distance, out_a, out_b, out_n, out_volumes, out_rows);
}

nb::object swept_distance(nb::handle given_a, nb::handle given_radius_a, nb::handle given_b,
                          nb::handle given_radius_b) {
    Owned keep[4];
    const Numbers a = given_array("points_a", given_a.ptr(), 3, keep[0]);
    const Numbers b = given_array("points_b", given_b.ptr(), 3, keep[1]);
    const Numbers radius_a = given_array("radius_a", given_radius_a.ptr(), 1, keep[2]);
    const Numbers radius_b = given_array("radius_b", given_radius_b.ptr(), 1, keep[3]);
    const size_t n = a.shape[0];
    for (const Numbers* each : {&a, &b}) {
        if (each->shape[0] != n || each->shape[1] < 1 || each->shape[1] > 3 || each->shape[2] != 3)
            throw std::invalid_argument("points must have shapes (n, 1 to 3, 3)");
    }
    if (radius_a.size != n || radius_b.size != n)
        throw std::invalid_argument("radii must have the shape (n,)");
    if (a.shape[1] > b.shape[1])
        throw std::invalid_argument("points_a must not have more corners than points_b");
    SweptPairsCall call;
    call.pairs = long(n), call.corners_a = int(a.shape[1]), call.corners_b = int(b.shape[1]);
    call.a = a.data, call.b = b.data, call.radius_a = radius_a.data, call.radius_b = radius_b.data;
    const nb::object out = array_of({npy_intp(n), kSweptNumbers}, &call.out);
    const GilRelease release;
    kernels().distances->swept(call, 0, call.pairs);
    return out;
}

}  // namespace

const VolumePairs& volume_pairs_of(nb::handle given) {
    if (!nb::isinstance<CorePairs>(given)) throw WrongType("pairs must be VolumePairs");
    return nb::cast<const CorePairs&>(given).pairs;
}

void bind_distances(nb::module_& m) {
    nb::class_<CorePairs>(m, "VolumePairs", "Pairs of volumes on the bodies of a model.")
        .def("__init__", &make, nb::arg("model").none(), nb::kw_only(), nb::arg("frames"),
             nb::arg("corners"), nb::arg("radii"), nb::arg("compounds"), nb::arg("pairs"),
             nb::arg("activation"))
        .def("all", &all_pairs, nb::arg("q").none(), nb::arg("places"), nb::arg("rows"),
             nb::arg("threads"),
             "Distances, points with directions, volumes and derivatives of all pairs in states, "
             "and the first state without finite places, or -1.")
        .def("near", &near_pairs, nb::arg("q").none(), nb::arg("rows"),
             "Pairs, distances, points a and b, directions, volumes and derivatives within the "
             "activation distance in one state; None if places are not finite.");
    m.def("swept_distance", &swept_distance, nb::arg("points_a").none(), nb::arg("radius_a").none(),
          nb::arg("points_b").none(), nb::arg("radius_b").none(),
          "Distance, points a and b, direction and coordinates of pairs of volumes (n, 14).");
}

}  // namespace tarsus
