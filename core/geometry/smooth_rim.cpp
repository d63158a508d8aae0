#include "geometry/smooth_rim.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

constexpr int kSamples = 12, kSteps = 10;
constexpr double kHalf = 0.5, kRoot = 0.8660254037844386;
constexpr double kCosine[kSamples] = {1,  kRoot,  kHalf,  0, -kHalf, -kRoot,
                                      -1, -kRoot, -kHalf, 0, kHalf,  kRoot};
constexpr double kSine[kSamples] = {0, kHalf,  kRoot,  1,  kRoot,  kHalf,
                                    0, -kHalf, -kRoot, -1, -kRoot, -kHalf};

template <class T>
TARSUS_INLINE Angle<T> sample_angle(int k) {
    return {T(kCosine[k]), T(kSine[k])};
}
template <class T>
TARSUS_INLINE void put(const T& condition, T& low, Angle<T>& angle, const T& height,
                       const Angle<T>& here) {
    const T zero(0.0);
    low = select(condition > zero, height, low);
    angle.cosine = select(condition > zero, here.cosine, angle.cosine);
    angle.sine = select(condition > zero, here.sine, angle.sine);
}

}  // namespace

template <class T>
TARSUS_INLINE Vec3<T> RimPlaces<T>::out(const T& cosine, const T& sine) const {
    return mul_add(first_, cosine, second_ * sine);
}

template <class T>
TARSUS_FLATTEN RimPlaces<T>::RimPlaces(const std::vector<double>& numbers, const Vec3<T>& center,
                                       const Vec3<T>& first, const Vec3<T>& second, double radius)
    : numbers_(numbers), center_(center), first_(first), second_(second), radius_(radius) {
    const T zero(0.0), one(1.0);
    T height[kSamples];
    for (int k = 0; k < kSamples; ++k) {
        const Vec3<T> p = mul_add(out(T(kCosine[k]), T(kSine[k])), T(radius), center);
        const Height<T> h = smooth_height(numbers, p.x, p.y);
        height[k] = (p.z - h.z) / square_root(mul_add(h.x, h.x, mul_add(h.y, h.y, one)));
    }
    Angle<T> start[kGroundPlaces] = {sample_angle<T>(0), sample_angle<T>(0)};
    T lowest[kGroundPlaces] = {T(1e30), T(1e30)};
    for (int k = 0; k < kSamples; ++k) {
        const T& before = height[(k + kSamples - 1) % kSamples];
        const T& after = height[(k + 1) % kSamples];
        const T low = select(height[k] < before, select(after < height[k], zero, one), zero);
        // what is low goes in front, what was there behind it
        const T leads = select(height[k] < lowest[0], low, zero);
        const T follows = select(height[k] < lowest[1], low - leads, zero);
        const T stays = select(lowest[0] < T(1e30), leads, zero);
        put(stays, lowest[1], start[1], lowest[0], start[0]);
        put(follows, lowest[1], start[1], height[k], sample_angle<T>(k));
        put(leads, lowest[0], start[0], height[k], sample_angle<T>(k));
    }
    // a circle that lies flat is low everywhere
    const T flat = select(lowest[0] < T(1e30), zero, one);
    put(flat, lowest[0], start[0], height[0], sample_angle<T>(0));
    for (int place = 0; place < kGroundPlaces; ++place) {
        there[place] = select(lowest[place] < T(1e30), one, zero);
        follow(start[place], place);
    }
}

template <class T>
TARSUS_INLINE void RimPlaces<T>::follow(Angle<T> angle, int place) {
    const T zero(0.0), one(1.0), farthest(0.26);  // half of the way to the next sample
    Vec3<T> p = mul_add(out(angle.cosine, angle.sine), T(radius_), center_);
    T x = p.x, y = p.y, last(0.0);
    for (int k = 0; k < kSteps; ++k) {
        const Vec3<T> away = out(angle.cosine, angle.sine) * T(radius_);
        const Vec3<T> t = out(-angle.sine, angle.cosine) * T(radius_);
        const SmoothConditions<T> here(numbers_, BallMap<T>{center_ + away, 0.0}, x, y);
        const Height<T>& h = here.h;
        const T good = here.apart_all_around();
        const T scale = one / select(good > zero, here.determinant, one);
        const auto solve = [&](const T& ex, const T& ey, T& dx, T& dy) {
            dx = select(good > zero, neg_mul_add(here.axy, ey, here.ayy * ex) * scale, zero);
            dy = select(good > zero, neg_mul_add(here.ayx, ex, here.axx * ey) * scale, zero);
        };
        // how the nearest point comes along, and how the normal n = −m/|m| turns with it
        T along_x, along_y, dx, dy;
        solve(mul_add(h.x, t.z, t.x), mul_add(h.y, t.z, t.y), along_x, along_y);
        solve(here.ex, here.ey, dx, dy);
        const Vec3<T> m = h.down();
        const Vec3<T> turn{mul_add(h.xx, along_x, h.xy * along_y),
                           mul_add(h.xy, along_x, h.yy * along_y), zero};
        const T square = dot(m, m), size = square_root(square), mt = dot(m, t);
        const T slope = -(mt / size);
        const T bend = (dot(m, away) - neg_mul_add(mt, dot(m, turn) / square, dot(t, turn))) / size;
        const T newton = -(slope / select(bend > T(1e-9 * radius_), bend, one));
        const T downhill = select(slope > zero, -farthest, farthest);
        T step = select(bend > T(1e-9 * radius_), newton,
                        select(absolute(slope) > T(1e-12 * radius_), downhill, zero));
        step = select(step > farthest, farthest, select(step < -farthest, -farthest, step));
        last = absolute(slope * step);
        const T length = square_root(mul_add(step, step, one));
        const T cosine = neg_mul_add(angle.sine, step, angle.cosine) / length;
        angle.sine = mul_add(angle.cosine, step, angle.sine) / length, angle.cosine = cosine;
        x = mul_add(along_x, step, x + dx), y = mul_add(along_y, step, y + dy);
    }
    towards[place] = out(angle.cosine, angle.sine);
    missed[place] = select(last > T(1e-9 * radius_), last, zero);
}

template class RimPlaces<double>;
template class RimPlaces<Lanes>;

}  // namespace tarsus::TARSUS_ISA
