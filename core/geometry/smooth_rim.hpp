// Where a circle is nearest to a smooth ground z = h(x, y), in all lanes at once.
//
// Twelve of its points tell roughly how high they are. From the lowest, and from the lowest of the
// others that are lower than their neighbours, Newton's method follows the distance φ of the point
// at the angle θ from its nearest point on the ground: φ' = n · t with the circle's tangent t, and
// the nearest point (x, y) comes along. So a circle finds both flanks of a trough, and a crest that
// reaches into its hole.
#pragma once

#include "geometry/smooth_ground.hpp"

namespace tarsus::TARSUS_ISA {

template <class T>
class RimPlaces {
   public:
    Vec3<T> towards[kGroundPlaces];  // unit vectors in the circle's plane
    T there[kGroundPlaces];          // 1 where there is a place
    T missed[kGroundPlaces];         // [m] by how much it may still be nearer

    // `first` and `second`: unit vectors of its plane
    RimPlaces(const std::vector<double>& numbers, const Vec3<T>& center, const Vec3<T>& first,
              const Vec3<T>& second, double radius);

   private:
    Vec3<T> out(const T& cosine, const T& sine) const;
    void follow(Angle<T> angle, int place);

    const std::vector<double>& numbers_;
    const Vec3<T>&center_, &first_, &second_;
    const double radius_;
};

}  // namespace tarsus::TARSUS_ISA
