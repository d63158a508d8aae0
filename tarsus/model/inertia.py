"""Inertias: welding them together, and whether a distribution of mass can have them.

The second moments of mass of a body, ½ tr(I) 1 − I about its centre of mass, cannot be
negative. This is the triangle inequality of the principal moments, and it implies that the
inertia is positive semi-definite.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tarsus._lib.checks import read_only
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.description import Body

RELATIVE_TOLERANCE = 1e-6
"""Breach of the triangle inequality that is rounding, relative to the largest moment."""

LENGTH_TOLERANCE = 1e-6
"""Breach that is rounding [m]: as if mass were misplaced by a micrometre."""

GROSS_LENGTH = 0.1
"""Breach [m] beyond which a file is refused: as if all the mass were misplaced by 10 cm."""


def at_center(mass: float, com: Array, inertia_at_origin: Array) -> Array:
    """Return the inertia about the centre of mass, given that about the origin (3, 3)."""
    return np.asarray(inertia_at_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)))


def moment(body: Body, axis: Array) -> float:
    """Return the moment of inertia [kg m²] about an axis through the origin of the body."""
    unit = axis / np.linalg.norm(axis)
    arm = np.cross(unit, body.com)
    return float(unit @ body.inertia @ unit + body.mass * arm @ arm)


def inertial_parameters(mass: float, com: Array, inertia: Array) -> Array:
    """Return [m, m c (3), Ixx Ixy Iyy Ixz Iyz Izz] about the origin, given the inertia at c."""
    second = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.concatenate([[mass], mass * com, second[np.tril_indices(3)]])


def merge(name: str, parts: Sequence[tuple[Body, Array]]) -> Body:
    """Weld bodies, each at its placement (4, 4), into one body with the frame of the whole."""
    first, placement = parts[0]
    if len(parts) == 1 and np.array_equal(placement, np.eye(4)):
        return Body(name, first.mass, first.com, first.inertia, first.source)
    masses = np.array([body.mass for body, _ in parts])
    coms = np.array([at[:3, :3] @ body.com + at[:3, 3] for body, at in parts])
    inertias = np.array([at[:3, :3] @ body.inertia @ at[:3, :3].T for body, at in parts])
    mass = float(masses.sum())
    com = masses @ coms / mass if mass > 0.0 else np.zeros(3)
    offsets = coms - com
    squares = masses @ (offsets * offsets).sum(axis=1)
    steiner = squares * np.eye(3) - np.einsum("b,bi,bj->ij", masses, offsets, offsets)
    return Body(name, mass, read_only(com), read_only(inertias.sum(axis=0) + steiner), first.source)


def negative_moments(bodies: Sequence[Body]) -> tuple[Array, Array]:
    """Return how negative each body's second moment of mass is [kg m²], and what is rounding."""
    if not bodies:
        return np.zeros(0), np.zeros(0)
    inertias = np.array([body.inertia for body in bodies])
    masses = np.array([body.mass for body in bodies])
    principal = np.linalg.eigvalsh(0.5 * (inertias + inertias.transpose(0, 2, 1)))
    smallest = 0.5 * (principal[:, 0] + principal[:, 1] - principal[:, 2])
    rounding = RELATIVE_TOLERANCE * np.abs(principal).max(axis=1) + LENGTH_TOLERANCE**2 * masses
    return np.maximum(-smallest, 0.0), rounding


def is_plain(body: Body) -> bool:
    """Whether an inertia is diagonal and surely physical, which is told faster than in general."""
    (a, d, e), (f, b, g), (h, i, c) = body.inertia.tolist()
    return not any((d, e, f, g, h, i)) and 0.0 <= 2.0 * max(a, b, c) <= a + b + c


def check_parts(bodies: Sequence[Body], *, strict: bool) -> list[str]:
    """Check the inertias as stated: a breach is an error if `strict`, else a warning."""
    negative, rounding = negative_moments(bodies)
    warnings = []
    for index in np.flatnonzero(negative > rounding).tolist():
        body = bodies[index]
        message = f"body {body.name!r}: {_breach(body)}"
        if strict:
            raise ModelError(message, body.source)
        warnings.append(f"{body.source}: {message}" if body.source else message)
    return warnings


def check_welded(groups: Sequence[tuple[Body, Sequence[tuple[Body, Array]]]]) -> None:
    """Check welded bodies against gross breaches, the ones no rounding in a file explains.

    Files often state nonsense for small parts (a camera, an empty root) that are welded to
    something heavy; only the sum matters for the motion, so only the sum is refused.
    """
    negative, rounding = negative_moments([whole for whole, _ in groups])
    masses = np.array([whole.mass for whole, _ in groups])
    for index in np.flatnonzero(negative > rounding + GROSS_LENGTH**2 * masses).tolist():
        parts = [body for body, _ in groups[index][1]]
        worst = parts[int(np.argmax(negative_moments(parts)[0]))]
        raise ModelError(f"body {worst.name!r}: {_breach(worst)}", worst.source)


def _breach(body: Body) -> str:
    small, middle, large = np.linalg.eigvalsh(0.5 * (body.inertia + body.inertia.T))
    moments = f"its principal moments are {small:.4g}, {middle:.4g}, {large:.4g} kg m²"
    if small < -RELATIVE_TOLERANCE * large:
        return f"inertia is not positive semi-definite: {moments}"
    return f"inertia breaks the triangle inequality: {moments}, the last exceeds the others' sum"
