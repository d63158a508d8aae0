// Parts: what acts on a mechanism beside its tree, and may come and go while it runs. A part is a
// kind of coordinates (values x of the state, each with a row J) and a law for them: held, or a
// force that they make. What may differ from state to state is in rows of numbers, what a state
// keeps in rows of memory.
#pragma once

#include <string>
#include <vector>

#include "model/tree.hpp"

namespace tarsus {

enum class Coordinates : int { frame, line, joint, path, body, field };
enum class PartLaw : int {
    rigid,
    spring,
    string,
    rubber,
    drag,
    support,
    motor,
    wrench,
    local_wrench,
    gravity
};
enum class PartRowKind : int { position, rotation, turn };

constexpr int kMostPartRows = 6, kMostPartJoints = 64;

struct PartRow {
    PartRowKind kind;
    int i, j;  // position and turn: axis i of a; rotation: axis i of a on axis j of b
};

// A smooth path through points: on each piece p + u (a + u (b + u c)), u from 0 to 1.
struct PartPath {
    bool closed = false;
    std::vector<double> pieces;  // p, a, b, c of each: twelve numbers
    int n_pieces() const { return int(pieces.size() / 12); }
};

struct Part {
    Coordinates coordinates;
    PartLaw law;
    FrameOnBody a, b;  // bodies −1: the world
    int n_rows = 0;
    PartRow row[kMostPartRows];
    std::vector<JointShare> joints;  // whose sum is the coordinate
    std::vector<int> positions;      // where their positions are among all joints'
    PartPath path;
    int numbers = 0, memory = 0, first_row = 0;  // where its own start

    // numbers: whether it is on, the target, those of the law
    static constexpr int kOn = 0, kTarget = 1;
    // whether all three positions of b on a are among the rows
    bool holds_point() const {
        int found = 0;
        for (int r = 0; r < n_rows; ++r) {
            if (row[r].kind == PartRowKind::position) found |= 1 << row[r].i;
        }
        return coordinates == Coordinates::frame && found == 7;
    }
    int n_target() const;
    int n_numbers() const;
    int law_numbers() const { return numbers + kTarget + n_target(); }

    // memory
    enum : int {
        kImpulse = 0,                       // of each row
        kValue = kImpulse + kMostPartRows,  // of each row at the start of the step
        kRate = kValue + kMostPartRows,     // of each row at its end, as seen at its start
        kPush = kRate + kMostPartRows,      // wrench on b in the step, in axes of the world
        kMissed = kPush + 6,                // by what velocity the rows could not be held
        kWorst = kMissed + 1,               // the largest of these since the start
        kWork = kWorst + 1,                 // since the start, without what is stored
        kAge = kWork + 1,                   // steps since it was put on
        kOwn = kAge + 1,                    // of the coordinates: where on a path
        kMemory = kOwn + 4
    };
    // what a motor keeps there: its current, the winding's rise of temperature, and what was
    // supplied to it and lost in the winding since the start
    enum : int { kCurrent, kRise, kSupplied, kHeat, kOwnCount };
};

struct PartLawInfo {
    const char* name;
    const char* numbers;  // their names, in order
    int n_numbers;
};
// in the order of PartLaw
extern const PartLawInfo kPartLaws[];
extern const int kPartLawCount;

struct Parts {
    std::vector<Part> list;
    int n_numbers = 0, n_memory = 0, n_rows = 0, n_blocks = 0, n_motors = 0;

    bool empty() const { return list.empty(); }
    // record of a sample: for each part what it stores, its work, its push (6) and its values (6)
    static constexpr int kRecord = 2 + 6 + kMostPartRows;
    int record_size() const { return kRecord * int(list.size()); }
};

struct PartStatement {
    std::string coordinates, law;
    int body_a = -1, body_b = -1;
    std::vector<double> placement_a, placement_b;  // (4, 4), row-major
    std::vector<std::string> row_kinds;
    std::vector<int> row_axes;          // i, j of each
    std::vector<int> joint_velocities;  // among all joints'
    std::vector<double> joint_ratios;
    std::vector<double> path;
    bool closed = false;
};

// a placement (4, 4), row-major, or none, on a user's body in the core's axes of it
FrameOnBody frame_on_body(const Tree& tree, int body, const std::vector<double>& placement);

// One part more, or one less. Throws std::invalid_argument, naming what is wrong.
Parts with_part(const Tree& tree, const Parts& before, const PartStatement& statement);
Parts without_part(const Parts& before, int index);

}  // namespace tarsus
