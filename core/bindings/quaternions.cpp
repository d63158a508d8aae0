#include "bindings/quaternions.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tarsus {

int lost_quaternion(const Tree& tree, const double* q) {
    for (int i = 0; i < tree.n_bodies; ++i) {
        const int quaternion = kKindInfo[int(tree.links[i].kind)].quaternion;
        if (quaternion < 0 || tree.user_q[i] < 0) continue;
        const double* x = q + tree.user_q[i] + quaternion;
        const double square = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3];
        if (!std::isnormal(square)) return tree.user_q[i] + quaternion;
    }
    return -1;
}

std::string lost_quaternion_text(const char* name, const double* q, int at,
                                 const std::string& state) {
    const bool zero = std::all_of(q + at, q + at + 4, [](double x) { return x == 0; });
    return std::string(name) + " must have unit quaternions: elements " + std::to_string(at) +
           " to " + std::to_string(at + 3) + state +
           (zero ? " are zero" : " are too small or too large");
}

void check_quaternions(const Tree& tree, const double* q, size_t states) {
    for (size_t s = 0; s < states; ++s) {
        const double* row = q + s * tree.nq;
        const int at = lost_quaternion(tree, row);
        if (at < 0) continue;
        const std::string state = states > 1 ? " of state " + std::to_string(s) : "";
        throw std::invalid_argument(lost_quaternion_text("q", row, at, state));
    }
}

}  // namespace tarsus
