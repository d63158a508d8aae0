"""Grounds that become harder as robots succeed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tarsus._lib.checks import expect, number
from tarsus._lib.files import Array
from tarsus.geometry.grounds import Terrain
from tarsus.geometry.height_field import HeightField

LEVELS = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Curriculum:
    """Patches of ground, easy ones first, side by side along y in one field of heights.

    Each of the `grounds` is seen from −`behind` to `ahead` [m] along x and over `width` [m] along
    y, on a grid of `spacing` [m]; robots start at its origin. A robot that has made more than the
    share `succeed` of the way that its commands asked for in an episode goes on to the next level;
    who has made less than `fail` goes back one. Friction is that of the first ground.
    """

    grounds: tuple[Terrain, ...]
    ahead: float = 6.0
    behind: float = 1.0
    width: float = 4.0
    spacing: float = 0.05
    succeed: float = 0.7
    fail: float = 0.35
    first: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "grounds", tuple(self.grounds))
        if not self.grounds:
            raise ValueError("grounds is empty: a curriculum has at least one level")
        for ground in self.grounds:
            expect(ground, Terrain, "one of the grounds")
        for name in ("ahead", "behind", "width", "spacing"):
            if not number(getattr(self, name), name) > 0.0:
                raise ValueError(f"{name} is {getattr(self, name)}, must be positive")
        if not 0.0 <= self.fail <= self.succeed:
            raise ValueError(f"fail is {self.fail}, must be from 0 to succeed, {self.succeed}")
        if not 0 <= self.first < len(self.grounds):
            raise ValueError(f"first is {self.first}, must be from 0 to {len(self.grounds) - 1}")

    @cached_property
    def field(self) -> HeightField:
        """All patches as one ground."""
        nx = round((self.ahead + self.behind) / self.spacing) + 1
        ny = round(self.width / self.spacing)
        x = -self.behind + self.spacing * np.arange(nx)[:, None]
        y = self.spacing * (np.arange(ny) + 0.5) - 0.5 * self.width
        heights = [np.broadcast_to(each.height(x, y), (nx, ny)) for each in self.grounds]
        easy = self.grounds[0]
        return HeightField(
            np.concatenate(heights, axis=1),
            self.spacing,
            np.array([-self.behind, 0.5 * self.spacing - 0.5 * self.width]),
            friction=easy.friction,
            restitution=easy.restitution,
        )

    def origins(self, level: LEVELS) -> Array:
        """Return where robots of these levels (n,) start (n, 2) [m]."""
        return np.stack([np.zeros(len(level)), self.width * level], axis=1)

    def promoted(self, level: LEVELS, way: Array, asked: Array) -> LEVELS:
        """Return the next levels (n,) of those that made a way (n,) of what was asked for [m]."""
        up, down = way > self.succeed * asked, way < self.fail * asked
        moved = np.where(asked > 0.0, up.astype(np.int64) - down, 0)
        return np.asarray(np.clip(level + moved, 0, len(self.grounds) - 1))
