// Nearest points of points, lines and triangles (Schwienbacher 2013, section 6.4 and appendix B).
//
// All cases are computed and the nearest is selected, so that lanes agree. What the thesis prints
// over-estimates some distances and is repaired here:
//
// - a point beside an obtuse corner of a triangle is nearest to one of its edges, not to the
// corner;
// - lines are solved for s first, then t, then s again, each within its bounds, by cross products:
//   v² uᵀw − uᵀv vᵀw = (u × v)·(w × v) loses nothing where lines are almost parallel;
// - a line over the inside of a triangle is nearest at one of its ends, not at an edge;
// - triangles and lines that pierce each other without touching edges have the distance zero.
//
// Parallel lines that face each other are nearest in the middle of where they do: the direction of
// a force between them does not jump.
#pragma once

#include "geometry/swept_core.hpp"

namespace tarsus::TARSUS_ISA {

// lines whose sine, squared, is below this are parallel
constexpr double kParallel = 1e-26;

// the nearest points a and b by their coordinates, and how far they are apart, squared
template <class T>
struct Nearest {
    T square, ax, ay, bx, by;

    TARSUS_INLINE void take(const T& other, const T& x, const T& y, const T& bx_, const T& by_) {
        const auto nearer = other < square;
        square = select(nearer, other, square);
        ax = select(nearer, x, ax), ay = select(nearer, y, ay);
        bx = select(nearer, bx_, bx), by = select(nearer, by_, by);
    }
};

template <class T>
TARSUS_INLINE Nearest<T> swapped(const Nearest<T>& found) {
    return {found.square, found.bx, found.by, found.ax, found.ay};
}

// how far along an edge the point is nearest that lies at d from its start
template <class T>
TARSUS_INLINE T along_edge(const SweptEdge<T>& edge, const Vec3<T>& d) {
    return clamped(dot(edge.along, d) * edge.inverse);
}

// places s on a and t on b, the start of which lies at w from that of a, and their distance squared
template <class T>
struct EdgePair {
    T square, s, t;
};

template <class T>
TARSUS_INLINE EdgePair<T> nearest_edges(const SweptEdge<T>& a, const SweptEdge<T>& b,
                                        const Vec3<T>& w) {
    const Vec3<T>&u = a.along, &v = b.along;
    const Vec3<T> n = cross(u, v);
    const T nn = dot(n, n), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
    const auto skew = nn > T(kParallel) * a.square * b.square;
    const T where = dot(cross(w, v), n) / select(skew, nn, T(1.0));
    const T first = clamped(uw * a.inverse), last = clamped((uw + uv) * a.inverse);
    const T start = select(skew, clamped(where), T(0.5) * (first + last));
    const T t = clamped(neg_mul_add(start, uv, vw) * -b.inverse);
    const T s = clamped(mul_add(t, uv, uw) * a.inverse);
    const Vec3<T> c = mul_add(v, t, neg_mul_add(u, s, w));
    return {dot(c, c), s, t};
}

// a point at d from a triangle's origin, in its coordinates and over its plane
template <class T>
struct OverFace {
    T x, y, height, square;
};

template <class T>
TARSUS_INLINE OverFace<T> over_face(const SweptCore<T, 3>& face, const Vec3<T>& d) {
    // once more for what is left: coordinates on thin triangles lose digits
    const T rough_x = dot(face.to_x, d), rough_y = dot(face.to_y, d);
    const Vec3<T> left = d - offset_at(face, rough_x, rough_y);
    const T x = rough_x + dot(face.to_x, left), y = rough_y + dot(face.to_y, left);
    const Vec3<T> c = d - offset_at(face, x, y);
    return {x, y, dot(face.normal, d), dot(c, c)};
}

constexpr double kOutside = 1e300;

// the distance, squared, if the point lies over the inside
template <class T>
TARSUS_INLINE T inside_square(const OverFace<T>& p) {
    const auto outside = (p.x < T(0.0)) | (p.y < T(0.0)) | (p.x + p.y > T(1.0));
    return select(outside, T(kOutside), p.square);
}

// whether an edge from p to q passes through the inside of the face that they are seen from
template <class T>
TARSUS_INLINE auto pierces(const OverFace<T>& p, const OverFace<T>& q) {
    const T before = absolute(p.height), behind = absolute(q.height), both = before + behind;
    const T x = mul_add(p.x, behind, q.x * before), y = mul_add(p.y, behind, q.y * before);
    // on its border the edges meet, too
    return (p.height * q.height < T(0.0)) & (x > T(0.0)) & (y > T(0.0)) & (x + y < both);
}

// where it does: how far from p to q, and in the coordinates of the face
template <class T>
struct Piercing {
    T along, x, y;
};
template <class T>
TARSUS_INLINE Piercing<T> piercing(const OverFace<T>& p, const OverFace<T>& q) {
    const T before = absolute(p.height), both = before + absolute(q.height);
    const T along = before / select(both > T(0.0), both, T(1.0));
    return {along, mul_add(along, q.x - p.x, p.x), mul_add(along, q.y - p.y, p.y)};
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 1>& a, const SweptCore<T, 1>& b) {
    const Vec3<T> w = b.origin - a.origin;
    const T zero(0.0);
    return {dot(w, w), zero, zero, zero, zero};
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 1>& a, const SweptCore<T, 2>& b) {
    const Vec3<T> w = a.origin - b.origin;
    const T x = along_edge(b.e, w), zero(0.0);
    const Vec3<T> c = neg_mul_add(b.e.along, x, w);
    return {dot(c, c), zero, zero, x, zero};
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 1>& a, const SweptCore<T, 3>& b) {
    const Vec3<T> d = a.origin - b.origin, from_e = d - b.e.along;
    const T zero(0.0);
    const OverFace<T> over = over_face(b, d);
    Nearest<T> best{inside_square(over), zero, zero, over.x, over.y};
    const T s = along_edge(b.e, d), t = along_edge(b.f, d), r = along_edge(b.g, from_e);
    const Vec3<T> on_e = neg_mul_add(b.e.along, s, d), on_f = neg_mul_add(b.f.along, t, d);
    const Vec3<T> on_g = neg_mul_add(b.g.along, r, from_e);
    best.take(dot(on_e, on_e), zero, zero, s, zero);
    best.take(dot(on_f, on_f), zero, zero, zero, t);
    best.take(dot(on_g, on_g), zero, zero, T(1.0) - r, r);
    return best;
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 2>& a, const SweptCore<T, 2>& b) {
    const EdgePair<T> found = nearest_edges(a.e, b.e, b.origin - a.origin);
    return {found.square, found.s, T(0.0), found.t, T(0.0)};
}

// an edge of a that starts at w before b's origin, and b's three edges; at(s) are coordinates on a
template <class T, class At>
TARSUS_INLINE void take_edges(const SweptEdge<T>& edge, const Vec3<T>& w, const SweptCore<T, 3>& b,
                              At&& at, Nearest<T>& best) {
    const EdgePair<T> e = nearest_edges(edge, b.e, w), f = nearest_edges(edge, b.f, w);
    const EdgePair<T> g = nearest_edges(edge, b.g, w + b.e.along);
    const T zero(0.0);
    at(e.s, [&](const T& x, const T& y) { best.take(e.square, x, y, e.t, zero); });
    at(f.s, [&](const T& x, const T& y) { best.take(f.square, x, y, zero, f.t); });
    at(g.s, [&](const T& x, const T& y) { best.take(g.square, x, y, T(1.0) - g.t, g.t); });
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 2>& a, const SweptCore<T, 3>& b) {
    const Vec3<T> w = b.origin - a.origin, d = a.origin - b.origin;
    const T zero(0.0), one(1.0);
    const OverFace<T> start = over_face(b, d), end = over_face(b, d + a.e.along);
    Nearest<T> best{inside_square(start), zero, zero, start.x, start.y};
    best.take(inside_square(end), one, zero, end.x, end.y);
    take_edges(a.e, w, b, [&](const T& s, auto&& put) { put(s, zero); }, best);
    const auto through = pierces(start, end);
    if (any(through)) {
        const Piercing<T> at = piercing(start, end);
        best.take(select(through, T(-1.0), T(kOutside)), at.along, zero, at.x, at.y);
    }
    return best;
}

// the corners of one triangle over the face of another, and its edges through it
template <class T>
struct Corners {
    OverFace<T> origin, e, f;
};
template <class T>
TARSUS_INLINE Corners<T> corners_over(const SweptCore<T, 3>& face, const SweptCore<T, 3>& other) {
    const Vec3<T> d = other.origin - face.origin;
    return {over_face(face, d), over_face(face, d + other.e.along),
            over_face(face, d + other.f.along)};
}
// put(square, face x, face y, other's x, other's y)
template <class T, class Put>
TARSUS_INLINE void take_corners(const Corners<T>& over, Put&& put) {
    const T zero(0.0), one(1.0);
    put(inside_square(over.origin), over.origin.x, over.origin.y, zero, zero);
    put(inside_square(over.e), over.e.x, over.e.y, one, zero);
    put(inside_square(over.f), over.f.x, over.f.y, zero, one);
}
template <class T, class Put>
TARSUS_INLINE void take_piercings(const Corners<T>& over, Put&& put) {
    const T zero(0.0), one(1.0), outside(kOutside);
    const auto e = pierces(over.origin, over.e), f = pierces(over.origin, over.f);
    const auto g = pierces(over.e, over.f);
    if (!any(e | f | g)) return;
    const Piercing<T> on_e = piercing(over.origin, over.e), on_f = piercing(over.origin, over.f);
    const Piercing<T> on_g = piercing(over.e, over.f);
    put(select(e, T(-1.0), outside), on_e.x, on_e.y, on_e.along, zero);
    put(select(f, T(-1.0), outside), on_f.x, on_f.y, zero, on_f.along);
    put(select(g, T(-1.0), outside), on_g.x, on_g.y, one - on_g.along, on_g.along);
}

template <class T>
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, 3>& a, const SweptCore<T, 3>& b) {
    const Vec3<T> w = b.origin - a.origin;
    const T zero(0.0), one(1.0);
    const Corners<T> of_a = corners_over(b, a), of_b = corners_over(a, b);
    Nearest<T> best{T(kOutside), zero, zero, zero, zero};
    const auto put_a = [&](const T& square, const T& bx, const T& by, const T& ax, const T& ay) {
        best.take(square, ax, ay, bx, by);
    };
    const auto put_b = [&](const T& square, const T& ax, const T& ay, const T& bx, const T& by) {
        best.take(square, ax, ay, bx, by);
    };
    take_corners(of_a, put_a);
    take_corners(of_b, put_b);
    take_edges(a.e, w, b, [&](const T& s, auto&& put) { put(s, zero); }, best);
    take_edges(a.f, w, b, [&](const T& s, auto&& put) { put(zero, s); }, best);
    take_edges(a.g, w - a.e.along, b, [&](const T& s, auto&& put) { put(one - s, s); }, best);
    take_piercings(of_a, put_a);
    take_piercings(of_b, put_b);
    return best;
}

template <class T, int m, int n>
    requires(m > n)
TARSUS_INLINE Nearest<T> nearest(const SweptCore<T, m>& a, const SweptCore<T, n>& b) {
    return swapped(nearest(b, a));
}

}  // namespace tarsus::TARSUS_ISA
