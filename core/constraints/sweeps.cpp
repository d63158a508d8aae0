// Projected Gauss–Seidel (Ayit 2015, equations 4.41 to 4.43): row after row, a step that would stop
// it, cut back to what its law allows; of friction with the mean of its two entries of A.
#include "constraints/row_system.hpp"

namespace tarsus::TARSUS_ISA {

SolveReport solve_by_sweeps(RowSystem& s, double tolerance, int most, Scratch scratch) {
    SolveReport report;
    report.speed = speed_of(s);
    double* V = scratch.take<double>(padded(s.n));
    double* size = scratch.take<double>(padded(s.n));
    double* inverse = scratch.take<double>(padded(s.n));
    double* wish = scratch.take<double>(padded(s.n));
    row_sizes(s, size, inverse);
    const auto residual = [&] {
        wishes(s, V, inverse, wish);
        return natural_residual(s, wish, size);
    };
    velocities(s, V);
    const auto set = [&](int r, double p) {
        if (p != s.p[r]) add_multiple(p - s.p[r], s.row(r), padded(s.n), V);
        s.p[r] = p;
    };
    const auto rub = [&](const Disc& disc) {
        const double x = s.p[disc.row] - V[disc.row] * inverse[disc.row];
        const bool two = disc.size == 2;
        const double y = two ? s.p[disc.row + 1] - V[disc.row + 1] * inverse[disc.row] : 0.0;
        const double length = std::sqrt(mul_add(x, x, y * y)), bound = disc.bound(s.p[disc.normal]);
        const double back = length > bound ? bound / length : 1.0;
        set(disc.row, x * back);
        if (two) set(disc.row + 1, y * back);
    };
    for (report.steps = 0; report.steps < most; ++report.steps) {
        report.residual = residual();
        if (report.residual <= tolerance * report.speed) break;
        int k = 0;  // discs stand in the order of their normals
        for (int j = 0; j < s.n_boxes; ++j) {
            const Box& box = s.box[j];
            const double free = s.p[box.row] - V[box.row] * inverse[box.row];
            set(box.row, std::min(std::max(free, box.low), box.high));
            for (; k < s.n_discs && s.disc[k].normal == box.row; ++k) rub(s.disc[k]);
        }
        velocities(s, V);  // without the round-off of many small changes
    }
    report.residual = residual();
    return report;
}

}  // namespace tarsus::TARSUS_ISA
