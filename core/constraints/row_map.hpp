// Rows of the problem in terms of test forces: a row is one of them, or, where many candidates are
// on one body, a sum of that body's six unit wrenches. Then six walks serve all contacts of a sole.
// (How many of them touch does not matter: results must not depend on what other lanes touch.)
#pragma once

#include "constraints/contact_set.hpp"
#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RowMap {
   public:
    struct Entry {
        int block, first;  // the block of test rows, and the row among all of them
        bool sum;          // … or the first of six unit wrenches
    };

    RowMap(int rows, Scratch& scratch)
        : room_(rows),
          entry_(scratch.take<Entry>(rows)),
          wrench_(scratch.take<T>(6 * size_t(rows))) {}

    int size() const { return n_; }
    bool shared() const { return shared_; }
    const Entry& operator[](int row) const { return entry_[row]; }
    // part i of the wrenches of all rows
    const T* wrenches(int i) const { return wrench_ + long(i) * room_; }

    // row number `size` is this test row
    void add(int block, int test_row) { entry_[n_++] = {block, test_row, false}; }
    // … or this sum of the six unit wrenches of a block
    void add(int block, int first, const Force<T>& wrench) {
        const T part[6] = {wrench.linear.x,  wrench.linear.y,  wrench.linear.z,
                           wrench.angular.x, wrench.angular.y, wrench.angular.z};
        for (int i = 0; i < 6; ++i) wrench_[long(i) * room_ + n_] = part[i];
        entry_[n_++] = {block, first, true};
        shared_ = true;
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
    const int room_;
    Entry* entry_;
    T* wrench_;  // six numbers of each row, rows side by side
    int n_ = 0;
    bool shared_ = false;
};

// six test rows that contacts of a body share
struct UnitWrenches {
    int block = -1, first = -1;
};

// pushes the six unit forces and moments on a body, in its frame
template <class T>
TARSUS_INLINE UnitWrenches push_unit_wrenches(TestForces<T>& test, int body) {
    const UnitWrenches units{test.blocks(), test.rows()};
    const T zero(0.0), one(1.0);
    RowForces<T> unit, none;
    for (int i = 0; i < 3; ++i) {
        const Vec3<T> axis{i == 0 ? one : zero, i == 1 ? one : zero, i == 2 ? one : zero};
        unit.f[i] = {axis, zero_vector<T>()};
        unit.f[3 + i] = {zero_vector<T>(), axis};
    }
    test.push_bodies(6, body, unit, -1, none);
    return units;
}

// The rows of a contact as forces on its bodies: along normal and tangents; then moments about
// them, for friction of spinning and rolling. `units`: the unit wrenches of its body, if it
// does not have rows of its own.
template <class T>
TARSUS_INLINE void push_contact_rows(const Contact<T>& contact, int rows, const Pose<T>* pose,
                                     const UnitWrenches& units, TestForces<T>& test,
                                     RowMap<T>& map) {
    const Vec3<T>* direction[3] = {&contact.touch.normal, &contact.across, &contact.along};
    RowForces<T> on_a, on_b;
    for (int i = 0; i < rows; ++i) {
        const Vec3<T>& along = *direction[i % 3];
        const Force<T> push =
            i < 3 ? Force<T>{along, zero_vector<T>()} : Force<T>{zero_vector<T>(), along};
        on_a.f[i] = force_on(pose[contact.a + 1], contact.touch.point, push);
        if (units.block >= 0) {
            map.add(units.block, units.first, on_a.f[i]);
            continue;
        }
        map.add(test.blocks(), test.rows() + i);
        if (contact.b < 0) continue;
        const Force<T> back = force_on(pose[contact.b + 1], contact.touch.point, push);
        on_b.f[i] = {-back.linear, -back.angular};
    }
    if (units.block < 0) test.push_bodies(rows, contact.a, on_a, contact.b, on_b);
}

}  // namespace tarsus::TARSUS_ISA
