"""Where the feet of a machine on two legs shall stand, one after the other.

The first two entries are where both feet stand at first: that of the foot that moves first, then
the other. A step k ≥ 2 brings the foot of entry k − 2 to entry k while that of k − 1 carries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus.arrays import Array
from tarsus.gait.plans.foothold import foothold
from tarsus.geometry.terrain import Terrain
from tarsus.model.checks import count, reals
from tarsus.spatial import pose

RAMP = 2
"""Steps in which the speed is reached at first."""


@dataclass(frozen=True, eq=False)
class Footsteps:
    """Places of feet (…, N), two that are there and N − 2 steps.

    `side` (N,) is 1 for the left foot, −1 for the right one; `position` (…, N, 3) [m] is that of
    the middle of a sole, `yaw` (…, N) [rad] where it looks to, `normal` (…, N, 3) that of the
    ground under it.
    """

    side: NDArray[np.int64]
    position: Array
    yaw: Array
    normal: Array

    def __post_init__(self) -> None:
        n = len(self.side)
        if n < 3 or not (self.side[1:] == -self.side[:-1]).all() or abs(self.side[0]) != 1:
            raise ValueError(
                f"side is {self.side!r}, must be 1, −1, 1, … or −1, 1, …, three or more"
            )
        for name, own in (("position", (n, 3)), ("yaw", (n,)), ("normal", (n, 3))):
            shape = np.shape(getattr(self, name))
            if shape[len(shape) - len(own) :] != own:
                raise ValueError(
                    f"{name} has shape {shape}, must be (…, {', '.join(map(str, own))})"
                )

    @property
    def steps(self) -> int:
        """How many steps there are."""
        return len(self.side) - 2

    @property
    def poses(self) -> Array:
        """The frames of the soles (…, N, 4, 4): x ahead, z along the normal."""
        return pose(self.position, sole_rotation(self.yaw, self.normal))

    @classmethod
    def of_bodies(cls, bodies: ArrayLike, width: ArrayLike, first: int) -> Self:
        """Return steps beside a body (…, N, 3) that is at x, y [m] with a yaw [rad] at each entry.

        Soles are `width` [m] apart; `first` is the side of the first entry.
        """
        at = reals(bodies, "bodies")
        n = at.shape[-2]
        side = first * (1 - 2 * (np.arange(n) % 2))
        aside = side * np.asarray(width, float)[..., None] / 2
        x, y, yaw = np.moveaxis(at, -1, 0)
        place = np.stack([x - aside * np.sin(yaw), y + aside * np.cos(yaw), np.zeros_like(x)], -1)
        up = np.broadcast_to([0.0, 0.0, 1.0], place.shape)
        return cls(side, place, np.array(yaw), up)

    @classmethod
    def steady(
        cls,
        *,
        steps: int,
        width: float,
        length: ArrayLike = 0.0,
        sideways: ArrayLike = 0.0,
        turn: ArrayLike = 0.0,
        least: float = 0.0,
        start: ArrayLike = (0.0, 0.0, 0.0),
    ) -> Self:
        """Return `steps` that all move the body alike: on a line, an arc, aside or on the spot.

        A step leads ahead by `length` and to the left by `sideways` [m], and turns to the left by
        `turn` [rad], each a number or (…) for many; the first ones are shorter, and the last one
        brings the feet side by side. `width` [m] is between the middles of the soles, `least` what
        must be left of it in a step. The body begins at `start` (…, 3): x, y, yaw.
        """
        count(steps, "steps", 1)
        moves = np.stack(np.broadcast_arrays(*(_numbers(x) for x in (length, sideways, turn))), -1)
        narrow = float((width - np.abs(moves[..., 1])).min())
        if narrow < least:
            raise ValueError(
                f"sideways is {np.asarray(sideways)}: soles that are {width:.3g} m apart would "
                f"come as near as {narrow:.3g} m, must be at least {least:.3g} m"
            )
        share = np.minimum(1.0, np.arange(1, steps + 1) / RAMP)
        # the foot that ends a walk is put beside the other
        share[-1] = 0.0 if steps > 1 else share[-1]
        along = np.concatenate([[0.0, 0.0], np.cumsum(share)])
        aside = float(np.sum(moves[..., 1] + 0.1 * moves[..., 2]))
        first = 1 if aside > 0.0 else -1
        bodies = _after(_numbers(start), along[:, None] * moves[..., None, :])
        return cls.of_bodies(bodies, np.full(bodies.shape[:-2], width), first)

    @classmethod
    def along(
        cls, path: ArrayLike, *, width: float, length: float, first: int = -1, turn: float = 0.35
    ) -> Self:
        """Return steps along a path (K, 2) [m] of straight pieces, `length` [m] each at most.

        The machine looks along the path; at corners it turns by `turn` [rad] a step at most.
        """
        points = reals(path, "path")
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise ValueError(f"path has shape {points.shape}, must be (K, 2), K ≥ 2")
        ways = np.diff(points, axis=0)
        lengths = np.linalg.norm(ways, axis=1)
        if not (lengths > 0.0).all():
            raise ValueError("path has two equal points in a row")
        yaws = np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))
        bodies = [[*points[0], yaws[0]]] * 2
        for k, (long, yaw) in enumerate(zip(lengths, yaws, strict=True)):
            turns = int(np.ceil(abs(yaw - bodies[-1][2]) / turn - 1e-9))
            before = bodies[-1][2]
            bodies += [
                [*points[k], before + (yaw - before) * j / turns] for j in range(1, turns + 1)
            ]
            pieces = int(np.ceil(long / length - 1e-9))
            bodies += [[*(points[k] + ways[k] * j / pieces), yaw] for j in range(1, pieces + 1)]
        return cls.of_bodies([*bodies, bodies[-1]], np.asarray(width), first)

    def on(self, ground: Terrain, corners: ArrayLike, *, shift: float = 0.15) -> Self:
        """Return the steps put on a ground: heights and normals, and each sole on something flat.

        `corners` (k, 2) [m] are those of a sole. A sole that would stand on an edge is moved ahead
        or back by at most `shift` [m]; one that finds nothing flat is an error that names the step.
        """
        place, normal = foothold(ground, self.position, self.yaw, corners, shift)
        return replace(self, position=place, normal=normal)


def sole_rotation(yaw: ArrayLike, normal: ArrayLike) -> Array:
    """Return rotations (…, 3, 3) of soles that look to `yaw` (…) on a ground with a `normal`."""
    z = np.asarray(normal, float)
    c, s = np.cos(yaw), np.sin(yaw)
    # along the ground in the vertical plane of the yaw
    rise = -(c * z[..., 0] + s * z[..., 1]) / z[..., 2]
    x = np.stack(np.broadcast_arrays(c, s, rise), axis=-1)
    x = x / np.linalg.norm(x, axis=-1, keepdims=True)
    return np.stack([x, np.cross(z, x), z], axis=-1)


def _numbers(value: ArrayLike | Sequence[float]) -> Array:
    return np.asarray(value, float)


def _after(start: Array, moves: Array) -> Array:
    """Return the bodies (…, N, 3) after moves along arcs, from x, y and yaw `start` (…, 3)."""
    turn = moves[..., 2]
    # sin(φ)/φ and (1 − cos φ)/φ, which have limits
    half = np.sinc(turn / (2.0 * np.pi))
    along, aside = half * np.cos(turn / 2), half * np.sin(turn / 2)
    x = along * moves[..., 0] - aside * moves[..., 1]
    y = aside * moves[..., 0] + along * moves[..., 1]
    yaw = start[..., None, 2]
    return np.stack(
        [
            start[..., None, 0] + np.cos(yaw) * x - np.sin(yaw) * y,
            start[..., None, 1] + np.sin(yaw) * x + np.cos(yaw) * y,
            yaw + turn,
        ],
        axis=-1,
    )
