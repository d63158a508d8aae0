// F = G + diag(c) of the slots that are on, as L diag(d) Lᵀ, in the order of the slots.
//
// A slot that is off in a lane, or that depends on those before it, has no pivot: 1/d is zero, and
// with it all that the slot would do to others. So lanes with different slots go side by side.
#pragma once

#include "kinematics/blocks.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class SlotFactor {
   public:
    static constexpr bool kOne = std::is_same_v<T, double>;

    SlotFactor(int slots, Scratch& scratch)
        : slots_(slots),
          height_(padded<T>(slots)),
          matrix_(scratch.take<T>(size_t(slots) * height_)),
          lower_(scratch.take<T>(size_t(slots) * height_)),
          upper_(kOne ? scratch.take<T>(size_t(slots) * height_) : nullptr),
          inverse_(scratch.take<T>(slots)),
          on_(scratch.take<int>(slots)),
          from_(scratch.take<int>(slots)),
          block_(scratch.take<int>(slots)) {
        if constexpr (kOne) {
            for (int k = 0; k < slots; ++k) {
                // what is above the diagonal in its block is multiplied by zero
                std::fill_n(column(k) + k / kLanes * kLanes, kLanes, 0.0);
                std::fill_n(upper_ + long(k) * height_ + k / kLanes * kLanes, kLanes, 0.0);
            }
        } else {
            std::fill_n(matrix_, size_t(slots) * height_, T(0.0));
            std::fill_n(lower_, size_t(slots) * height_, T(0.0));
        }
    }

    static size_t bytes(int slots) {
        const size_t size = size_t(slots) * padded<T>(slots);
        return (kOne ? 3 : 2) * bytes_of<T>(size) + bytes_of<T>(slots) + 3 * bytes_of<int>(slots);
    }

    // column k of G from its diagonal on: numbers of slots before k mean nothing
    T* column(int k) { return matrix_ + long(k) * height_; }
    const T* column(int k) const { return matrix_ + long(k) * height_; }
    T& at(int i, int k) { return i < k ? column(i)[k] : column(k)[i]; }
    bool has_pivot(int k, int l) const { return lane_of(inverse_[k], l) > 0.0; }
    const int* on() const { return on_; }
    int count() const { return count_; }

    // the slots that are on in some lane, rising
    void list(const int* users) {
        count_ = blocks_ = 0;
        for (int k = 0; k < slots_; ++k) {
            if (users[k] == 0) continue;
            const int block = k / kBlock<T>;
            if (blocks_ == 0 || block_[blocks_ - 1] != block) block_[blocks_++] = block;
            from_[count_] = blocks_ - 1, on_[count_++] = k;
        }
    }

    // G += delta a aᵀ
    void add(const T& delta, const T* a) {
        for (int e = 0; e < count_; ++e) {
            const Lanes factor = over_block(delta * a[on_[e]]);
            T* own = column(on_[e]);
            for (int b = from_[e]; b < blocks_; ++b) {
                T* to = own + block_[b] * kBlock<T>;
                put_block(mul_add(factor, get_block(a + block_[b] * kBlock<T>), get_block(to)), to);
            }
        }
    }

    // c on the diagonal; a pivot that is not above its limit is none
    TARSUS_FLATTEN void factor(const T* c, const T* limit) {
        for (int e = 0; e < count_; ++e) {
            const T* from = column(on_[e]);
            T* to = lower_ + long(on_[e]) * height_;
            for (int b = from_[e]; b < blocks_; ++b) {
                const int at = block_[b] * kBlock<T>;
                put_block(get_block(from + at), to + at);
            }
        }
        for (int e = 0; e < count_; ++e) eliminate(e, c, limit);
    }

    // x := F⁻¹ x; what it has for slots that are off means nothing where there is one problem
    TARSUS_FLATTEN void solve(T* x) const {
        for (int e = 0; e < count_; ++e) {
            const int k = on_[e];
            const Lanes factor = over_block(x[k]);
            subtract(lower_ + long(k) * height_, kOne ? from_[e] : e + 1, blocks_, factor, x);
        }
        for (int e = 0; e < count_; ++e) x[on_[e]] = x[on_[e]] * inverse_[on_[e]];
        for (int e = count_ - 1; e > 0; --e) {
            const int k = on_[e];
            const Lanes factor = over_block(x[k]);
            if constexpr (kOne) subtract(upper_ + long(k) * height_, 0, from_[e] + 1, factor, x);
            else
                for (int i = 0; i < e; ++i) {
                    const int j = on_[i];
                    x[j] = neg_mul_add(lower_[long(j) * height_ + k], factor, x[j]);
                }
        }
    }

   private:
    TARSUS_INLINE void subtract(const T* a, int begin, int end, const Lanes& factor, T* x) const {
        for (int b = begin; b < end; ++b) {
            const int at = block_[b] * kBlock<T>;
            put_block(neg_mul_add(get_block(a + at), factor, get_block(x + at)), x + at);
        }
    }
    TARSUS_INLINE void eliminate(int e, const T* c, const T* limit) {
        const int k = on_[e];
        T* own = lower_ + long(k) * height_;
        // the compliance is the least that a pivot can be
        const T pivot = greater(own[k] + c[k], c[k]);
        inverse_[k] = select(pivot > limit[k], T(1.0) / pivot, T(0.0));
        for (int f = e + 1; f < count_; ++f) {
            const Lanes factor = over_block(own[on_[f]] * inverse_[k]);
            subtract(own, from_[f], blocks_, factor, lower_ + long(on_[f]) * height_);
        }
        const Lanes scale = over_block(inverse_[k]);
        for (int b = from_[e]; b < blocks_; ++b) {
            T* to = own + block_[b] * kBlock<T>;
            put_block(get_block(to) * scale, to);
        }
        if constexpr (kOne) {
            T* first = own + block_[from_[e]] * kBlock<T>;
            put_block(get_block(first) * get_block(kAfter.one[k % kLanes]), first);
            for (int f = e + 1; f < count_; ++f) upper_[long(on_[f]) * height_ + k] = own[on_[f]];
        }
    }

    const int slots_, height_;
    T *matrix_, *lower_, *upper_, *inverse_;
    int *on_, *from_, *block_;  // the slots, the place of each one's block among all, and these
    int count_ = 0, blocks_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
