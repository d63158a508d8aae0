"""Footsteps, footholds and the order in which feet are set down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tarsus._lib.checks import count, reals
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.spatial import pose

# Where the feet of a machine on two legs shall stand, one after the other.
#
# The first two entries are where both feet stand at first: that of the foot that moves first, then
# the other. A step k ≥ 2 brings the foot of entry k − 2 to entry k while that of k − 1 carries.


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


# Footholds: where on a ground a sole finds something flat to stand on.


FLAT = 8e-3
"""How far the ground under a sole may be from a plane [m]."""
PLACES = 31
"""Places ahead and behind that are looked at; an odd number has the wanted one among them."""
GRID = np.linspace(-1.0, 1.0, 7)
AROUND = 0.025
"""Soles keep so far away from edges [m]."""


def foothold(
    ground: Terrain, position: Array, yaw: Array, corners: ArrayLike, shift: float
) -> tuple[Array, Array]:
    """Return places (…, N, 3) on a ground near `position` that are flat, and normals (…, N, 3).

    Soles with `corners` (k, 2) look to `yaw` (…, N); they are moved along it by at most `shift`.
    """
    half = np.ptp(np.asarray(corners, float), axis=0) / 2 + AROUND
    local = np.stack(np.meshgrid(GRID * half[0], GRID * half[1], indexing="ij"), -1).reshape(-1, 2)
    # the nearest places come first
    moves = np.linspace(-shift, shift, PLACES)
    moves = moves[np.argsort(np.abs(moves), kind="stable")]
    c, s = np.cos(yaw)[..., None, None], np.sin(yaw)[..., None, None]
    ahead = local[:, 0] + moves[:, None]
    x = position[..., 0, None, None] + c * ahead - s * local[:, 1]
    y = position[..., 1, None, None] + s * ahead + c * local[:, 1]
    z = ground.height(x, y)
    # the plane of least squares through the heights: z = a + b ξ + c η over an even grid
    rise_x = (z * local[:, 0]).sum(-1) / max((local[:, 0] ** 2).sum(), 1e-12)
    rise_y = (z * local[:, 1]).sum(-1) / max((local[:, 1] ** 2).sum(), 1e-12)
    middle = z.mean(axis=-1)
    plane = middle[..., None] + rise_x[..., None] * local[:, 0] + rise_y[..., None] * local[:, 1]
    rough = np.abs(z - plane).max(axis=-1)
    found = rough < FLAT
    if not found.any(axis=-1).all():
        step = int(np.argwhere(~found.any(axis=-1))[0][-1])
        raise ValueError(
            f"step {step} finds nothing flat within {shift} m of {position[..., step, :2]}: the "
            f"ground under its sole is uneven by {1e3 * rough.min(axis=-1)[..., step].min():.0f} mm"
        )
    best = found.argmax(axis=-1)[..., None]
    move = moves[best[..., 0]]
    height, slope_x, slope_y = (
        np.take_along_axis(each, best, -1)[..., 0] for each in (middle, rise_x, rise_y)
    )
    place = np.stack(
        [position[..., 0] + np.cos(yaw) * move, position[..., 1] + np.sin(yaw) * move, height], -1
    )
    # slopes along and across the sole, turned into the world
    gx = np.cos(yaw) * slope_x - np.sin(yaw) * slope_y
    gy = np.sin(yaw) * slope_x + np.cos(yaw) * slope_y
    normal = np.stack([-gx, -gy, np.ones_like(gx)], axis=-1)
    return place, normal / np.linalg.norm(normal, axis=-1, keepdims=True)


# Footfalls of four legs as tables of phases: when in a stride each leg lifts, and for how long.
#
# O. Ayit, Sabancı University 2015, section 2.2.2: diagonal legs move together in a trot, those of a
# side in a pace; in a crawl one leg after the other, so that three feet are always down.


@dataclass(frozen=True)
class Footfalls:
    """When feet lift and fall: the phase (0 to 1) of each lift, and the share of a stride it takes.

    Where legs take turns, `swing` is a little less than the time between two lifts; what is left
    is the double support.
    """

    name: str
    lifts: Mapping[str, float]
    swing: float

    def __post_init__(self) -> None:
        if not 0.0 < self.swing < 1.0:
            raise ValueError(f"swing is {self.swing}, must be between 0 and 1")
        object.__setattr__(self, "lifts", MappingProxyType(dict(self.lifts)))

    @property
    def legs(self) -> tuple[str, ...]:
        """The names of the legs."""
        return tuple(self.lifts)

    def strides(self, phase: ArrayLike) -> tuple[NDArray[np.int64], Array]:
        """Return for each leg (…, legs) how often it has lifted before, and how far its swing is.

        `phase` (…) counts strides. The second array is from 0 to 1 in the air and 1 on the ground;
        the first is −1 before a leg has lifted for the first time.
        """
        since = np.asarray(phase, float)[..., None] - np.array(list(self.lifts.values()))
        count = np.floor(since).astype(np.int64)
        swing = np.clip((since - count) / self.swing, 0.0, 1.0)
        return np.maximum(count, -1), np.where(count < 0, 1.0, swing)

    def standing(self, phase: ArrayLike) -> NDArray[np.bool_]:
        """Return which legs stand (…, legs)."""
        return np.asarray(self.strides(phase)[1] >= 1.0)


TROT = Footfalls(
    "trot", {"hind_right": 0.0, "hind_left": 0.5, "front_right": 0.5, "front_left": 0.0}, 0.45
)
PACE = Footfalls(
    "pace", {"hind_right": 0.5, "hind_left": 0.0, "front_right": 0.5, "front_left": 0.0}, 0.45
)
CRAWL = Footfalls(
    "crawl", {"hind_right": 0.25, "hind_left": 0.75, "front_right": 0.5, "front_left": 0.0}, 0.225
)

FOOTFALLS = {one.name: one for one in (TROT, PACE, CRAWL)}
