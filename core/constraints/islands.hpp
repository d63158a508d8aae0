// Rows that feel each other: islands of a lane's problem, each of which is solved by itself.
//
// Two rows feel each other if a cluster is on both their ways, or if both feel a third one. A
// hundred boxes on the ground are a hundred islands of a few rows: what they cost is a sum of small
// problems, and how one of them is solved does not depend on any other.
#pragma once

#include <algorithm>
#include <span>

#include "constraints/row_map.hpp"

namespace tarsus::TARSUS_ISA {

class Islands {
   public:
    Islands(const Tree& tree, int blocks, Scratch& scratch)
        : clusters_(int(tree.clusters.size())),
          one_(std::count_if(tree.clusters.begin(), tree.clusters.end(),
                             [](const auto& cluster) { return cluster.parent < 0; }) == 1),
          loops_(tree.n_constraint_rows),
          root_(scratch.take<int>(clusters_)),
          number_(scratch.take<int>(clusters_)),
          owner_(scratch.take<int>(loops_ + blocks)),
          start_(scratch.take<int>(loops_ + blocks + 2)),
          member_(scratch.take<int>(loops_ + blocks)) {}

    int size() const { return size_; }
    // its members in their order: rows of loops, then `loops` + block for each block
    std::span<const int> operator[](int island) const {
        return {member_ + start_[island], size_t(start_[island + 1] - start_[island])};
    }

    // Islands in the order of their first members; `rows` tells for a block its first row and how
    // many it has, none if it is off.
    template <class T, class Rows>
    TARSUS_APART void find(const TestForces<T>& test, const RowMap<T>& map, int blocks,
                           Rows&& rows) {
        const auto each = [&](auto&& f) {
            for (int k = 0; k < loops_; ++k) f(k, k, 1);
            for (int k = 0; k < blocks; ++k) {
                const auto [first, count] = rows(k);
                f(loops_ + k, loops_ + first, count);
            }
        };
        if (one_) {  // a machine by itself: all its ways meet in its base
            size_ = 0;
            each([&](int member, int, int count) {
                owner_[member] = count > 0 ? 0 : -1;
                if (count > 0) size_ = 1;
            });
            list(loops_ + blocks);
            return;
        }
        for (int c = 0; c < clusters_; ++c) root_[c] = c, number_[c] = -1;
        each([&](int member, int first, int count) {
            owner_[member] = -1;
            for (int r = first; r < first + count; ++r) {
                for (int c : test.way(map[r].block)) {
                    if (owner_[member] < 0) owner_[member] = c;
                    unite(owner_[member], c);
                }
            }
        });
        size_ = 0;
        each([&](int member, int, int count) {
            const int cluster = owner_[member];
            if (count == 0) owner_[member] = -1;
            else if (cluster < 0) owner_[member] = size_++;  // on nothing that moves
            else {
                int& number = number_[find_root(cluster)];
                if (number < 0) number = size_++;
                owner_[member] = number;
            }
        });
        list(loops_ + blocks);
    }

   private:
    int find_root(int c) const {
        while (root_[c] != c) c = root_[c] = root_[root_[c]];
        return c;
    }
    void unite(int a, int b) const {
        a = find_root(a), b = find_root(b);
        root_[std::max(a, b)] = std::min(a, b);
    }
    // members by islands, in their order
    void list(int members) {
        for (int k = 0; k <= size_ + 1; ++k) start_[k] = 0;
        for (int k = 0; k < members; ++k) {
            if (owner_[k] >= 0) ++start_[owner_[k] + 2];
        }
        for (int k = 2; k <= size_ + 1; ++k) start_[k] += start_[k - 1];
        for (int k = 0; k < members; ++k) {
            if (owner_[k] >= 0) member_[start_[owner_[k] + 1]++] = k;
        }
    }

    const int clusters_;
    const bool one_;
    const int loops_;
    int *root_, *number_;   // of clusters: joined trees, and their islands
    int* owner_;            // of each member
    int *start_, *member_;  // where each island begins, and who is in it
    int size_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
