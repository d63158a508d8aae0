"""Kinds of loop joints, their checks, and their equations.

With R and p the pose of frame b in frame a, a loop joint is closed where its rows vanish: some
coordinates of p, and products R_ij = a_i · b_j of axes that are perpendicular.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Mapping
from typing import Any

import numpy as np

from tarsus._lib.checks import check_body_name, check_name, number, pose, suggestion
from tarsus._lib.errors import ModelError
from tarsus._lib.files import Array
from tarsus.model.couplings import check_coupled
from tarsus.model.description import Joint, Loop

ALIGNED = ((1, 2), (2, 0), (0, 1))  # all axes
PARALLEL = ((0, 2), (1, 2))  # z of b along z of a

EQUATIONS: Mapping[str, tuple[tuple[int, ...], tuple[tuple[int, int], ...]]] = {
    "weld": ((0, 1, 2), ALIGNED),
    "revolute": ((0, 1, 2), PARALLEL),
    "prismatic": ((0, 1), ALIGNED),
    "universal": ((0, 1, 2), ((2, 0),)),
    "cylindrical": ((0, 1), PARALLEL),
    "spherical": ((0, 1, 2), ()),
    "planar": ((2,), PARALLEL),
    "point_on_line": ((0, 1), ()),
}
"""Kind -> coordinates of p, and pairs of axes (of a, of b), that vanish."""

LOOP_KINDS = (*EQUATIONS, "distance", "knife_edge")


def n_rows(kind: str) -> int:
    """Return how many velocities a loop joint takes away."""
    positions, axes = EQUATIONS.get(kind, ((0,), ()))
    return len(positions) + len(axes)


def rows(loop: Loop, relative: Array, jacobian: Array) -> tuple[Array, Array]:
    """Return what must vanish (rows,) and its derivative (rows, n).

    `relative` (4, 4) is the pose of frame b in frame a, `jacobian` (6, n) its velocity: linear
    and angular, in axes of frame a. A "distance" of L has the row (|p|² − L²)/(2 L), a
    "knife_edge" only a derivative, the velocity along y of frame b. Where axes that should be
    aligned are far from it, the derivative leads there, but is not exact.
    """
    rotation, p = relative[:3, :3], relative[:3, 3]
    linear, angular = jacobian[:3], jacobian[3:]
    if loop.kind == "distance":
        length = loop.length
        return np.array([(p @ p - length**2) / (2.0 * length)]), (p @ linear / length)[None]
    if loop.kind == "knife_edge":
        return np.zeros(1), (rotation[:, 1] @ linear)[None]
    positions, axes = EQUATIONS[loop.kind]
    if axes == ALIGNED and np.diag(rotation).min() < 0.5:
        # products of axes also vanish at half turns, where this does not
        turn = -_turn(rotation)
        return np.array([*p[list(positions)], *turn]), np.array(
            [*linear[list(positions)], *-angular]
        )
    values = [*p[list(positions)], *(rotation[i, j] for i, j in axes)]
    # d/dt R_ij = (ω × R_·j)_i = ω · (R_·j × e_i)
    crosses = [_cross_unit(rotation[:, j], i) @ angular for i, j in axes]
    return np.array(values), np.array([*linear[list(positions)], *crosses])


def _turn(rotation: Array) -> Array:
    """Return twice the vector part of a rotation's quaternion, an eigenvector (Bar-Itzhack)."""
    r, trace = rotation, np.trace(rotation)
    k = np.zeros((4, 4))
    k[:3, :3] = r + r.T - trace * np.eye(3)
    k[3, :3] = k[:3, 3] = r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]
    k[3, 3] = trace
    quaternion = np.linalg.eigh(k)[1][:, -1]
    return np.asarray(2.0 * np.copysign(1.0, quaternion[3]) * quaternion[:3])


def _cross_unit(vector: Array, i: int) -> Array:
    """Return vector × e_i."""
    x, y, z = vector
    return np.array(((0.0, z, -y), (-z, 0.0, x), (y, -x, 0.0))[i])


def without_missing(loop: Loop, joints: Collection[str]) -> Loop:
    """Return the loop without what it says about joints that are not among `joints`."""
    own = loop.independent
    return dataclasses.replace(
        loop,
        start={name: value for name, value in loop.start.items() if name in joints},
        independent=own if own is not None and set(own) <= set(joints) else None,
    )


def checked_loop(loop: Loop, bodies: Iterable[str], joints: Mapping[str, Joint]) -> Loop:
    """Return a checked copy of `loop`; its bodies and joints must be among those declared."""
    check_name(loop.name, "a loop", loop.source)
    what, source = f"loop {loop.name!r}", loop.source
    if loop.kind not in LOOP_KINDS:
        hint = suggestion(loop.kind, LOOP_KINDS)
        raise ModelError(f"{what}: unknown kind {loop.kind!r}{hint}", source)
    check_body_name(loop.body_a, bodies, what, "body_a", source)
    check_body_name(loop.body_b, bodies, what, "body_b", source)
    if loop.body_a == loop.body_b:
        raise ModelError(f"{what}: both ends are on body {loop.body_a!r}", source)
    independent = None if loop.independent is None else tuple(loop.independent)
    for name in independent or ():
        if not isinstance(name, str) or name not in joints:
            raise ModelError(
                f"{what}: there is no joint {name!r}{suggestion(name, joints)}", source
            )
    _check_options(loop, what)
    return dataclasses.replace(
        loop,
        placement_a=pose(loop.placement_a, f"{what}, frame a", source),
        placement_b=pose(loop.placement_b, f"{what}, frame b", source),
        length=_checked_length(loop, what),
        independent=independent,
        start=_checked_start(loop, joints, what),
    )


def _check_options(loop: Loop, what: str) -> None:
    if loop.constraint not in (None, True, False):
        message = f"{what}: constraint is {loop.constraint!r}, must be None, True or False"
        raise ModelError(message, loop.source)
    if loop.kind == "knife_edge" and loop.constraint is False:
        message = f"{what}: a knife edge restricts velocities only and is always a constraint"
        raise ModelError(message, loop.source)
    if loop.independent is not None and (loop.constraint or loop.kind == "knife_edge"):
        message = f"{what}: independent joints are for loops that are no constraints"
        raise ModelError(message, loop.source)


def _checked_length(loop: Loop, what: str) -> float:
    length = number(loop.length, f"{what}: length", loop.source)
    if loop.kind == "distance" and length <= 0.0:
        raise ModelError(f"{what}: a distance needs a length [m] above zero", loop.source)
    if loop.kind != "distance" and length != 0.0:
        raise ModelError(f"{what}: length is for loops of kind 'distance' only", loop.source)
    return length


def _checked_start(loop: Loop, joints: Mapping[str, Joint], what: str) -> dict[str, float]:
    start: dict[str, Any] = dict(loop.start)
    for name, value in start.items():
        check_coupled(name, joints, f"{what}: start", loop.source)
        start[name] = number(value, f"{what}: start of joint {name!r}", loop.source)
    return start
