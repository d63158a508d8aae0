// From stated volumes to arrays: corners on bodies, balls around them, which joints move what.
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "world/volume_pairs.hpp"

namespace tarsus {

namespace {

constexpr int kWidest = 8;  // lanes of any instruction set

void place(const Tree& tree, const VolumeStatement& stated, SweptVolume& volume) {
    volume.body = stated.frame < 0 ? -1 : tree.frames[stated.frame].body;
    volume.corners = int(stated.corners.size() / 3);
    std::fill_n(volume.number, kVolumeNumbers, 0.0);
    volume.number[kRadius] = stated.radius;
    for (int c = 0; c < volume.corners; ++c) {
        const double* p = &stated.corners[3 * c];
        double* corner = volume.number + kCorners + 3 * c;
        for (int i = 0; i < 3; ++i) {
            corner[i] = p[i];
            if (stated.frame < 0) continue;
            const FrameOnBody& frame = tree.frames[stated.frame];
            const double* r = frame.rotation;
            corner[i] = frame.position[i] + r[i] * p[0] + r[3 + i] * p[1] + r[6 + i] * p[2];
        }
    }
}

// A ball about the middle of the volumes' bounds; a little larger than it must be, so that rounding
// leaves nothing out.
VolumePairs::BallAround ball_around(const std::vector<SweptVolume>& volumes, const int* members,
                                    int count) {
    double low[3], high[3];
    std::fill(low, low + 3, INFINITY), std::fill(high, high + 3, -INFINITY);
    for (int m = 0; m < count; ++m) {
        const SweptVolume& volume = volumes[members[m]];
        for (int k = 0; k < 3 * volume.corners; ++k) {
            low[k % 3] = std::min(low[k % 3], volume.number[k] - volume.number[kRadius]);
            high[k % 3] = std::max(high[k % 3], volume.number[k] + volume.number[kRadius]);
        }
    }
    VolumePairs::BallAround ball{volumes[members[0]].body, {}, 0.0};
    for (int i = 0; i < 3; ++i) ball.center[i] = 0.5 * (low[i] + high[i]);
    for (int m = 0; m < count; ++m) {
        const SweptVolume& volume = volumes[members[m]];
        for (int c = 0; c < volume.corners; ++c) {
            double square = 0.0;
            for (int i = 0; i < 3; ++i) {
                square += std::pow(volume.number[3 * c + i] - ball.center[i], 2);
            }
            ball.radius = std::max(ball.radius, std::sqrt(square) + volume.number[kRadius]);
        }
    }
    ball.radius *= 1.0 + 1e-12;
    return ball;
}

// all comparisons of a pair's volumes
void list_comparisons(VolumePairs& made, CompoundPair& pair) {
    const Compound &a = made.compounds[pair.a], &b = made.compounds[pair.b];
    pair.ball_a = a.ball, pair.ball_b = b.ball;
    pair.first = int(made.comparisons.size()), pair.count = a.count * b.count;
    for (int i = 0; i < a.count; ++i) {
        for (int j = 0; j < b.count; ++j) {
            const int va = made.members[a.first + i], vb = made.members[b.first + j];
            const int m = made.volumes[va].corners, n = made.volumes[vb].corners;
            const bool swapped = m > n;
            const int kind = swapped ? pair_kind(n, m) : pair_kind(m, n);
            const int first = swapped ? vb : va, second = swapped ? va : vb;
            made.comparisons.push_back(
                {first, second, made.row[first], made.row[second], short(kind), swapped});
            ++made.combinations[kind];
        }
    }
}

void check(const Tree& tree, const std::vector<VolumeStatement>& volumes,
           const std::vector<std::vector<int>>& compounds, const std::vector<CompoundPair>& pairs) {
    const auto wrong = [](const std::string& what) { throw std::invalid_argument(what); };
    for (const VolumeStatement& volume : volumes) {
        const size_t size = volume.corners.size();
        if (size != 3 && size != 6 && size != 9) wrong("a volume must have 1, 2 or 3 corners");
        if (volume.frame < -1 || volume.frame >= int(tree.frames.size()))
            wrong("frames must be numbers of frames, or -1 for the world");
        for (double x : volume.corners) {
            if (!std::isfinite(x)) wrong("corners must be finite");
        }
        if (!(volume.radius >= 0) || std::isinf(volume.radius))
            wrong("radii must be finite and not negative");
    }
    const auto body = [&](int v) {
        return volumes[v].frame < 0 ? -1 : tree.frames[volumes[v].frame].body;
    };
    for (const std::vector<int>& compound : compounds) {
        if (compound.empty()) wrong("a compound must have volumes");
        for (int v : compound) {
            if (v < 0 || v >= int(volumes.size())) wrong("compounds must be numbers of volumes");
            if (body(v) != body(compound[0])) wrong("a compound must be on one body");
        }
    }
    for (const CompoundPair& pair : pairs) {
        for (int c : {pair.a, pair.b}) {
            if (c < 0 || c >= int(compounds.size())) wrong("pairs must be numbers of compounds");
        }
    }
}

}  // namespace

VolumePairs make_volume_pairs(const Tree& tree, const std::vector<VolumeStatement>& stated,
                              const std::vector<std::vector<int>>& compounds,
                              const std::vector<CompoundPair>& pairs, double activation) {
    check(tree, stated, compounds, pairs);
    VolumePairs made;
    made.tree = &tree, made.activation = activation, made.pairs = pairs;
    made.volumes.resize(stated.size());
    for (size_t v = 0; v < stated.size(); ++v) {
        const int own = int(v);
        SweptVolume& volume = made.volumes[v];
        place(tree, stated[v], volume);
        const auto ball = ball_around(made.volumes, &own, 1);
        std::copy_n(ball.center, 3, volume.number + kCenter);
        volume.number[kBallRadius] = ball.radius;
        made.with_corners[volume.corners - 1].push_back(own);
        made.row.push_back(made.row_numbers);
        made.row_numbers += kRowNumbers[volume.corners - 1];
    }
    for (const std::vector<int>& compound : compounds) {
        const int count = int(compound.size()), first = int(made.members.size());
        int ball = compound[0];
        if (count > 1) {
            ball = int(made.volumes.size() + made.balls.size());
            made.balls.push_back(ball_around(made.volumes, compound.data(), count));
        }
        made.compounds.push_back({made.volumes[compound[0]].body, first, count, ball});
        made.members.insert(made.members.end(), compound.begin(), compound.end());
    }
    for (CompoundPair& pair : made.pairs) list_comparisons(made, pair);
    made.columns = (tree.joint_nv + kWidest - 1) / kWidest * kWidest;
    made.moves.assign(size_t(tree.n_bodies + 1) * made.columns, 0.0);
    for (int body = 0; body < tree.n_bodies; ++body) {
        double* row = &made.moves[size_t(body + 1) * made.columns];
        for (int i = body; i >= 0; i = tree.links[i].parent) {
            std::fill_n(row + tree.links[i].v, tree.links[i].nv, 1.0);
        }
    }
    return made;
}

}  // namespace tarsus
