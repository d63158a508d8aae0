"""Rotations, quaternions, poses, twists and screws as NumPy arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.polynomial import polynomial
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.files import Array

__all__ = [
    "Screw",
    "adjoint",
    "bracket",
    "inverse",
    "pose",
    "pose_from_twist",
    "pose_step",
    "quaternion_conjugate",
    "quaternion_from_rotation",
    "quaternion_from_vector",
    "quaternion_product",
    "rotation_along",
    "rotation_between",
    "rotation_from_quaternion",
    "rotation_from_rpy",
    "rotation_from_vector",
    "rpy_from_quaternion",
    "rpy_from_rotation",
    "scalar_first",
    "scalar_last",
    "screw",
    "skew",
    "twist_from_pose",
    "vector_from_quaternion",
    "vector_from_rotation",
    "velocity_map",
]


# Arrays of the right shape, before anything is computed with them.


def shaped(value: ArrayLike, shape: tuple[int, ...], name: str) -> Array:
    """Return an array of numbers (…, *shape)."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} is not an array of numbers: {value!r}") from None
    if array.shape[-len(shape) :] != shape:
        sizes = ", ".join(map(str, shape))
        raise ValueError(f"{name} has shape {array.shape}, must be (…, {sizes})")
    return array


def unit(value: ArrayLike, name: str) -> Array:
    """Return a vector (3,) of length one."""
    vector = shaped(value, (3,), name)
    if vector.ndim != 1 or not abs(np.linalg.norm(vector) - 1.0) < 1e-6:
        raise ValueError(f"{name} is {vector.tolist()}, must be one vector of length 1")
    return vector


# Rotations as matrices (…, 3, 3), rotation vectors and roll, pitch, yaw.


def skew(vector: ArrayLike) -> Array:
    """Return the matrices (…, 3, 3) of cross products with vectors (…, 3): skew(a) b = a × b."""
    a = shaped(vector, (3,), "vector")
    found = np.zeros((*a.shape, 3))
    found[..., 2, 1], found[..., 0, 2], found[..., 1, 0] = a[..., 0], a[..., 1], a[..., 2]
    return np.asarray(found - np.swapaxes(found, -1, -2))


def rotation_from_vector(vector: ArrayLike) -> Array:
    """Return rotations (…, 3, 3) by rotation vectors (…, 3) [rad]: Rodrigues' formula."""
    turn = shaped(vector, (3,), "vector")
    k = skew(turn)
    angle = np.linalg.norm(turn, axis=-1)[..., None, None] / np.pi
    # sinc(x) is sin(πx)/(πx), also where x is zero; (1 − cos θ)/θ² is half the square of one
    return np.asarray(np.eye(3) + np.sinc(angle) * k + 0.5 * np.sinc(angle / 2) ** 2 * (k @ k))


def rotation_from_rpy(rpy: ArrayLike) -> Array:
    """Return the rotations Rz(yaw) Ry(pitch) Rx(roll), (…, 3, 3), of angles (…, 3) [rad]."""
    angles = shaped(rpy, (3,), "rpy")
    cr, cp, cy = np.moveaxis(np.cos(angles), -1, 0)
    sr, sp, sy = np.moveaxis(np.sin(angles), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def rpy_from_rotation(rotation: ArrayLike) -> Array:
    """Return roll, pitch and yaw (…, 3) [rad] of rotations (…, 3, 3)."""
    r = shaped(rotation, (3, 3), "rotation")
    # whatever yaw is, pitch and roll make up for it: exact also where yaw is not defined
    yaw = np.arctan2(r[..., 1, 0], r[..., 0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-r[..., 2, 0], c * r[..., 0, 0] + s * r[..., 1, 0])
    roll = np.arctan2(s * r[..., 0, 2] - c * r[..., 1, 2], c * r[..., 1, 1] - s * r[..., 0, 1])
    return np.stack([roll, pitch, yaw], axis=-1)


def rotation_along(z: ArrayLike, x: ArrayLike | None = None) -> Array:
    """Return a rotation (3, 3) whose third column is `z`, and whose first one is `x` if given.

    Both are unit vectors (3,), perpendicular to each other.
    """
    up = unit(z, "z")
    if x is None:
        first = np.cross(up, np.eye(3)[np.argmin(np.abs(up))])
        first /= np.linalg.norm(first)
    else:
        first = unit(x, "x")
    return np.column_stack([first, np.cross(up, first), up])


# Unit quaternions [x y z w] (…, 4).
#
# A quaternion of any other length but zero stands for the rotation of the unit one along it.


def fourfold() -> Array:
    """Return the matrix (16, 9) of 4 p pᵀ − 1 of a quaternion p, which is linear in its rotation.

    It has twice the symmetric part of the rotation, less the trace, and beside the real part the
    differences across the diagonal.
    """
    found = np.zeros((4, 4, 3, 3))
    found[3, 3] = np.eye(3)
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[i, i, (i, j, k), (i, j, k)] = 1.0, -1.0, -1.0
        found[(i, j), (j, i), i, j] = found[(i, j), (j, i), j, i] = 1.0
        found[(3, i), (i, 3), k, j], found[(3, i), (i, 3), j, k] = 1.0, -1.0
    return found.reshape(16, 9)


FOURFOLD, ONE = fourfold(), np.eye(4).reshape(16, 1)


def rotation_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return rotations (…, 3, 3)."""
    q = shaped(quaternion, (4,), "quaternion")
    x, y, z, w = np.moveaxis(q, -1, 0)
    square = x * x + y * y + z * z + w * w
    if not np.all(square > 0.0):
        raise ValueError("quaternion has length zero or is not a number: it is no rotation")
    twice = 2.0 / square
    x2, y2, z2 = twice * x, twice * y, twice * z
    xx, yy, zz, xy, xz, yz = x * x2, y * y2, z * z2, x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    found = np.empty((*q.shape[:-1], 3, 3))
    found[..., 0, 0], found[..., 0, 1], found[..., 0, 2] = 1.0 - (yy + zz), xy - wz, xz + wy
    found[..., 1, 0], found[..., 1, 1], found[..., 1, 2] = xy + wz, 1.0 - (xx + zz), yz - wx
    found[..., 2, 0], found[..., 2, 1], found[..., 2, 2] = xz - wy, yz + wx, 1.0 - (xx + yy)
    return found


def quaternion_from_rotation(rotation: ArrayLike) -> Array:
    """Return the unit quaternions (…, 4) of rotations (…, 3, 3) that have w ≥ 0."""
    r = shaped(rotation, (3, 3), "rotation")
    products = FOURFOLD @ r.reshape(-1, 9, 1) + ONE
    # the row with the largest diagonal divides by no small number
    largest = products[:, ::5, 0].argmax(axis=1)
    p = products.reshape(-1, 4, 4)[np.arange(len(largest)), largest]
    p /= np.where(p[:, 3:] < 0.0, -1.0, 1.0) * np.sqrt((p * p).sum(axis=1, keepdims=True))
    return np.asarray(p.reshape(*r.shape[:-2], 4))


def quaternion_from_vector(vector: ArrayLike) -> Array:
    """Return the quaternions (…, 4) of rotation vectors (…, 3) [rad]: the exponential."""
    turn = shaped(vector, (3,), "vector")
    half = np.linalg.norm(turn, axis=-1, keepdims=True) / 2.0
    # sinc(x) is sin(πx)/(πx), also where x is zero
    return np.concatenate([turn * np.sinc(half / np.pi) / 2.0, np.cos(half)], axis=-1)


def vector_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return the rotation vectors (…, 3) [rad] of at most half a turn: the logarithm."""
    q = shaped(quaternion, (4,), "quaternion")
    q = np.where(q[..., 3:] < 0.0, -q, q)
    sine = np.linalg.norm(q[..., :3], axis=-1, keepdims=True)
    small = sine < 1e-9 * q[..., 3:]
    angle = 2.0 * np.arctan2(sine, q[..., 3:])
    # a turn too small for its square: twice the vector part, of a quaternion of any length
    near = 2.0 / np.where(small, q[..., 3:], 1.0)
    return np.asarray(q[..., :3] * np.where(small, near, angle / np.where(small, 1.0, sine)))


def vector_from_rotation(rotation: ArrayLike) -> Array:
    """Return rotation vectors (…, 3) [rad] of rotations (…, 3, 3), of at most half a turn."""
    return vector_from_quaternion(quaternion_from_rotation(rotation))


def rotation_between(start: ArrayLike, end: ArrayLike, share: ArrayLike) -> Array:
    """Return rotations (…, 3, 3) on the shortest way from `start` to `end`, `share` (…) of it.

    A turn about one axis by an angle that grows with the share; at half a turn one of two ways.
    """
    first, last = shaped(start, (3, 3), "start"), shaped(end, (3, 3), "end")
    turn = vector_from_rotation(np.swapaxes(first, -1, -2) @ last)
    return np.asarray(first @ rotation_from_vector(np.asarray(share)[..., None] * turn))


def rpy_from_quaternion(quaternion: ArrayLike) -> Array:
    """Return roll, pitch and yaw (…, 3) [rad]."""
    return rpy_from_rotation(rotation_from_quaternion(quaternion))


def quaternion_product(a: ArrayLike, b: ArrayLike) -> Array:
    """Return the product (…, 4): the rotation b, then a."""
    p, q = shaped(a, (4,), "a"), shaped(b, (4,), "b")
    u, s, v, t = p[..., :3], p[..., 3:], q[..., :3], q[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.concatenate([vector, s * t - (u * v).sum(axis=-1, keepdims=True)], axis=-1)


def quaternion_conjugate(quaternion: ArrayLike) -> Array:
    """Return the quaternions (…, 4) of the rotations back."""
    return np.asarray(shaped(quaternion, (4,), "quaternion") * np.array([-1.0, -1.0, -1.0, 1.0]))


def scalar_first(quaternion: ArrayLike) -> Array:
    """Return [w x y z] (…, 4), as MuJoCo and Drake have it."""
    return np.roll(shaped(quaternion, (4,), "quaternion"), 1, axis=-1)


def scalar_last(quaternion: ArrayLike) -> Array:
    """Return [x y z w] (…, 4) of quaternions [w x y z]."""
    return np.roll(shaped(quaternion, (4,), "quaternion"), -1, axis=-1)


# Poses (…, 4, 4): where a frame is and how it is turned, and the twists between them.


def pose(position: ArrayLike | None = None, rotation: ArrayLike | None = None) -> Array:
    """Return poses (…, 4, 4) of positions (…, 3) and rotations (…, 3, 3); none is the origin's."""
    at = np.zeros(3) if position is None else shaped(position, (3,), "position")
    turn = np.eye(3) if rotation is None else shaped(rotation, (3, 3), "rotation")
    found = np.zeros((*np.broadcast_shapes(at.shape[:-1], turn.shape[:-2]), 4, 4))
    found[..., :3, :3], found[..., :3, 3], found[..., 3, 3] = turn, at, 1.0
    return found


def inverse(pose: ArrayLike) -> Array:
    """Return the poses (…, 4, 4) back."""
    there = shaped(pose, (4, 4), "pose")
    back = np.swapaxes(there[..., :3, :3], -1, -2)
    found = np.zeros_like(there)
    found[..., :3, :3], found[..., 3, 3] = back, 1.0
    found[..., :3, 3] = -(back @ there[..., :3, 3:])[..., 0]
    return found


def pose_from_twist(twist: ArrayLike) -> Array:
    """Return the poses (…, 4, 4) after twists [linear, angular] (…, 6): the exponential of SE(3).

    R. Murray, Z. Li, S. Sastry, "A Mathematical Introduction to Robotic Manipulation", 1994,
    equation 2.36.
    """
    step = shaped(twist, (6,), "twist")
    turn = step[..., 3:]
    return pose((mean_rotation(turn) @ step[..., :3, None])[..., 0], rotation_from_vector(turn))


def mean_rotation(vector: ArrayLike) -> Array:
    """Return the mean (…, 3, 3) of all rotations on the way from none to vectors (…, 3) [rad]."""
    turn = shaped(vector, (3,), "vector")
    k = skew(turn)
    angle = np.linalg.norm(turn, axis=-1)[..., None, None]
    half = 0.5 * np.sinc(angle / (2 * np.pi)) ** 2
    return np.asarray(np.eye(3) + half * k + _third(angle) * (k @ k))


def twist_from_pose(pose: ArrayLike) -> Array:
    """Return the twists (…, 6) that lead to poses (…, 4, 4): the logarithm of SE(3)."""
    there = shaped(pose, (4, 4), "pose")
    angular = vector_from_rotation(there[..., :3, :3])
    spread = step_rate_matrix("spherical", angular) - bracket_matrix("spherical", angular)
    return np.concatenate([(spread @ there[..., :3, 3:])[..., 0], angular], axis=-1)


def pose_step(start: ArrayLike, end: ArrayLike) -> Array:
    """Return the twists (…, 6), in the frame of the first, from one pose (…, 4, 4) to another."""
    return twist_from_pose(inverse(start) @ shaped(end, (4, 4), "end"))


def _third(angle: Array) -> Array:
    """Return (θ − sin θ)/θ³, by its series where the difference would lose digits."""
    small = angle < 0.25
    square = angle * angle
    series = (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))) / 6
    safe = np.where(small, 1.0, angle)
    return np.where(small, series, (safe - np.sin(safe)) / safe**3)


# Twists [linear, angular] (…, 6) seen from other frames, and twists of changing exponentials.
#
# A pose H of frame j in frame i takes twists from j to i by its adjoint, T_i = Ad T_j, and wrenches
# [force, moment] back by the transpose, W_j = Adᵀ W_i, so that power does not depend on the frame.
# While a frame moves with a twist T in its own axes, d/dt Ad = Ad ad(T).
#
# With H = H₀ exp(φ) the twist of the body in its own axes is S(φ) φ̇,
#
#     S(φ) = Σ (−A)ˡ/(l + 1)! = 1 − A/2 + A²/6 − …,    A = ad(φ).
#
# In SE(3) A (A² + u)² = 0, u the square of the turn, which leaves four powers of A whose factors
# are numbers: with k = (1 − cos √u)/u, e = (√u − sin √u)/√u³ and their slopes k′, e′ in u
#
#     S = 1 − (k − u k′) A + (e − u e′) A² + k′ A³ − e′ A⁴ .
#
# V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots", University of
# Twente 2006, section 2.1 and (A.33), where angular components come first.


TERMS = 10
"""Of the series for turns below one radian: what is left out is 1e-21."""


def adjoint(pose: ArrayLike) -> Array:
    """Return Ad (…, 6, 6) of poses (…, 4, 4): from twists in the posed frame to the other's."""
    there = shaped(pose, (4, 4), "pose")
    rotation = there[..., :3, :3]
    found = np.zeros((*there.shape[:-2], 6, 6))
    found[..., :3, :3] = found[..., 3:, 3:] = rotation
    found[..., :3, 3:] = skew(there[..., :3, 3]) @ rotation
    return found


def bracket(twist: ArrayLike) -> Array:
    """Return ad (…, 6, 6) of twists (…, 6): the matrix of Lie brackets, ad(x) y = [x, y]."""
    return bracket_matrix("free", shaped(twist, (6,), "twist"))


def velocity_map(step: ArrayLike) -> Array:
    """Return S (…, 6, 6) at exponential coordinates φ (…, 6): the body's twist is S(φ) φ̇."""
    at = shaped(step, (6,), "step")
    a = bracket_matrix("free", at)
    u = np.square(at[..., 3:]).sum(axis=-1)[..., None, None]
    k, k_slope, e, e_slope = _numbers(u)
    square = a @ a
    odd = (k - u * k_slope) * np.eye(6) - k_slope * square
    even = (e - u * e_slope) * np.eye(6) - e_slope * square
    return np.asarray(np.eye(6) - a @ odd + square @ even)


def _numbers(u: Array) -> tuple[Array, Array, Array, Array]:
    """Return k, k′, e and e′, by their series where differences would lose digits."""
    small = u < 1.0
    turn = np.sqrt(np.where(small, 1.0, u))
    rest, sine = 1.0 - np.cos(turn), np.sin(turn)
    closed = (
        rest / turn**2,
        (turn * sine - 2.0 * rest) / (2.0 * turn**4),
        (turn - sine) / turn**3,
        (turn * rest - 3.0 * (turn - sine)) / (2.0 * turn**5),
    )
    near = np.where(small, u, 0.0)
    series = (polynomial.polyval(near, _coefficients(*each)) for each in CHOICES)
    k, k_slope, e, e_slope = (np.where(small, a, b) for a, b in zip(series, closed, strict=True))
    return k, k_slope, e, e_slope


CHOICES = ((2, 0), (2, 1), (3, 0), (3, 1))
"""First factorial, and order of the slope, of k, k′, e and e′."""


def _coefficients(first: int, order: int) -> Array:
    """Return those of the slope of some order of Σ (−u)ʲ/(2j + first)!."""
    terms = [(-1.0) ** j / math.factorial(2 * j + first) for j in range(TERMS)]
    return np.asarray(polynomial.polyder(terms, order))


# Chasles' theorem: every twist is a turn about a line, and a slide along it.
#
# With a unit vector a along the line and a point r on it, T = α (r × a, a) + β (a, 0), linear
# first. V. Duindam, "Port-Based Modeling and Control for Efficient Bipedal Walking Robots",
# University of Twente 2006, theorem 2.7.


KINDS = ("rest", "translation", "rotation", "screw")


@dataclass(frozen=True, eq=False)
class Screw:
    """Twists as turns about lines and slides along them; see `screw`."""

    axis: Array
    """Unit vectors along the lines (…, 3), zero at rest."""
    point: Array
    """The points of the lines that are nearest to the origin (…, 3) [m], zero without a turn."""
    rate: Array
    """Of turning about the line, α (…) [rad/s], not negative."""
    speed: Array
    """Along the line, β (…) [m/s], not negative where nothing turns."""

    @property
    def pitch(self) -> Array:
        """Metres a radian (…): β/α, infinite where nothing turns, not a number at rest."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.speed / self.rate)

    @property
    def kind(self) -> NDArray[np.str_]:
        """One of "rest", "translation", "rotation" and "screw" for each twist (…)."""
        turns, slides = self.rate > 0.0, self.speed != 0.0
        kinds: NDArray[np.str_] = np.asarray(KINDS)[slides + 2 * turns]
        return kinds

    @property
    def twist(self) -> Array:
        """The twists [linear, angular] (…, 6)."""
        angular = self.rate[..., None] * self.axis
        linear = np.cross(self.point, angular) + self.speed[..., None] * self.axis
        return np.concatenate([linear, angular], axis=-1)


def screw(twist: ArrayLike) -> Screw:
    """Return the lines about which twists [linear, angular] (…, 6) turn and along which they go."""
    given = shaped(twist, (6,), "twist")
    linear, angular = given[..., :3], given[..., 3:]
    rate = np.linalg.norm(angular, axis=-1)
    turns = (rate > 0.0)[..., None]
    along = np.where(turns, angular, linear)
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    axis = along / np.where(length > 0.0, length, 1.0)
    speed = (axis * linear).sum(axis=-1)
    point = np.cross(axis, linear) / np.where(turns, rate[..., None], 1.0)
    return Screw(axis, np.where(turns, point, 0.0), rate, speed)


# Motion relative to a moving target on the Lie groups of joints and frames: SO(3), SE(2), SE(3).
#
# Where a body is and where it should be are a step e apart, q = q_d exp(e), and velocities are in
# the frame of the body, v = q⁻¹ q̇. With the matrix A of the Lie bracket, A x = [e, x]:
#
#     exp(−A) v_d             the target's velocity, seen from the body
#     w = v − exp(−A) v_d     the velocity relative to the target
#     ė = D w,                D = A (1 − exp(−A))⁻¹ = 1 + A/2 + Σ B₂ₖ/(2k)! A²ᵏ
#
# with Bernoulli numbers B. For a turn by √u, A⁶ = −2u A⁴ − u² A² in each of the groups, and the
# series is that of a number, c(u) = Σ B₂ₖ/(2k)! (−u)ᵏ⁻¹:
#
#     D = 1 + A/2 + (c − u c′) A² − c′ A⁴ .
#
# F. Bullo, R. M. Murray, "Proportional derivative (PD) control on the Euclidean group", European
# Control Conference 1995; A. Iserles, H. Munthe-Kaas, S. Nørsett, A. Zanna, "Lie-group methods",
# Acta Numerica 9, 2000, section 2.6.


TURN = {"spherical": slice(0, 3), "planar": slice(2, 3), "free": slice(3, 6)}
"""The kinds of joints that are groups, and where the turn is in their steps."""

TERMS_GROUPS = 36
"""Of the series: for half a turn, the most that a difference has, what is left out is 1e-20."""


def _series() -> Array:
    """Return the coefficients (TERMS, 3) of c, c′ and c″ as polynomials in u.

    (−1)ᵏ⁻¹ B₂ₖ/(2k)! = 2 ζ(2k)/(2π)²ᵏ, and ζ is a sum with a tail by Euler and Maclaurin.
    """
    s, n = 2.0 * np.arange(1, TERMS_GROUPS + 1), 2000.0
    tail = n ** (1.0 - s) / (s - 1.0) - n**-s / 2.0 + s * n ** (-1.0 - s) / 12.0
    zeta = (np.arange(n, 0.0, -1.0)[:, None] ** -s).sum(axis=0) + tail
    c = 2.0 * zeta / (2.0 * np.pi) ** s
    columns = (polynomial.polyder(c, order) for order in range(3))
    return np.stack(
        [np.pad(column, (0, TERMS_GROUPS - len(column))) for column in columns], axis=-1
    )


def _structure(kind: str) -> Array:
    """Return the numbers (n, n, n) with [x, y]ⱼ = Σ xᵢ structureᵢⱼₖ yₖ."""
    cross = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross[k, i, j], cross[k, j, i] = -1.0, 1.0
    if kind == "spherical":
        return cross
    whole = np.zeros((6, 6, 6))  # [linear, angular]: ω × v' + v × ω', ω × ω'
    whole[3:, :3, :3] = whole[:3, :3, 3:] = whole[3:, 3:, 3:] = cross
    return whole if kind == "free" else whole[np.ix_(*[[0, 1, 5]] * 3)]


SERIES = _series()
STRUCTURE = {kind: _structure(kind) for kind in TURN}


def bracket_matrix(kind: str, x: Array) -> Array:
    """Return the matrices (…, n, n) of the Lie bracket [x, y] of the group of a kind of joint."""
    structure = STRUCTURE[kind]
    n = len(structure)
    return np.asarray((x @ structure.reshape(n, n * n)).reshape(*x.shape, n))


def step_rate_matrix(kind: str, step: Array) -> Array:
    """Return D (…, n, n), from the relative velocity to the rate of the step (…, n)."""
    a = bracket_matrix(kind, step)
    square = a @ a
    u, c, slope, _ = _numbers_groups(kind, step)
    even = (c - u * slope) * square - slope * (square @ square)
    return np.asarray(np.eye(a.shape[-1]) + a / 2.0 + even)


def step_rate_matrix_rate(kind: str, step: Array, rate: Array) -> Array:
    """Return the time derivative of D (…, n, n) while the step changes with a rate (…, n)."""
    a, a_rate = bracket_matrix(kind, step), bracket_matrix(kind, rate)
    square, square_rate = a @ a, a_rate @ a + a @ a_rate
    u, c, slope, bend = _numbers_groups(kind, step)
    turn = TURN[kind]
    u_rate = 2.0 * (step[..., turn] * rate[..., turn]).sum(axis=-1)[..., None, None]
    fourth_rate = square_rate @ square + square @ square_rate
    change = (c - u * slope) * square_rate - slope * fourth_rate
    return np.asarray(a_rate / 2.0 + change - bend * u_rate * (u * square + square @ square))


def _numbers_groups(kind: str, step: Array) -> tuple[Array, Array, Array, Array]:
    """Return u, c, c′ and c″, each (…, 1, 1)."""
    u = (step[..., TURN[kind]] ** 2).sum(axis=-1)
    c = (u[..., None] ** np.arange(TERMS_GROUPS)) @ SERIES
    numbers = np.concatenate([u[..., None], c], axis=-1)[..., None, None]
    return (
        numbers[..., 0, :, :],
        numbers[..., 1, :, :],
        numbers[..., 2, :, :],
        numbers[..., 3, :, :],
    )


@dataclass(frozen=True)
class Relative:
    """Motion relative to a target, in the frame of the body."""

    velocity: Array
    """w (…, n)."""
    step_rate: Array
    """D (…, n, n), with ė = D w."""
    target_velocity: Array
    """The target's velocity, seen from the body (…, n)."""
    target_acceleration: Array
    """The time derivative of `target_velocity` (…, n)."""


def relative_motion(kind: str, step: Array, v: Array, v_target: Array, a_target: Array) -> Relative:
    """Return the motion relative to a target that moves with v_target (…, n) in its own frame."""
    step_rate = step_rate_matrix(kind, step)
    seen = np.eye(step.shape[-1]) - np.linalg.solve(step_rate, bracket_matrix(kind, step))
    target = (seen @ v_target[..., None])[..., 0]  # seen is exp(−A), as D (1 − exp(−A)) = A
    velocity = v - target
    turning = bracket_matrix(kind, velocity) @ target[..., None]
    acceleration = (seen @ a_target[..., None] - turning)[..., 0]
    return Relative(velocity, step_rate, target, acceleration)
