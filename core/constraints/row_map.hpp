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
        : room_(rows),
          entry_(scratch.take<Entry>(rows)),
          wrench_(scratch.take<T>(6 * size_t(rows))),
          half_(scratch.take<T>(size_t(rows) * rows)) {}
    static size_t bytes(int rows) {
        return bytes_of<Entry>(rows) + bytes_of<T>(6 * size_t(rows)) +
               bytes_of<T>(size_t(rows) * rows);
    }

    int size() const { return n_; }
    bool shared() const { return shared_; }

    // row number `size` is this test row
    void add(int test_row) { entry_[n_++] = {test_row, false}; }
    // … or this sum of the six unit wrenches from test row `first` on
    void add(int first, const Force<T>& wrench) {
        const T part[6] = {wrench.linear.x,  wrench.linear.y,  wrench.linear.z,
                           wrench.angular.x, wrench.angular.y, wrench.angular.z};
        for (int i = 0; i < 6; ++i) wrench_[long(i) * room_ + n_] = part[i];
        entry_[n_++] = {first, true};
        shared_ = true;
    }

    // A := C Λ Cᵀ, with Λ (tests × tests) the operator of the test rows
    TARSUS_APART void expand(const T* operator_matrix, int tests, T* A) const {
        for (int r = 0; r < n_; ++r) {
            T* half = half_ + long(r) * tests;
            const T* from = operator_matrix + long(entry_[r].first) * tests;
            const T scale = entry_[r].sum ? wrench_[r] : T(1.0);
            for (int c = 0; c < tests; ++c) half[c] = from[c] * scale;
            for (int i = 1; entry_[r].sum && i < 6; ++i) {
                const T& w = wrench_[long(i) * room_ + r];
                for (int c = 0; c < tests; ++c)
                    half[c] = mul_add(from[long(i) * tests + c], w, half[c]);
            }
        }
        for (int r = 0; r < n_; ++r) {
            const T* half = half_ + long(r) * tests;
            T* row = A + long(r) * n_;
            for (int c = 0; c <= r;) {
                if (!entry_[c].sum) {
                    row[c] = half[entry_[c].first];
                    ++c;
                    continue;
                }
                // rows of one body side by side
                const int begin = c, first = entry_[c].first;
                while (c <= r && entry_[c].sum && entry_[c].first == first) ++c;
                for (int k = begin; k < c; ++k) row[k] = half[first] * wrench_[k];
                for (int i = 1; i < 6; ++i) {
                    const T x = half[first + i];
                    const T* w = wrench_ + long(i) * room_;
                    for (int k = begin; k < c; ++k) row[k] = mul_add(x, w[k], row[k]);
                }
            }
            for (int c = 0; c < r; ++c) A[long(c) * n_ + r] = row[c];
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
                to = mul_add(wrench_[long(i) * room_ + r], p[r], to);
            }
        }
    }

   private:
    struct Entry {
        int first;
        bool sum;
    };

    const int room_;
    Entry* entry_;
    T *wrench_, *half_;  // wrench: six numbers of each row, rows side by side
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
