// The rows of a problem, tasks first: each has a slot of its own, so that what a row computes does
// not depend on which others are on, here or in another lane.
//
// Zeros are left out where all lanes have them: a foot's rows have none but the leg's columns.
#pragma once

#include <algorithm>

#include "kinematics/blocks.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class SlotMatrix {
   public:
    static constexpr bool kOne = std::is_same_v<T, double>;

    SlotMatrix(int slots, int n, Scratch& scratch)
        : slots_(slots),
          n_(n),
          height_(blocks_of<T>(slots)),
          width_(blocks_of<T>(n)),
          by_rows_(scratch.take<T>(size_t(slots) * padded<T>(n))),
          by_columns_(kOne ? scratch.take<T>(size_t(n) * padded<T>(slots)) : by_rows_),
          used_(scratch.take<char>(kOne ? 0 : size_t(slots) * n)),
          columns_(scratch.take<int>(size_t(kOne ? 1 : tiles(height_)) * n)),
          n_columns_(scratch.take<int>(tiles(height_))),
          rows_(scratch.take<int>(size_t(kOne ? 1 : tiles(width_)) * slots)),
          n_rows_(scratch.take<int>(tiles(width_))),
          fresh_(scratch.take<Lanes>(kOne ? 0 : n)),
          own_(scratch.take<int>(kOne ? 0 : size_t(slots) * n)),
          n_own_(scratch.take<int>(kOne ? 0 : slots)) {
        if constexpr (kOne) {
            for (int j = 0; j < n; ++j) columns_[j] = j;
        } else {
            std::fill_n(used_, size_t(slots) * n, 0);
            std::fill_n(n_own_, slots, 0);
            std::fill_n(by_rows_, size_t(slots) * padded<T>(n), T(0.0));
        }
    }
    static size_t bytes(int slots, int n) {
        const int height = tiles(blocks_of<T>(slots)), width = tiles(blocks_of<T>(n));
        return bytes_of<T>(size_t(slots) * padded<T>(n)) +
               (kOne ? bytes_of<T>(size_t(n) * padded<T>(slots)) : 0) +
               bytes_of<char>(kOne ? 0 : size_t(slots) * n) +
               bytes_of<int>(size_t(kOne ? 1 : height) * n) + bytes_of<int>(height) +
               bytes_of<int>(size_t(kOne ? 1 : width) * slots) + bytes_of<int>(width) +
               bytes_of<Lanes>(kOne ? 0 : n) + bytes_of<int>(kOne ? 0 : size_t(slots) * n) +
               bytes_of<int>(kOne ? 0 : slots);
    }
    static int tiles(int blocks) { return (blocks + kTile - 1) / kTile; }

    int tile_of(int slot) const { return slot / kBlock<T> / kTile; }
    const T* row(int slot) const { return by_rows_ + long(slot) * padded<T>(n_); }
    double at(int slot, int j, int l) const { return lane_of(row(slot)[j], l); }
    // a block of slots in column j: neighbouring ones of one problem, or one in lanes
    Lanes block(int b, int j) const {
        return get_block(by_columns_ + (long(b) * n_ + j) * kBlock<T>);
    }
    // the column of one problem
    void column(int j, double* out) const
        requires kOne
    {
        for (int b = 0; b < height_; ++b) put_block(block(b, j), out + b * kLanes);
    }

    // Rows of one problem, from slot `first` on, with which a block begins. The spare slots of the
    // last block repeat its last row.
    void load(int first, int count, const double* from)
        requires kOne
    {
        const long width = padded<T>(n_), spare = width - n_;
        for (int i = 0; i < count; ++i) {
            double* to = by_rows_ + (first + i) * width;
            std::copy_n(from + long(i) * n_, n_, to);
            std::fill_n(to + n_, spare, 0.0);
        }
        for (int i = 0; i < count; i += kLanes) {
            Lanes* to = reinterpret_cast<Lanes*>(by_columns_ + long(first + i) * n_);
            load_rows(from + long(i) * n_, n_, std::min(kLanes, count - i), n_, to);
        }
    }
    // The same of a problem in each lane that is fresh; true if there are numbers where there were
    // none before.
    bool load(int first, int count, const double* const (&from)[kLanes], const Lanes& fresh)
        requires(!kOne)
    {
        bool more = false;
        for (int i = 0; i < count; ++i) {
            const double* row[kLanes];
            for (int l = 0; l < kLanes; ++l) row[l] = from[l] + long(i) * n_;
            load_rows(row, n_, fresh_);
            Lanes* to = by_rows_ + long(first + i) * n_;
            char* used = used_ + long(first + i) * n_;
            bool grown = false;
            for (int j = 0; j < n_; ++j) {
                if (!used[j] && !any(absolute(fresh_[j]) > Lanes(0.0))) continue;
                grown = grown || !used[j];
                used[j] = 1;
                to[j] = select(fresh > Lanes(0.0), fresh_[j], to[j]);
            }
            if (grown) list_own(first + i);
            more = more || grown;
        }
        return more;
    }
    // A x of one slot in lanes
    Lanes product(int slot, const Lanes* x) const
        requires(!kOne)
    {
        const Lanes* own = row(slot);
        const int *which = own_ + long(slot) * n_, count = n_own_[slot];
        Lanes sum(0.0);
        for (int e = 0; e < count; ++e) sum = mul_add(own[which[e]], x[which[e]], sum);
        return sum;
    }

    // which columns count for slots, and which of the slots that are on for columns
    void list(const int* on, int count) {
        if constexpr (kOne) {
            std::fill_n(n_columns_, tiles(height_), n_);
            std::fill_n(n_rows_, tiles(width_), count);
            std::copy_n(on, count, rows_);
            return;
        }
        for (int t = 0; t < tiles(height_); ++t) {
            const int begin = t * kTile * kBlock<T>,
                      end = std::min(slots_, begin + kTile * kBlock<T>);
            n_columns_[t] = 0;
            for (int j = 0; j < n_; ++j) {
                bool any_of = false;
                for (int i = begin; i < end; ++i) any_of = any_of || used_[long(i) * n_ + j];
                if (any_of) columns_[t * n_ + n_columns_[t]++] = j;
            }
        }
        for (int t = 0; t < tiles(width_); ++t) {
            const int begin = t * kTile * kBlock<T>, end = std::min(n_, begin + kTile * kBlock<T>);
            n_rows_[t] = 0;
            for (int e = 0; e < count; ++e) {
                const char* used = used_ + long(on[e]) * n_;
                if (std::any_of(used + begin, used + end, [](char u) { return u != 0; }))
                    rows_[t * slots_ + n_rows_[t]++] = on[e];
            }
        }
    }

    // out = A x, for slots of these tiles
    TARSUS_INLINE void times(int first_tile, int last_tile, const T* x, T* out) const {
        const Lay<T> lay = {by_columns_, long(n_) * kBlock<T>, kBlock<T>};
        for (int t = first_tile; t <= last_tile; ++t) {
            const int begin = t * kTile;
            sum_tile(lay, begin, std::min(kTile, height_ - begin), columns_ + (kOne ? 0 : t * n_),
                     n_columns_[t], x, out);
        }
    }
    // … for the blocks of slots from `first` to `last` of one problem
    void times_between(int first, int last, const double* x, double* out) const
        requires kOne
    {
        const Lay<T> lay = {by_columns_, long(n_) * kBlock<T>, kBlock<T>};
        const int end = last / kLanes + 1;
        for (int b = first / kLanes; b < end; b += kTile)
            sum_tile(lay, b, std::min(kTile, end - b), columns_, n_, x, out);
    }
    // out = Aᵀ y, over slots that are on
    TARSUS_INLINE void transposed(const T* y, T* out) const {
        const Lay<T> lay = {by_rows_, kBlock<T>, padded<T>(n_)};
        for (int t = 0; t < tiles(width_); ++t) {
            const int begin = t * kTile;
            sum_tile(lay, begin, std::min(kTile, width_ - begin), rows_ + (kOne ? 0 : t * slots_),
                     n_rows_[t], y, out);
        }
    }

   private:
    void list_own(int slot) {
        n_own_[slot] = 0;
        for (int j = 0; j < n_; ++j) {
            if (used_[long(slot) * n_ + j]) own_[long(slot) * n_ + n_own_[slot]++] = j;
        }
    }

    const int slots_, n_, height_, width_;  // the last two in blocks
    T *by_rows_, *by_columns_;
    char* used_;
    int *columns_, *n_columns_, *rows_, *n_rows_;
    Lanes* fresh_;       // a row of problems that are loaded
    int *own_, *n_own_;  // of each slot in lanes: the columns that it uses
};

}  // namespace tarsus::TARSUS_ISA
