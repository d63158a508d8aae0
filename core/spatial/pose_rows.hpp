// A pose as the three rows [R p] of its homogeneous matrix, four numbers to a register: how one
// state composes poses. The same operations in the same order as Pose, hence the same bits.
#pragma once

#include "spatial/transform.hpp"

namespace tarsus::TARSUS_ISA {

struct PoseRows {
    Pack<4> row[3];
};

TARSUS_INLINE PoseRows world_rows() {
    using Row = Pack<4>::Vector;
    return {{Row{1, 0, 0, 0}, Row{0, 1, 0, 0}, Row{0, 0, 1, 0}}};
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

// the joint's frame on its parent, its origin at p instead of where the placement has it
TARSUS_INLINE PoseRows placed_on(const PoseRows& parent, Turn turn, const MatrixRows& placement,
                                 const Vec3<double>& p) {
    Pack<4> m[3];
    load(placement, m);
    m[0].v[3] = p.x, m[1].v[3] = p.y, m[2].v[3] = p.z;
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
    for (int i = 0; i < 3; ++i) {
        out.row[i] = turned_row(turn, pose.row[i], row_times(pose.row[i], m));
    }
    return out;
}

// then the joint's own rotation
TARSUS_INLINE PoseRows turned_by(NoRotation, const PoseRows& pose) { return pose; }

TARSUS_INLINE PoseRows turned_by(const RotationZ<double>& z, const PoseRows& pose) {
    using Row = Pack<4>::Vector;
    const Pack<4> cosine(Row{z.cosine, z.cosine, 1.0, 1.0});
    const Pack<4> sine(Row{z.sine, -z.sine, 0.0, 0.0});
    PoseRows out;
    for (int i = 0; i < 3; ++i) {
        const Pack<4> row = pose.row[i];
        const Pack<4> swapped(__builtin_shufflevector(row.v, row.v, 1, 0, 2, 3));
        const Pack<4> turned = mul_add(swapped, sine, row * cosine);
        out.row[i] = __builtin_shufflevector(turned.v, row.v, 0, 1, 6, 7);
    }
    return out;
}

TARSUS_INLINE PoseRows turned_by(const FullRotation<double>& rotation, const PoseRows& pose) {
    const Mat3<double>& r = rotation.matrix;
    const MatrixRows rows{{{r.x.x, r.y.x, r.z.x}, {r.x.y, r.y.y, r.z.y}, {r.x.z, r.y.z, r.z.z}}};
    return with_axes(pose, Turn::general, rows);
}

TARSUS_INLINE void store(const PoseRows& pose, double* out) {
    for (int i = 0; i < 3; ++i) std::memcpy(out + 4 * i, &pose.row[i], sizeof pose.row[i]);
    out[12] = out[13] = out[14] = 0.0;
    out[15] = 1.0;
}

}  // namespace tarsus::TARSUS_ISA
