#include "flow/part_forces.hpp"

#include "flow/body_forces.hpp"
#include "parts/laws.hpp"
#include "parts/part_at.hpp"
#include "parts/pushes.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// Forces of parts on one group of states, and what each part does.
template <class T>
struct Forces : BodyForces<T> {
    using BodyForces<T>::tree, BodyForces<T>::joints, BodyForces<T>::pose, BodyForces<T>::motion;
    using BodyForces<T>::force, BodyForces<T>::on_joints;
    const Parts& parts;
    T* numbers;

    Forces(const Tree& t, const Parts& p, const double* given, const JointState<T>& j,
           Scratch& scratch)
        : BodyForces<T>(t, j, scratch), parts(p), numbers(scratch.take<T>(p.n_numbers)) {
        for (int k = 0; k < parts.n_numbers; ++k) numbers[k] = T(given[k]);
    }

    static size_t bytes(const Tree& t, const Parts& p) {
        return BodyForces<T>::bytes(t) + bytes_of<T>(p.n_numbers);
    }

    const T* law(const Part& part) const { return numbers + part.law_numbers(); }
    T on(const Part& part) const { return is_on(numbers + part.numbers); }
    // a wrench in axes of the world on b, and its opposite on a
    void push(const Part& part, const PartAt<T>& at, const Force<T>& wrench) {
        const int a = part.a.body + 1, b = part.b.body + 1;
        force[b] = force[b] + force_on(pose[b], at.point, wrench);
        force[a] = force[a] + force_on(pose[a], at.on_a, Force<T>{-wrench.linear, -wrench.angular});
    }

    void act(const Part& part, T* record) {
        for (int k = 0; k < Parts::kRecord; ++k) record[k] = T(0.0);
        if (part.coordinates == Coordinates::body) return act_wrench(part, record);
        if (part.coordinates == Coordinates::field) return act_field(part, record);
        PartAt<T> at;
        T rate[kMostPartRows];
        const T* own = numbers + part.numbers;
        switch (part.coordinates) {
            case Coordinates::frame:
                frame_at(tree, part, pose, own, at);
                break;
            case Coordinates::line:
                line_at(part, pose, own, at);
                break;
            default:
                joint_at(part, joints.q, own, at);
        }
        if (part.coordinates == Coordinates::joint) joint_rates(part, at, joints.v, rate);
        else body_rates(part, pose, at, motion, rate);
        for (int r = 0; r < part.n_rows; ++r) record[kValues + r] = at.value[r];
        visit_law(part.law, [&](auto chosen) { act_law(chosen, part, at, rate, record); });
    }

    template <class Law>
    TARSUS_INLINE void act_law(Law, const Part& part, const PartAt<T>& at, const T* rate,
                               T* record) {
        const T here = on(part);
        Pull<T> pull[kMostPartRows];
        T square(0.0), part_of(1.0);
        for (int r = 0; r < part.n_rows; ++r) {
            const bool turns =
                part.coordinates == Coordinates::frame && part.row[r].kind != PartRowKind::position;
            pull[r] = Law::pull(law(part), RowState<T>{at.value, rate, r, part.n_rows, turns});
            square = mul_add(pull[r].force, pull[r].force, square);
        }
        if constexpr (Law::kLimit >= 0) {  // the force of all rows has at most this size
            const T size = square_root(square), &limit = law(part)[Law::kLimit];
            part_of = select(size > limit, limit / select(size > limit, size, T(1.0)), part_of);
        }
        Force<T> sum{zero_vector<T>(), zero_vector<T>()};
        for (int r = 0; r < part.n_rows; ++r) {
            const T f = -(pull[r].force * part_of) * here;
            const T stores = (pull[r].force - pull[r].lost) * rate[r] * here;
            record[kStored] = mul_add(Law::energy(law(part), at.value[r]), here, record[kStored]);
            record[kPower] += mul_add(f, rate[r] + at.rate_of_target[r], stores);
            if (part.coordinates == Coordinates::joint) {
                for (const JointShare& joint : part.joints) {
                    on_joints[joint.w] = mul_add(f, T(joint.ratio), on_joints[joint.w]);
                }
                record[kPush] = f;
                continue;
            }
            sum = {mul_add(at.row[r].linear, f, sum.linear),
                   mul_add(at.row[r].angular, f, sum.angular)};
        }
        if (part.coordinates == Coordinates::joint) return;
        push(part, at, sum);
        note_push(sum, record);
    }
    void note_push(const Force<T>& f, T* record) const {
        const T push[6] = {f.linear.x,  f.linear.y,  f.linear.z,
                           f.angular.x, f.angular.y, f.angular.z};
        for (int k = 0; k < 6; ++k) record[kPush + k] = push[k];
    }

    void act_wrench(const Part& part, T* record) {
        const int b = part.b.body + 1;
        if (b == 0) return;
        const Pose<T> at = frame_on(part.b, pose[b]);
        const Force<T> wrench = wrench_at(part, law(part), on(part), at);
        force[b] = force[b] + force_on(pose[b], at.position, wrench);
        record[kPower] = dot(wrench.linear, point_velocity(pose[b], motion[b], at.position)) +
                         dot(wrench.angular, pose[b].rotation * motion[b].angular);
        note_push(wrench, record);
    }
    void act_field(const Part& part, T* record) {
        for (int i = 0; i < tree.n_bodies; ++i) {
            const Link& link = tree.links[i];
            const double share = link.mass > 0 ? 1 / link.mass : 0.0;
            const Vec3<T> x =
                pose[i + 1].rotation * (vector_at(link.first) * share) + pose[i + 1].position;
            const Field<T> field = field_at(law(part), on(part), x);
            const Force<T> weight{field.acceleration * T(link.mass), zero_vector<T>()};
            force[i + 1] = force[i + 1] + force_on(pose[i + 1], x, weight);
            record[kStored] = mul_add(field.potential, T(link.mass), record[kStored]);
        }
    }
};

}  // namespace

template <class T>
size_t forces_of_joints_bytes(const Tree& tree, const Parts& parts) {
    return Forces<T>::bytes(tree, parts);
}

template <class T>
void forces_of_joints(const Tree& tree, const Parts& parts, const double* numbers,
                      const JointState<T>& joints, T* tau, T* records, Scratch scratch) {
    Forces<T> forces(tree, parts, numbers, joints, scratch);
    forces.outwards();
    for (size_t k = 0; k < parts.list.size(); ++k) {
        forces.act(parts.list[k], records + Parts::kRecord * k);
    }
    forces.inwards(tau);
}

template <class T>
size_t part_forces_bytes(const Tree& tree, const Parts& parts) {
    return spanning_bytes<T>(tree) + Forces<T>::bytes(tree, parts);
}

template <class T>
void part_forces(const Tree& tree, const Parts& parts, const double* numbers, const T* table,
                 const T* q, const T* v, T* tau, T* records, Scratch scratch) {
    const JointState<T> joints =
        tree.coupled ? span_coupled(tree, table, q, v, static_cast<const T*>(nullptr), scratch)
                     : JointState<T>{q, v, nullptr, nullptr};
    forces_of_joints(tree, parts, numbers, joints, tau, records, scratch);
}

#define TARSUS_PART_FORCES(T)                                                               \
    template size_t part_forces_bytes<T>(const Tree&, const Parts&);                        \
    template void part_forces(const Tree&, const Parts&, const double*, const T*, const T*, \
                              const T*, T*, T*, Scratch);
TARSUS_PART_FORCES(double)
TARSUS_PART_FORCES(Lanes)

#define TARSUS_FORCES_OF_JOINTS(T)                                                                 \
    template size_t forces_of_joints_bytes<T>(const Tree&, const Parts&);                          \
    template void forces_of_joints(const Tree&, const Parts&, const double*, const JointState<T>&, \
                                   T*, T*, Scratch);
TARSUS_FORCES_OF_JOINTS(Dual<double>)
TARSUS_FORCES_OF_JOINTS(Dual<Lanes>)

template <class T>
size_t PartForces::bytes() const {
    return part_forces_bytes<T>(tree_, parts_) + bytes_of<T>(tree_.nq) + 2 * bytes_of<T>(tree_.nv) +
           bytes_of<T>(tree_.table_size) + bytes_of<T>(parts_.record_size());
}

bool PartForces::operator()(long n, const double* table, const double* q, const double* v,
                            double* tau, double* records) {
    const int nq = tree_.nq, nv = tree_.nv, size = parts_.record_size();
    if (n == 1) {
        part_forces<double>(tree_, parts_, numbers_, table, q, v, tau, records,
                            Scratch(memory_.get(bytes<double>())));
        return all_finite(tau, nv) && all_finite(records, size);
    }
    Scratch scratch(memory_.get(bytes<Lanes>()));
    Lanes *in_q = scratch.take<Lanes>(nq), *in_v = scratch.take<Lanes>(nv);
    Lanes* in_table = scratch.take<Lanes>(tree_.table_size);
    Lanes *out = scratch.take<Lanes>(nv), *record = scratch.take<Lanes>(size);
    for (long s = 0; s < n; s += kLanes) {
        const int count = n - s < kLanes ? int(n - s) : kLanes;
        if (!load_rows(q + s * nq, nq, count, nq, in_q) ||
            !load_rows(v + s * nv, nv, count, nv, in_v))
            return false;
        if (table && !load_rows(table + s * tree_.table_size, tree_.table_size, count,
                                tree_.table_size, in_table))
            return false;
        part_forces<Lanes>(tree_, parts_, numbers_, table ? in_table : nullptr, in_q, in_v, out,
                           record, scratch);
        Rows<Lanes> rows(tau + s * nv, nv, count, false);
        store_rows(out, nv, rows);
        Rows<Lanes> kept(records + s * size, size, count, false);
        store_rows(record, size, kept);
        if (!rows.finite() || !kept.finite()) return false;
    }
    return true;
}

}  // namespace tarsus::TARSUS_ISA
