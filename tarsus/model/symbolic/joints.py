"""Joints, couplings and surfaces in symbols, with exact numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy
from numpy.typing import ArrayLike
from sympy import atan2, cos, sin, sqrt

from tarsus import _core
from tarsus._lib.errors import ModelError
from tarsus.model.couplings import DIRECTIONS
from tarsus.model.description import Coupling
from tarsus.model.symbolic.recursions import Values, skew

# How each kind of joint moves, in symbols: the same definitions as in the core's joint files.


ZERO = np.zeros(3, dtype=object)
UNIT = np.eye(3, dtype=int).astype(object)
X, Y, Z = UNIT


@dataclass(frozen=True)
class Frame:
    """What a joint is besides its coordinates: axes (3,), sizes [m/rad, m, m] and surfaces."""

    axis: Values
    second_axis: Values
    plane: Values
    """A rotation (3, 3) to x and y of a plane and its normal, the axis."""
    pitch: Any
    radius: Any
    track: Any
    surface: Surface | None = None
    ground: Surface | None = None


@dataclass(frozen=True)
class Motion:
    """The pose of the child on its neutral pose, and how it moves from there.

    The child's velocity is basis (6, n) times mixing (n, nv) times v, in its own frame and linear
    first; the basis is constant, and the mixing None if it is the unit matrix. `rate` is q̇ (nq,).
    """

    rotation: Values
    translation: Values
    basis: Values
    rate: Values
    mixing: Values | None = None


def axis_plane(axis: Values) -> Values:
    """Return the rotation from z to an axis of floating-point numbers, as the core has it."""
    return exact_array(_core.axis_rotation(np.asarray(axis, dtype=np.float64)))


def turn(axis: Values, angle: Any) -> Values:
    """Return the rotation (3, 3) about a unit vector (Rodrigues)."""
    c, s = cos(angle), sin(angle)
    return np.asarray(c * UNIT + s * skew(axis) + (1 - c) * np.outer(axis, axis))


def quaternion_turn(q: Values) -> Values:
    """Return the rotation (3, 3) of a unit quaternion [x y z w]."""
    u, w = skew(q[:3]), q[3]
    return np.asarray(UNIT + 2 * w * u + 2 * (u @ u))


def quaternion_rate(q: Values, omega: Values) -> Values:
    """Return ½ q ⊗ ω (4,)."""
    u, w = q[:3], q[3]
    return np.array([*(w * omega + skew(u) @ omega), -(u @ omega)], dtype=object) / 2


def stack(*columns: tuple[Values, Values]) -> Values:
    """Return motions (6, n) from pairs of a linear and an angular part."""
    return np.array([[*linear, *angular] for linear, angular in columns], dtype=object).T


LINEAR = [(axis, ZERO) for axis in UNIT]
ANGULAR = [(ZERO, axis) for axis in UNIT]


def revolute(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(turn(f.axis, q[0]), ZERO, stack((ZERO, f.axis)), v)


def prismatic(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(UNIT, q[0] * f.axis, stack((f.axis, ZERO)), v)


def screw(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(turn(f.axis, q[0]), f.pitch * q[0] * f.axis, stack((f.pitch * f.axis, f.axis)), v)


def cylindrical(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(turn(f.axis, q[0]), q[1] * f.axis, stack((ZERO, f.axis), (f.axis, ZERO)), v)


def universal(f: Frame, q: Values, v: Values) -> Motion:
    second = turn(f.second_axis, q[1])
    mixing = np.stack([second.T @ f.axis, f.second_axis], axis=1)
    return Motion(turn(f.axis, q[0]) @ second, ZERO, stack(*ANGULAR), v, mixing)


def spherical(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(quaternion_turn(q), ZERO, stack(*ANGULAR), quaternion_rate(q, v))


def spherical_zyx(f: Frame, q: Values, v: Values) -> Motion:
    pitch, roll = turn(Y, q[1]), turn(X, q[2])
    mixing = np.stack([roll.T @ (pitch.T @ Z), roll.T @ Y, X], axis=1)
    return Motion(turn(Z, q[0]) @ pitch @ roll, ZERO, stack(*ANGULAR), v, mixing)


def planar(f: Frame, q: Values, v: Values) -> Motion:
    x, y = f.plane[:, 0], f.plane[:, 1]
    rate = np.array([*(turn(Z, q[2])[:2, :2] @ v[:2]), v[2]], dtype=object)
    basis = stack((x, ZERO), (y, ZERO), (ZERO, f.axis))
    return Motion(turn(f.axis, q[2]), q[0] * x + q[1] * y, basis, rate)


def translation(f: Frame, q: Values, v: Values) -> Motion:
    return Motion(UNIT, q, stack(*LINEAR), v)


def free(f: Frame, q: Values, v: Values) -> Motion:
    rotation = quaternion_turn(q[3:])
    rate = np.concatenate([rotation @ v[:3], quaternion_rate(q[3:], v[3:])])
    return Motion(rotation, q[:3], stack(*LINEAR, *ANGULAR), rate)


def knife_edge(f: Frame, q: Values, v: Values) -> Motion:
    rate = np.array([*_ahead(q[2], v[0]), v[1]], dtype=object)
    return Motion(turn(Z, q[2]), _on_plane(q), stack((X, ZERO), (ZERO, Z)), rate)


def rolling_wheel(f: Frame, q: Values, v: Values) -> Motion:
    spin = turn(Y, q[3])
    rate = np.array([*_ahead(q[2], f.radius * v[1]), v[0], v[1]], dtype=object)
    mixing = stack((ZERO, spin.T @ Z), (f.radius * spin.T @ X, Y))
    place = _on_plane(q) + f.radius * Z
    return Motion(turn(Z, q[2]) @ spin, place, stack(*LINEAR, *ANGULAR), rate, mixing)


def rolling_disc(f: Frame, q: Values, v: Values) -> Motion:
    heading, lean, spin = turn(Z, q[2]), turn(X, q[3]), turn(Y, q[4])
    forward = f.radius * spin.T @ X
    mixing = stack(
        (sin(q[3]) * forward, spin.T @ (lean.T @ Z)),
        (-f.radius * Y, spin.T @ X),
        (forward, Y),
    )
    place = _on_plane(q) + f.radius * heading @ (lean @ Z)
    rate = np.array([*_ahead(q[2], f.radius * v[2]), *v], dtype=object)
    return Motion(heading @ lean @ spin, place, stack(*LINEAR, *ANGULAR), rate, mixing)


def rolling_ball(f: Frame, q: Values, v: Values) -> Motion:
    rotation = quaternion_turn(q[2:])
    omega, arm = rotation @ v, f.radius * rotation.T @ Z  # from the contact point to the centre
    mixing = np.concatenate([-skew(arm), UNIT])
    rolling = [f.radius * omega[1], -f.radius * omega[0]]
    rate = np.array([*rolling, *quaternion_rate(q[2:], v)], dtype=object)
    return Motion(rotation, _on_plane(q) + f.radius * Z, stack(*LINEAR, *ANGULAR), rate, mixing)


def rolling_cylinder(f: Frame, q: Values, v: Values) -> Motion:
    rotation, place = turn(Y, q[0]), f.radius * (q[0] * X + Z)
    mixing = stack((f.radius * rotation.T @ X, Y))
    return Motion(rotation, place, stack(*LINEAR, *ANGULAR), v, mixing)


def rolling(f: Frame, q: Values, v: Values) -> Motion:
    """The equations of core/joints/rolling_contact.hpp."""
    assert f.surface is not None and f.ground is not None
    rotation, (height, slopes, bends) = quaternion_turn(q[2:]), ground_height(f.ground, q[0], q[1])
    normal = rotation.T @ np.array([*slopes, -1], dtype=object)
    point, slope = inverse_gauss(f.surface, normal)
    place = np.array([q[0], q[1], height], dtype=object) - rotation @ point
    radii = rotation @ slope @ rotation.T
    fit = UNIT[:2, :2] - radii[:2, :2] @ bends
    along = (rotation @ slope @ (skew(normal) @ v))[:2]
    product = fit[0, 0] * fit[1, 1] - fit[0, 1] * fit[1, 0]
    travel = [fit[1, 1] * along[0] - fit[0, 1] * along[1]]
    travel += [fit[0, 0] * along[1] - fit[1, 0] * along[0]]
    rate = np.array([*(x / product for x in travel), *quaternion_rate(q[2:], v)], dtype=object)
    mixing = np.concatenate([skew(point), UNIT])
    return Motion(rotation, place, stack(*LINEAR, *ANGULAR), rate, mixing)


def differential_base(f: Frame, q: Values, v: Values) -> Motion:
    ahead, turning = f.radius / 2, f.radius / f.track
    speed = ahead * (v[0] + v[1])
    rate = np.array([*_ahead(q[2], speed), turning * (v[1] - v[0]), *v], dtype=object)
    basis = stack((ahead * X, -turning * Z), (ahead * X, turning * Z))
    return Motion(turn(Z, q[2]), _on_plane(q), basis, rate)


def _on_plane(q: Values) -> Values:
    return np.array([q[0], q[1], 0], dtype=object)


def _ahead(heading: Any, speed: Any) -> tuple[Any, Any]:
    return cos(heading) * speed, sin(heading) * speed


MOTIONS: Mapping[str, Callable[[Frame, Values, Values], Motion]] = {
    motion.__name__: motion
    for motion in (
        *(revolute, prismatic, screw, cylindrical, universal, spherical, spherical_zyx, planar),
        *(translation, free, knife_edge, rolling_wheel, rolling_disc, rolling_ball),
        *(differential_base, rolling_cylinder, rolling),
    )
}
"""From the kind of a joint to its motion, for its coordinates q (nq,) and velocities v (nv,)."""


# Positions of joints that follow others, in symbols: the same formulas as in core/couplings.


def closed_form(coupling: Coupling, y: Values) -> list[Any]:
    """Return the positions of the followers for the positions y of the leaders."""
    if coupling.kind not in FORMS:
        raise ModelError(
            f"coupling {coupling.name!r}: a function has no symbolic form; state it as one of "
            f"linear, {', '.join(FORMS)}",
            coupling.source,
        )
    numbers = {key: _number(key, value) for key, value in coupling.parameters.items()}
    turns = exact(2.0 * math.pi / float(coupling.parameters["lead"]))
    return FORMS[coupling.kind](numbers, turns, y)


def spindle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equations 3.3 and 3.4."""
    r = p["pivot"] + turn(p["axis"], y[0]) @ p["nut"]
    return [turns * sqrt(r @ r)]


def tilting_spindle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equations 3.15 to 3.21."""
    r, reference = p["pivot"] + turn(p["axis"], y[0]) @ p["nut"], p["reference"]
    tilt = atan2(p["axis"] @ (skew(reference) @ r), reference @ r)
    return [tilt, turns * sqrt(r @ r)]


def parallel_ankle(p: Mapping[str, Values], turns: Any, y: Values) -> list[Any]:
    """Schwienbacher 2013, equation 3.25."""
    foot = turn(p["first_axis"], y[0]) @ turn(p["second_axis"], y[1])
    found = []
    for top, bottom in zip(p["tops"], p["bottoms"], strict=True):
        r = p["ankle"] + foot @ bottom - top
        along = p["screw_axis"] @ r
        found.append(turns * (along - sqrt(p["coupler"] ** 2 - r @ r + along**2)))
    return found


FORMS = {"spindle": spindle, "tilting_spindle": tilting_spindle, "parallel_ankle": parallel_ankle}


def _number(key: str, value: Any) -> Any:
    array = np.asarray(value, dtype=np.float64)
    if key in DIRECTIONS:
        array = array / np.linalg.norm(array)
    return exact_array(array)[()]


# Surfaces of bodies that roll and of their grounds, in symbols: as in the core's surface files.


@dataclass(frozen=True)
class Surface:
    """A kind of surface with its numbers, which may be symbols."""

    kind: str
    numbers: list[Any]


def inverse_gauss(surface: Surface, normal: Values) -> tuple[Values, Values]:
    """Return where a body has an outward normal (3,) of any length, and its slope (3, 3)."""
    m = sympy.symbols("m_x m_y m_z", cls=sympy.Dummy, real=True)
    support = _support(surface, *m)
    gradient = [sympy.diff(support, x) for x in m]
    hessian = [[sympy.diff(of_one, x) for x in m] for of_one in gradient]
    here = dict(zip(m, normal, strict=True))
    point = [each.subs(here, simultaneous=True) for each in gradient]
    slope = [[each.subs(here, simultaneous=True) for each in row] for row in hessian]
    return np.array(point, dtype=object), np.array(slope, dtype=object)


def ground_height(ground: Surface, x: Any, y: Any) -> tuple[Any, Values, Values]:
    """Return the height of a ground at x and y, its slopes (2,) and second derivatives (2, 2)."""
    places = sympy.symbols("x y", cls=sympy.Dummy, real=True)
    height = sympy.sympify(_height(ground, *places))
    slopes = [sympy.diff(height, along) for along in places]
    bends = [[sympy.diff(slope, along) for along in places] for slope in slopes]
    here = dict(zip(places, (x, y), strict=True))

    def at(value: Any) -> Any:
        return value.subs(here, simultaneous=True)

    second = [[at(bend) for bend in row] for row in bends]
    return at(height), np.array([at(s) for s in slopes], object), np.array(second, object)


def _support(surface: Surface, x: Any, y: Any, z: Any) -> Any:
    """Return the support function: how far a body reaches along (x, y, z), times its length."""
    n, flat = surface.numbers, sympy.sqrt(x**2 + y**2)
    if surface.kind == "sphere":
        return n[0] * sympy.sqrt(x**2 + y**2 + z**2)
    if surface.kind == "ellipsoid":
        return sympy.sqrt((n[0] * x) ** 2 + (n[1] * y) ** 2 + (n[2] * z) ** 2)
    if surface.kind == "disc":
        return n[0] * flat
    if surface.kind == "torus":
        return n[0] * flat + n[1] * sympy.sqrt(x**2 + y**2 + z**2)
    raise NotImplementedError(f"no symbols for a body of kind {surface.kind!r}")


def _height(ground: Surface, x: Any, y: Any) -> Any:
    n = ground.numbers
    if ground.kind == "plane":
        return sympy.Integer(0)
    if ground.kind == "sphere":
        return sympy.sqrt(n[0] ** 2 - x**2 - y**2)
    if ground.kind == "ellipsoid":
        return n[2] * sympy.sqrt(1 - (x / n[0]) ** 2 - (y / n[1]) ** 2)
    if ground.kind == "paraboloid":
        return n[0] * x**2 + n[1] * y**2
    if ground.kind == "sinusoid":
        return n[0] * sympy.sin(2 * sympy.pi * n[1] * y)
    raise NotImplementedError(f"no symbols for a ground of kind {ground.kind!r}")


# From floating-point numbers to exact ones, where it is safe.


ROUNDING = 1e-15
"""Relative errors that are taken for rounding."""
DENOMINATOR = 10_000
DIGITS = 12


def exact(value: float, scale: float = 0.0) -> Any:
    """Return a number of SymPy: r, r√2 or r√3 with a simple fraction r, if there is one.

    Sines and cosines of π/6, π/4, π/3 and π/2 become exact this way. Other decimals of few digits
    become fractions, too, and the rest stays a floating-point number with all its digits. What is
    rounding beside `scale` is zero.
    """
    number = float(value)
    if abs(number) <= ROUNDING * scale or number == 0.0:
        return sympy.Integer(0)
    for root in (1, 2, 3):
        ratio = Fraction(number / math.sqrt(root)).limit_denominator(DENOMINATOR)
        if abs(float(ratio) * math.sqrt(root) - number) <= ROUNDING * abs(number):
            return sympy.Rational(ratio.numerator, ratio.denominator) * sympy.sqrt(root)
    mantissa = repr(number).partition("e")[0]
    if sum(character.isdigit() for character in mantissa) <= DIGITS:
        return sympy.Rational(repr(number))
    return sympy.Float(number, 17)


def exact_array(values: ArrayLike, scale: float = 1.0) -> Values:
    """Return an array of exact numbers; `scale` as for `exact`."""
    array = np.asarray(values, dtype=np.float64)
    flat = [exact(value, scale) for value in array.ravel()]
    return np.array(flat, dtype=object).reshape(array.shape)
