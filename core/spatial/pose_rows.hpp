// A pose as the three rows [R p] of its homogeneous matrix, four numbers to a register: how one
// state composes poses. The same operations in the same order as Pose, hence the same bits.
#pragma once

#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

struct PoseRows {
    Pack<4> row[3];
};

TARSUS_INLINE PoseRows rows_from(const Pose<double>& pose) {
    const Mat3<double>& r = pose.rotation;
    const Vec3<double>& p = pose.position;
    using Row = Pack<4>::Vector;
    return {{Row{r.x.x, r.y.x, r.z.x, p.x}, Row{r.x.y, r.y.y, r.z.y, p.y},
             Row{r.x.z, r.y.z, r.z.z, p.z}}};
}
TARSUS_INLINE Pose<double> pose_from(const PoseRows& m) {
    const auto &a = m.row[0], &b = m.row[1], &c = m.row[2];
    return {{{a[0], b[0], c[0]}, {a[1], b[1], c[1]}, {a[2], b[2], c[2]}}, {a[3], b[3], c[3]}};
}

// rotation columns of a row after a constant turn, whose full product is given; lane 3 untouched
TARSUS_INLINE Pack<4> turned_row(Turn turn, Pack<4> row, Pack<4> product) {
    switch (turn) {
        case Turn::none:
            return row;
        case Turn::cyclic:
            return __builtin_shufflevector(row.v, row.v, 1, 2, 0, 3);
        case Turn::anticyclic:
            return __builtin_shufflevector(row.v, row.v, 2, 0, 1, 3);
        default:
            return __builtin_shufflevector(product.v, row.v, 0, 1, 2, 7);
    }
}

TARSUS_INLINE Pack<4> row_times(Pack<4> row, const Pack<4> (&m)[3]) {
    return mul_add(Pack<4>(row[2]), m[2], mul_add(Pack<4>(row[1]), m[1], Pack<4>(row[0]) * m[0]));
}

TARSUS_INLINE void load(const MatrixRows& from, Pack<4> (&rows)[3]) {
    for (int i = 0; i < 3; ++i) std::memcpy(&rows[i], from.row[i], sizeof rows[i]);
}

// the joint's frame on its parent: both its turn and its position
TARSUS_INLINE PoseRows placed_on(const PoseRows& parent, Turn turn, const MatrixRows& placement) {
    Pack<4> m[3];
    load(placement, m);
    PoseRows out;
    for (int i = 0; i < 3; ++i) {
        const Pack<4> row = parent.row[i], product = row_times(row, m), moved = product + row;
        out.row[i] = __builtin_shufflevector(turned_row(turn, row, product).v, moved.v, 0, 1, 2, 7);
    }
    return out;
}

TARSUS_INLINE PoseRows with_axes(const PoseRows& pose, Turn turn, const MatrixRows& axes) {
    if (turn == Turn::none) return pose;
    Pack<4> m[3];
    load(axes, m);
    PoseRows out;
    for (int i = 0; i < 3; ++i)
        out.row[i] = turned_row(turn, pose.row[i], row_times(pose.row[i], m));
    return out;
}

// then a rotation about z
TARSUS_INLINE PoseRows turned_about_z(const PoseRows& pose, const Angle<double>& angle) {
    using Row = Pack<4>::Vector;
    const Pack<4> cosine(Row{angle.cosine, angle.cosine, 1.0, 1.0});
    const Pack<4> sine(Row{angle.sine, -angle.sine, 0.0, 0.0});
    PoseRows out;
    for (int i = 0; i < 3; ++i) {
        const Pack<4> row = pose.row[i];
        const Pack<4> swapped(__builtin_shufflevector(row.v, row.v, 1, 0, 2, 3));
        const Pack<4> turned = mul_add(swapped, sine, row * cosine);
        out.row[i] = __builtin_shufflevector(turned.v, row.v, 0, 1, 6, 7);
    }
    return out;
}

TARSUS_INLINE void store(const PoseRows& pose, double* out) {
    for (int i = 0; i < 3; ++i) std::memcpy(out + 4 * i, &pose.row[i], sizeof pose.row[i]);
    out[12] = out[13] = out[14] = 0.0;
    out[15] = 1.0;
}

}  // namespace tarsus::TARSUS_ISA
