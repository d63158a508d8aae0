// Rows of the problem in terms of test forces: a row is one of them, or, where many candidates are
// on one body, a sum of that body's six unit wrenches. Then six walks serve all contacts of a sole.
// (How many of them touch does not matter: results must not depend on what other lanes touch.)
#pragma once

#include "constraints/contact_set.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RowMap {
   public:
    RowMap(int rows, Scratch& scratch)
        : entry_(scratch.take<Entry>(rows)), half_(scratch.take<T>(size_t(rows) * rows)) {}
    static size_t bytes(int rows) {
        return bytes_of<Entry>(rows) + bytes_of<T>(size_t(rows) * rows);
    }

    int size() const { return n_; }
    bool shared() const { return shared_; }

    // row number `size` is this test row
    void add(int test_row) { entry_[n_++] = {test_row, false, {}}; }
    // … or this sum of the six unit wrenches from test row `first` on
    void add(int first, const Force<T>& wrench) {
        entry_[n_++] = {first, true, wrench};
        shared_ = true;
    }

    // A := C Λ Cᵀ, with Λ (tests × tests) the operator of the test rows
    TARSUS_APART void expand(const T* operator_matrix, int tests, T* A) const {
        for (int r = 0; r < n_; ++r) {
            T* half = half_ + long(r) * tests;
            const Entry& entry = entry_[r];
            const T* from = operator_matrix + long(entry.first) * tests;
            for (int c = 0; c < tests; ++c) half[c] = from[c];
            if (!entry.sum) continue;
            for (int c = 0; c < tests; ++c) half[c] = half[c] * entry.wrench.linear.x;
            for (int i = 1; i < 6; ++i) {
                const T& w = part(entry.wrench, i);
                for (int c = 0; c < tests; ++c)
                    half[c] = mul_add(from[long(i) * tests + c], w, half[c]);
            }
        }
        for (int r = 0; r < n_; ++r) {
            for (int c = 0; c <= r; ++c) {
                const Entry& entry = entry_[c];
                const T* half = half_ + long(r) * tests + entry.first;
                T sum = half[0];
                if (entry.sum) {
                    sum = sum * entry.wrench.linear.x;
                    for (int i = 1; i < 6; ++i) sum = mul_add(half[i], part(entry.wrench, i), sum);
                }
                A[long(r) * n_ + c] = A[long(c) * n_ + r] = sum;
            }
        }
    }

    // forces along the test rows that make up the impulses p of the rows
    TARSUS_INLINE void collect(const T* p, int tests, T* out) const {
        for (int k = 0; k < tests; ++k) out[k] = T(0.0);
        for (int r = 0; r < n_; ++r) {
            const Entry& entry = entry_[r];
            if (!entry.sum) {
                out[entry.first] = p[r];
                continue;
            }
            for (int i = 0; i < 6; ++i) {
                T& to = out[entry.first + i];
                to = mul_add(part(entry.wrench, i), p[r], to);
            }
        }
    }

   private:
    struct Entry {
        int first;
        bool sum;
        Force<T> wrench;
    };
    static TARSUS_INLINE const T& part(const Force<T>& f, int i) {
        const Vec3<T>& half = i < 3 ? f.linear : f.angular;
        return i % 3 == 0 ? half.x : i % 3 == 1 ? half.y : half.z;
    }

    Entry* entry_;
    T* half_;
    int n_ = 0;
    bool shared_ = false;
};

// pushes the six unit forces and moments on a body, in its frame
template <class T>
TARSUS_INLINE void push_unit_wrenches(TestForces<T>& test, int body) {
    const T zero(0.0), one(1.0);
    RowForces<T> unit, none;
    for (int i = 0; i < 3; ++i) {
        const Vec3<T> axis{i == 0 ? one : zero, i == 1 ? one : zero, i == 2 ? one : zero};
        unit.f[i] = {axis, zero_vector<T>()};
        unit.f[3 + i] = {zero_vector<T>(), axis};
    }
    test.push_bodies(6, body, unit, -1, none);
}

// The rows of a contact as forces on its bodies: along normal and tangents; then moments about
// them, for friction of spinning and rolling. `first`: where the unit wrenches of its body start,
// −1 if it has rows of its own.
template <class T>
TARSUS_INLINE void push_contact_rows(const Contact<T>& contact, int rows, const Pose<T>* pose,
                                     int first, TestForces<T>& test, RowMap<T>& map) {
    const Vec3<T>* direction[3] = {&contact.touch.normal, &contact.across, &contact.along};
    RowForces<T> on_a, on_b;
    for (int i = 0; i < rows; ++i) {
        const Vec3<T>& along = *direction[i % 3];
        const Force<T> push =
            i < 3 ? Force<T>{along, zero_vector<T>()} : Force<T>{zero_vector<T>(), along};
        on_a.f[i] = force_on(pose[contact.a + 1], contact.touch.point, push);
        if (first >= 0) {
            map.add(first, on_a.f[i]);
            continue;
        }
        map.add(test.rows() + i);
        if (contact.b < 0) continue;
        const Force<T> back = force_on(pose[contact.b + 1], contact.touch.point, push);
        on_b.f[i] = {-back.linear, -back.angular};
    }
    if (first < 0) test.push_bodies(rows, contact.a, on_a, contact.b, on_b);
}

}  // namespace tarsus::TARSUS_ISA
