// Two faces on each other: what is left of one over the other (I. Sutherland, G. Hodgman,
// "Reentrant polygon clipping", Communications of the ACM 17, 1974), in at most kPairPoints places.
#pragma once

#include "geometry/separating_axes.hpp"

namespace tarsus::TARSUS_ISA {

class FaceTouches {
   public:
    // places over the face of `base`, their normals out of it, times `sign`
    FaceTouches(const Polytope& base, const FaceAxis& axis, const Polytope& other, double sign) {
        start(other, looking_back(other, axis.normal));
        const int sides = base.n_in_loop(axis.face);
        for (int i = 0; i < sides && count_ > 0; ++i) {
            const Point& from = base.in_loop(axis.face, i);
            const Point inwards =
                cross(axis.normal, base.in_loop(axis.face, (i + 1) % sides) - from);
            cut(inwards, from);
        }
        const double top = base.plane(axis.face).height;
        for (int k = 0; k < count_; ++k) {
            const double gap = dot(polygon_[k], axis.normal) - top;
            found_[k] = {gap, polygon_[k] - axis.normal * (gap / 2), axis.normal * sign};
        }
    }

    bool any() const { return count_ > 0; }

    // The deepest one, then those that are farthest from all before; in the order of the polygon.
    void put(Touch<double>* at) const {
        if (count_ <= kPairPoints) {
            for (int k = 0; k < count_; ++k) at[k] = found_[k];
            return;
        }
        double away[kMost];
        bool taken[kMost] = {};
        int next = 0;
        for (int k = 0; k < count_; ++k) {
            away[k] = kFar;
            if (found_[k].gap < found_[next].gap) next = k;
        }
        for (int n = 0; n < kPairPoints; ++n) {
            taken[next] = true;
            const Point here = polygon_[next];
            for (int k = 0; k < count_; ++k) {
                away[k] = std::min(away[k], length(polygon_[k] - here));
                if (!taken[k] && (taken[next] || away[k] > away[next])) next = k;
            }
        }
        for (int k = 0, n = 0; k < count_; ++k) {
            if (taken[k]) at[n++] = found_[k];
        }
    }

   private:
    static constexpr int kMost = 2 * kMostCorners;

    static int looking_back(const Polytope& other, const Point& normal) {
        int best = 0;
        double least = kFar;
        for (int f = 0; f < other.shape.n_faces(); ++f) {
            const double along = dot(other.plane(f).normal, normal);
            if (along < least) least = along, best = f;
        }
        return best;
    }
    void start(const Polytope& other, int face) {
        count_ = other.n_in_loop(face);
        for (int i = 0; i < count_; ++i) polygon_[i] = other.in_loop(face, i);
    }
    // leaves what is on the inner side of a plane through a point
    void cut(const Point& inwards, const Point& through) {
        Point kept[kMost];
        int left = 0;
        for (int k = 0; k < count_ && left < kMost - 1; ++k) {
            const Point &p = polygon_[k], &q = polygon_[(k + 1) % count_];
            const double in_p = dot(p - through, inwards), in_q = dot(q - through, inwards);
            if (in_p >= 0) kept[left++] = p;
            if (in_p * in_q < 0) kept[left++] = p + (q - p) * (in_p / (in_p - in_q));
        }
        std::copy(kept, kept + left, polygon_);
        count_ = left;
    }

    Point polygon_[kMost];
    Touch<double> found_[kMost];
    int count_ = 0;
};

}  // namespace tarsus::TARSUS_ISA
