// Volumes on bodies, and pairs of them whose distances are asked for, as plain arrays.
//
// A volume is a ball swept over one, two or three corners. A compound is what a link shows to a
// partner: some of its volumes. The distance of a pair is the least of those between the volumes of
// both compounds.
#pragma once

#include <vector>

#include "model/tree.hpp"

namespace tarsus {

// A row of numbers for each volume: three corners in the core's frame of the body, of which the
// first `corners` count, the centre of a ball around it, its radius, the radius of that ball.
constexpr int kVolumeNumbers = 16;
constexpr int kRowNumbers[] = {4, 8, 28};  // prepared, by corners: SweptCore::kNumbers
enum VolumePlace : int { kCorners = 0, kCenter = 9, kRadius = 12, kBallRadius = 13 };

struct SweptVolume {
    int body;  // −1 for the world
    int corners;
    double number[kVolumeNumbers];
};

struct Compound {
    int body;
    int first, count;  // in VolumePairs::members
    int ball;          // of its only volume, or behind those of all volumes
};

// one pair of volumes to compare, that with fewer corners first
struct Comparison {
    int first, second;
    int first_row, second_row;  // where their prepared numbers start
    short kind;
    bool swapped;
};

struct CompoundPair {
    int a, b;
    int ball_a = 0, ball_b = 0;
    int first = 0, count = 0;  // in VolumePairs::comparisons
};

constexpr int kPairKinds = 6;  // by corners: 1 1, 1 2, 1 3, 2 2, 2 3, 3 3

struct VolumePairs {
    const Tree* tree = nullptr;
    double activation = 0;  // farther pairs are left out
    std::vector<SweptVolume> volumes;
    std::vector<int> members;
    std::vector<Compound> compounds;
    std::vector<CompoundPair> pairs;

    std::vector<Comparison> comparisons;  // pair by pair
    std::vector<int> with_corners[3];     // volumes with one, two and three
    std::vector<int> row;                 // where each volume's row of prepared numbers starts
    int row_numbers = 0;                  // in all such rows
    struct BallAround {
        int body;
        double center[3], radius;
    };
    std::vector<BallAround> balls;       // of compounds with several volumes
    long combinations[kPairKinds] = {};  // comparisons of each kind
    int columns = 0;                     // joint velocities, rounded up to whole vectors
    std::vector<double> moves;           // (bodies + 1) × columns: 1 where a joint moves a body
};

// Corners are stated in frames: −1 for the world. Throws std::invalid_argument.
struct VolumeStatement {
    int frame;
    std::vector<double> corners;  // three numbers each
    double radius;
};
VolumePairs make_volume_pairs(const Tree& tree, const std::vector<VolumeStatement>& volumes,
                              const std::vector<std::vector<int>>& compounds,
                              const std::vector<CompoundPair>& pairs, double activation);

// the kind of a pair of volumes with so many corners, the smaller number first
constexpr int pair_kind(int few, int many) { return few == 1 ? many - 1 : few == 2 ? 1 + many : 5; }

// Distances of pairs of volumes in states; pointers of results may be null.
struct DistanceCall {
    const VolumePairs* pairs = nullptr;
    long states = 1;
    const double* q = nullptr;      // states × nq
    const double* table = nullptr;  // values of users' coupling functions
    long table_stride = 0;
    // of each state and pair: the distance, infinite beyond the activation; points a and b and n;
    // the two volumes; rows of derivatives by velocities
    double* distance = nullptr;
    double* places = nullptr;
    long* volumes = nullptr;
    double* rows = nullptr;
};
constexpr int kPlaceNumbers = 9;

// only those within the activation, of one state: as many as `count` says
struct NearCall {
    const VolumePairs* pairs = nullptr;
    const double *q = nullptr, *table = nullptr;
    long count = 0;
    long *pair = nullptr, *volumes = nullptr;
    double *distance = nullptr, *places = nullptr, *rows = nullptr;
};

// pairs of single volumes
struct SweptPairsCall {
    long pairs = 0;
    int corners_a = 1, corners_b = 1;
    const double *a = nullptr, *b = nullptr, *radius_a = nullptr, *radius_b = nullptr;
    // distance, points a and b, n, coordinates on a and on b
    double* out = nullptr;
};
constexpr int kSweptNumbers = 14;

struct DistanceKernel {
    size_t (*bytes_one)(const VolumePairs&);
    size_t (*bytes_lanes)(const VolumePairs&);
    // the first state that has no finite places, or −1
    long (*one)(const DistanceCall&, long state, std::byte* memory);
    long (*lanes)(const DistanceCall&, long begin, long end, std::byte* memory);
    bool (*near)(NearCall&, std::byte* memory);
    void (*swept)(const SweptPairsCall&, long begin, long end);
};

}  // namespace tarsus
