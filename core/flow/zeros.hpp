// Where a function is zero that is known, with its slope, at both ends of an interval.
#pragma once

#include <algorithm>
#include <cmath>

namespace tarsus {

// A cubic on [0, 1] by values and slopes at both ends.
struct Cubic {
    double a, b, c, d;  // a + x (b + x (c + x d))

    Cubic(double from, double slope, double to, double last)
        : a(from),
          b(slope),
          c(3 * (to - from) - 2 * slope - last),
          d(2 * (from - to) + slope + last) {}

    double operator()(double x) const { return a + x * (b + x * (c + x * d)); }
    double slope(double x) const { return b + x * (2 * c + 3 * x * d); }

    // where it is zero, between a positive value at 0 and one that is not at 1
    double zero() const {
        double low = 0, high = 1, x = a / (a - (*this)(1));
        for (int k = 0; k < 60 && high - low > 1e-15; ++k) {
            const double value = (*this)(x);
            (value > 0 ? low : high) = x;
            const double newton = x - value / slope(x);
            const double next = newton > low && newton < high ? newton : 0.5 * (low + high);
            if (std::abs(next - x) < 1e-16) break;
            x = next;
        }
        return x;
    }
    // where it is least, for slopes that fall at 0 and rise at 1
    double lowest() const {
        double low = 0, high = 1;
        for (int k = 0; k < 40; ++k) {
            const double x = 0.5 * (low + high);
            (slope(x) < 0 ? low : high) = x;
        }
        return 0.5 * (low + high);
    }
};

// A zero that is approached by steps of one length or another from the same start: a bracket, in
// which the function is positive at `low` and not at `high`. Newton's steps, or secants where
// slopes are not known; Illinois' rule and halves where these leave the bracket.
class Bracket {
   public:
    Bracket() = default;
    Bracket(double high, double from, double to) : high_(high), from_(from), to_(to) {}

    double low() const { return low_; }
    double high() const { return high_; }

    // first guess
    double guess(double slope, double last) const {
        const double width = high_ - low_;
        double x = from_ / (from_ - to_);
        if (std::isfinite(slope) && std::isfinite(last)) {
            x = Cubic(from_, slope * width, to_, last * width).zero();
        }
        return within(low_ + width * x);
    }
    // the slope at x as far as it is known: from the last try, or the end that is nearer
    double slope_to(double x, double value) const {
        if (tries_ > 0) return (value - last_value_) / (x - last_);
        return x - low_ < high_ - x ? (value - from_) / (x - low_) : (to_ - value) / (high_ - x);
    }
    // after the value and the slope at x
    double next(double x, double value, double slope) {
        last_ = x, last_value_ = value;
        if (value > 0) {
            low_ = x, from_ = value;
            if (side_ > 0) to_ *= 0.5;
            side_ = 1;
        } else {
            high_ = x, to_ = value;
            if (side_ < 0) from_ *= 0.5;
            side_ = -1;
        }
        ++tries_;
        const double newton = x - value / slope;
        if (tries_ < 8 && newton > low_ && newton < high_) return newton;
        // a function that jumps is halved to its jump
        if (tries_ % 4 == 3 || tries_ > 16) return 0.5 * (low_ + high_);
        return within(low_ + (high_ - low_) * from_ / (from_ - to_));
    }

   private:
    double within(double x) const { return x > low_ && x < high_ ? x : 0.5 * (low_ + high_); }

    double low_ = 0, high_ = 0, from_ = 0, to_ = 0;
    double last_ = 0, last_value_ = 0;
    int side_ = 0, tries_ = 0;
};

}  // namespace tarsus
