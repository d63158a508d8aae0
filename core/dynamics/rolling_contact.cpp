#include "joints/rolling_contact.hpp"

namespace tarsus::TARSUS_ISA {

namespace {

// the explicit Runge–Kutta method of order 8 with 11 stages at the 5 nodes of Lobatto (G. J. Cooper
// and J. H. Verner, Some explicit Runge–Kutta methods of high order, 1972): orientations are wanted
// at few times only
constexpr int kStages = 11;
constexpr double s = 4.58257569495584000658804719372800848898;  // √21
constexpr double kNodes[5] = {0, 0.5, (7 + s) / 14, (7 - s) / 14, 1};
constexpr int kNode[kStages] = {0, 1, 1, 2, 2, 1, 3, 3, 1, 2, 4};
constexpr double kStage[kStages][kStages - 1] = {
    {},
    {1.0 / 2},
    {1.0 / 4, 1.0 / 4},
    {1.0 / 7, (-7 - 3 * s) / 98, (21 + 5 * s) / 49},
    {(11 + s) / 84, 0, (18 + 4 * s) / 63, (21 - s) / 252},
    {(5 + s) / 48, 0, (9 + s) / 36, (-231 + 14 * s) / 360, (63 - 7 * s) / 80},
    {(10 - s) / 42, 0, (-432 + 92 * s) / 315, (633 - 145 * s) / 90, (-504 + 115 * s) / 70,
     (63 - 13 * s) / 35},
    {1.0 / 14, 0, 0, 0, (14 - 3 * s) / 126, (13 - 3 * s) / 63, 1.0 / 9},
    {1.0 / 32, 0, 0, 0, (91 - 21 * s) / 576, 11.0 / 72, (-385 - 75 * s) / 1152,
     (63 + 13 * s) / 128},
    {1.0 / 14, 0, 0, 0, 1.0 / 9, (-733 - 147 * s) / 2205, (515 + 111 * s) / 504,
     (-51 - 11 * s) / 56, (132 + 28 * s) / 245},
    {0, 0, 0, 0, (-42 + 7 * s) / 18, (-18 + 28 * s) / 45, (-273 - 53 * s) / 72, (301 + 53 * s) / 72,
     (28 - 28 * s) / 45, (49 - 7 * s) / 18},
};
constexpr double kWeights[kStages] = {1.0 / 20, 0,          0,         0,          0,       0,
                                      0,        49.0 / 180, 16.0 / 45, 49.0 / 180, 1.0 / 20};

// a where it is positive, else not a number
template <class T>
TARSUS_INLINE T positive(const T& a) {
    if constexpr (kIsDual<T>) return {positive(a.value), a.rate};
    else return select(a > T(0.0), a, T(std::numeric_limits<double>::quiet_NaN()));
}

template <class T>
TARSUS_INLINE Sym3<T> slope_of_points(const Surface& body, const Vec3<T>& m) {
    Sym3<T> slope;
    visit_inverse_gauss(body.kind, [&](auto map) { slope = map.slope(body.numbers, m); });
    return slope;
}

}  // namespace

template <class T>
Height<T> ground_at(const Surface& ground, const T& x, const T& y) {
    Height<T> height;
    visit_height(ground.kind, [&](auto form) { height = form.at(ground.numbers, x, y); });
    return height;
}

template <class T>
Vec3<T> point_with_normal(const Surface& body, const Vec3<T>& m) {
    Vec3<T> point;
    visit_inverse_gauss(body.kind, [&](auto map) { point = map.point(body.numbers, m); });
    return point;
}

template <class T>
void contact_rate(const Link& link, const T* place, const Mat3<T>& R, const Vec3<T>& omega,
                  T* out) {
    const Height<T> h = ground_at(link.ground, place[0], place[1]);
    const Vec3<T> m = transposed_times(R, h.down());
    const Sym3<T> slope = slope_of_points(link.surface, m);
    // rows x and y of R P′(m)
    const Vec3<T> ex{R.x.x, R.y.x, R.z.x}, ey{R.x.y, R.y.y, R.z.y};
    const Vec3<T> px = slope * ex, py = slope * ey;
    const T bxx = dot(px, ex), bxy = dot(px, ey), byy = dot(py, ey);
    const T one(1.0), zero(0.0);
    const T axx = neg_mul_add(bxy, h.xy, neg_mul_add(bxx, h.xx, one));
    const T axy = neg_mul_add(bxy, h.yy, neg_mul_add(bxx, h.xy, zero));
    const T ayx = neg_mul_add(byy, h.xy, neg_mul_add(bxy, h.xx, zero));
    const T ayy = neg_mul_add(byy, h.yy, neg_mul_add(bxy, h.xy, one));
    // both eigenvalues are positive if their product and their sum are
    const T product = positive(neg_mul_add(axy, ayx, axx * ayy)), sum = positive(axx + ayy);
    const T inverse = one / mul_add(sum, zero, product);
    const Vec3<T> turned = cross(m, omega);
    const T x = dot(px, turned), y = dot(py, turned);
    out[0] = neg_mul_add(axy, y, ayy * x) * inverse;
    out[1] = neg_mul_add(ayx, x, axx * y) * inverse;
}

template <class T>
void contact_path(const Link& link, const T* place, const Quaternion<T>& from, const Vec3<T>& turn,
                  T* out) {
    Mat3<T> rotation[5];
    for (int n = 0; n < 5; ++n) {
        rotation[n] = rotation_of(from * exponential(turn * T(kNodes[n])));
    }
    T rate[kStages][2];
    for (int i = 0; i < kStages; ++i) {
        T at[2] = {place[0], place[1]};
        for (int j = 0; j < i; ++j) {
            for (int k = 0; k < 2; ++k) at[k] = mul_add(rate[j][k], kStage[i][j], at[k]);
        }
        contact_rate(link, at, rotation[kNode[i]], turn, rate[i]);
    }
    out[0] = place[0], out[1] = place[1];
    for (int i = 0; i < kStages; ++i) {
        for (int k = 0; k < 2; ++k) out[k] = mul_add(rate[i][k], kWeights[i], out[k]);
    }
}

#define TARSUS_ROLLING_CONTACT(T)                                       \
    template Height<T> ground_at(const Surface&, const T&, const T&);   \
    template Vec3<T> point_with_normal(const Surface&, const Vec3<T>&); \
    template void contact_rate(const Link&, const T*, const Mat3<T>&, const Vec3<T>&, T*);
TARSUS_ROLLING_CONTACT(double)
TARSUS_ROLLING_CONTACT(Lanes)
TARSUS_ROLLING_CONTACT(Dual<double>)
TARSUS_ROLLING_CONTACT(Dual<Lanes>)
TARSUS_ROLLING_CONTACT(Dual<Dual<double>>)
TARSUS_ROLLING_CONTACT(Dual<Dual<Lanes>>)
template void contact_path(const Link&, const double*, const Quaternion<double>&,
                           const Vec3<double>&, double*);
template void contact_path(const Link&, const Lanes*, const Quaternion<Lanes>&, const Vec3<Lanes>&,
                           Lanes*);

}  // namespace tarsus::TARSUS_ISA
