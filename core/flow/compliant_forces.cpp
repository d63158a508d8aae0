#include "flow/compliant_forces.hpp"

#include "flow/compliant_contacts.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

template <class T>
struct Inputs {
    T *parameters, *q, *v, *deformation, *on, *tau, *rates, *records;
};

template <class T>
void run(const World& world, const CompliantNumbers& numbers, const Inputs<T>& of,
         Scratch scratch) {
    BodyForces<T> bodies(*world.tree, nullptr, of.q, of.v, scratch);
    bodies.outwards();
    CompliantContacts<T>(world, numbers)
        .push(bodies, of.parameters, of.deformation, of.on, of.rates, of.records);
    bodies.inwards(of.tau);
}

}  // namespace

template <class T>
size_t CompliantForces::bytes() const {
    const Tree& tree = *world_.tree;
    const size_t n = world_.n_candidates();
    return spanning_bytes<T>(tree) + BodyForces<T>::bytes(tree) +
           bytes_of<T>(world_.parameter_size()) + bytes_of<T>(tree.nq) + 2 * bytes_of<T>(tree.nv) +
           2 * bytes_of<T>(n * kDeformation) + bytes_of<T>(n) + bytes_of<T>(n * kTouchRecord);
}

bool CompliantForces::operator()(long n, const double* parameters, long parameter_stride,
                                 const double* q, const double* v, const double* deformation,
                                 const double* on, double* tau, double* rates, double* records) {
    const int nq = world_.tree->nq, nv = world_.tree->nv, np = world_.parameter_size();
    const int candidates = world_.n_candidates(), nd = candidates * kDeformation;
    const int size = candidates * kTouchRecord;
    if (n == 1) {
        Scratch scratch(memory_.get(bytes<double>()));
        const auto own = [](const double* a) { return const_cast<double*>(a); };
        run<double>(
            world_, numbers_,
            {own(parameters), own(q), own(v), own(deformation), own(on), tau, rates, records},
            scratch);
        return all_finite(tau, nv) && all_finite(rates, nd) && all_finite(records, size);
    }
    Scratch scratch(memory_.get(bytes<Lanes>()));
    const auto take = [&](int count) { return scratch.take<Lanes>(count); };
    Inputs<Lanes> of{take(np),         take(nq), take(nv), take(nd),
                     take(candidates), take(nv), take(nd), take(size)};
    for (long s = 0; s < n; s += kLanes) {
        const int count = n - s < kLanes ? int(n - s) : kLanes;
        const bool finite = load_rows(parameters + s * parameter_stride, parameter_stride, count,
                                      np, of.parameters) &&
                            load_rows(q + s * nq, nq, count, nq, of.q) &&
                            load_rows(v + s * nv, nv, count, nv, of.v) &&
                            load_rows(deformation + s * nd, nd, count, nd, of.deformation) &&
                            load_rows(on + s * candidates, candidates, count, candidates, of.on);
        if (!finite) return false;
        run<Lanes>(world_, numbers_, of, scratch);
        const auto store = [&](const Lanes* from, int width, double* to) {
            Rows<Lanes> rows(to + s * width, width, count, false);
            store_rows(from, width, rows);
            return rows.finite();
        };
        const bool good = store(of.tau, nv, tau);
        if (!store(of.rates, nd, rates) || !store(of.records, size, records) || !good) return false;
    }
    return true;
}

}  // namespace tarsus::TARSUS_ISA
