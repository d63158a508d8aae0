// From statements to parts, everything checked: what comes from outside must not crash.
#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "parts/part.hpp"

namespace tarsus {

const PartLawInfo kPartLaws[] = {
    {"rigid", "time_constant limit", 2},
    {"spring", "stiffness damping limit", 3},
    {"string", "stiffness damping", 2},
    {"rubber", "stiffness return_ratio smoothing", 3},
    {"drag", "linear quadratic angular", 3},
    {"support", "stiffness damping", 2},
    {"motor",
     "resistance inductance constant ratio voltage_limit current_limit viscous coulomb load "
     "thermal_resistance thermal_capacity warming",
     12},
    {"wrench", "force force force torque torque torque", 6},
    {"local_wrench", "force force force torque torque torque", 6},
    {"gravity", "acceleration acceleration acceleration center center center mu", 7},
};
const int kPartLawCount = int(sizeof(kPartLaws) / sizeof(PartLawInfo));

int Part::n_numbers() const { return kTarget + n_target() + kPartLaws[int(law)].n_numbers; }

int Part::n_target() const {
    switch (coordinates) {
        case Coordinates::frame:
            return 13;  // pose [x y z, qx qy qz qw] on a, its velocity there
        case Coordinates::line:
        case Coordinates::joint:
            return 2;  // value and rate
        default:
            return 0;
    }
}

namespace {

template <size_t N>
int word(const std::string& given, const std::array<const char*, N>& words, const char* what) {
    std::string valid;
    for (size_t k = 0; k < N; ++k) {
        if (given == words[k]) return int(k);
        valid += (k ? ", " : "") + std::string(words[k]);
    }
    throw std::invalid_argument("no " + std::string(what) + " is named '" + given +
                                "'; names: " + valid);
}

int law_named(const std::string& name) {
    std::string valid;
    for (int k = 0; k < kPartLawCount; ++k) {
        if (name == kPartLaws[k].name) return k;
        valid += (k ? ", " : "") + std::string(kPartLaws[k].name);
    }
    throw std::invalid_argument("no law of a part is named '" + name + "'; laws: " + valid);
}

void read_rows(const PartStatement& from, Part& part) {
    const size_t n = from.row_kinds.size();
    if (n > kMostPartRows || from.row_axes.size() != 2 * n)
        throw std::invalid_argument("a part has at most six rows, each with two axes");
    for (size_t k = 0; k < n; ++k) {
        PartRow& row = part.row[part.n_rows++];
        row.kind = PartRowKind(
            word<3>(from.row_kinds[k], {"position", "rotation", "turn"}, "row of a part"));
        row.i = from.row_axes[2 * k], row.j = from.row_axes[2 * k + 1];
        if (row.i < 0 || row.i > 2 || row.j < 0 || row.j > 2)
            throw std::invalid_argument("axes of a part's rows must be 0, 1 or 2");
    }
}

void read_joints(const Tree& tree, const PartStatement& from, Part& part) {
    const size_t n = from.joint_velocities.size();
    if (from.joint_ratios.size() != n || n == 0 || n > kMostPartJoints)
        throw std::invalid_argument("a part along joints needs 1 to 64 joints and as many ratios");
    for (size_t k = 0; k < n; ++k) {
        const int w = from.joint_velocities[k];
        if (w < 0 || w >= tree.joint_nv) throw std::invalid_argument("a part's joint is not there");
        const Link& link = tree.links[tree.body_of[w]];
        const KindInfo& info = kKindInfo[int(link.kind)];
        if (info.nq != info.nv) {
            throw std::invalid_argument("a part's joint of kind '" + std::string(info.name) +
                                        "' has no coordinate that is its velocity's");
        }
        part.joints.push_back({w, from.joint_ratios[k]});
        part.positions.push_back(link.q + w - link.v);
    }
}

void read_path(const PartStatement& from, Part& part) {
    if (from.path.empty() || from.path.size() % 12 != 0)
        throw std::invalid_argument("a part's path must have pieces of twelve numbers");
    part.path = {from.closed, from.path};
}

void refuse_infinite(const char* what, const std::vector<double>& numbers) {
    for (double x : numbers) {
        if (!std::isfinite(x)) throw std::invalid_argument(std::string(what) + " must be finite");
    }
}

Part made_from(const Tree& tree, const PartStatement& from) {
    Part part;
    part.coordinates = Coordinates(word<6>(
        from.coordinates, {"frame", "line", "joint", "path", "body", "field"}, "coordinates"));
    part.law = PartLaw(law_named(from.law));
    refuse_infinite("a part's placement", from.placement_a);
    refuse_infinite("a part's placement", from.placement_b);
    refuse_infinite("a part's ratios", from.joint_ratios);
    refuse_infinite("a part's path", from.path);
    part.a = frame_on_body(tree, from.body_a, from.placement_a);
    part.b = frame_on_body(tree, from.body_b, from.placement_b);
    const bool pushes = part.law >= PartLaw::wrench;
    if (pushes != (part.coordinates >= Coordinates::body) ||
        (part.law == PartLaw::gravity) != (part.coordinates == Coordinates::field)) {
        throw std::invalid_argument("the law '" + from.law + "' is not for '" + from.coordinates +
                                    "'");
    }
    if (part.law == PartLaw::motor && part.coordinates != Coordinates::joint) {
        throw std::invalid_argument("a motor is along a joint");
    }
    switch (part.coordinates) {
        case Coordinates::frame:
            read_rows(from, part);
            break;
        case Coordinates::line:
            part.n_rows = 1;
            break;
        case Coordinates::joint:
            read_joints(tree, from, part), part.n_rows = 1;
            if (part.law != PartLaw::motor) break;
            if (part.joints.size() != 1 || part.joints[0].ratio != 1.0)
                throw std::invalid_argument("a motor is on one joint, with the ratio of its gear");
            break;
        case Coordinates::path:
            read_path(from, part), part.n_rows = 2;
            break;
        default:
            break;
    }
    return part;
}

// gives each part its place in rows of numbers and memory
void number_parts(Parts& parts) {
    parts.n_numbers = parts.n_memory = parts.n_rows = parts.n_blocks = parts.n_motors = 0;
    for (Part& part : parts.list) {
        part.numbers = parts.n_numbers, part.memory = parts.n_memory;
        part.first_row = parts.n_rows;
        parts.n_numbers += part.n_numbers();
        parts.n_memory += Part::kMemory;
        parts.n_rows += part.n_rows;
        parts.n_blocks += part.n_rows > 0;
        parts.n_motors += part.law == PartLaw::motor;
    }
}

}  // namespace

FrameOnBody frame_on_body(const Tree& tree, int body, const std::vector<double>& placement) {
    if (body < -1 || body >= tree.n_bodies)
        throw std::invalid_argument("a part's body is not there");
    if (body >= 0 && tree.links[body].spinning) {
        throw std::invalid_argument(
            "it is on a rotor whose angle does not matter to the model; attach it to what carries "
            "the rotor, or give the rotor a joint without a gear");
    }
    FrameOnBody frame{body, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};
    if (placement.empty()) return frame;
    if (placement.size() != 16) throw std::invalid_argument("a part's placement must be (4, 4)");
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double* axes = body < 0 ? identity : tree.body_axes[body].rotation;
    for (int r = 0; r < 3; ++r) {
        double position = 0;
        for (int k = 0; k < 3; ++k) position += axes[3 * k + r] * placement[4 * k + 3];
        frame.position[r] = position;
        for (int c = 0; c < 3; ++c) {
            double sum = 0;
            for (int k = 0; k < 3; ++k) sum += axes[3 * k + r] * placement[4 * k + c];
            frame.rotation[3 * c + r] = sum;
        }
    }
    return frame;
}

Parts with_part(const Tree& tree, const Parts& before, const PartStatement& statement) {
    Parts parts = before;
    parts.list.push_back(made_from(tree, statement));
    number_parts(parts);
    return parts;
}

Parts without_part(const Parts& before, int index) {
    if (index < 0 || index >= int(before.list.size()))
        throw std::invalid_argument("there is no part " + std::to_string(index));
    Parts parts = before;
    parts.list.erase(parts.list.begin() + index);
    number_parts(parts);
    return parts;
}

}  // namespace tarsus
